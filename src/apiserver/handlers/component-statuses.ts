import type { KubeObject } from '../../api/object.ts';
import { notFound } from '../../api/status.ts';
import type { Handlers } from '../served-resource.ts';

/** The parts that upstream asks over the network; here they live and die with the server. */
const COMPONENTS = ['scheduler', 'controller-manager', 'etcd-0'];

/** Answers how the parts of the control plane are (upstream: pkg/registry/core/componentstatus). Nothing is stored. */
export function componentStatusHandlers(): Handlers {
  const statusOf = (name: string): KubeObject =>
    ({ kind: 'ComponentStatus', apiVersion: 'v1', metadata: { name }, conditions: [{ type: 'Healthy', status: 'True', message: 'ok' }] }) as KubeObject;
  return {
    async get(_resource, { name = '' }) {
      if (!COMPONENTS.includes(name)) throw notFound({ group: '', resource: 'componentstatus' }, name);
      return { code: 200, object: statusOf(name) };
    },
    async list() {
      return { code: 200, object: { kind: 'ComponentStatusList', apiVersion: 'v1', metadata: {}, items: COMPONENTS.map(statusOf) } };
    },
  };
}
