import { invalid as invalidField, required } from '../../api/field-error.ts';
import type { Binding, Pod } from '../../api/generated/types/core.v1.ts';
import type { KubeObject } from '../../api/object.ts';
import type { ApiRequest, ApiResponse } from '../../api/request.ts';
import { Pods } from '../../api/resources.ts';
import { badRequest, conflict, invalid } from '../../api/status.ts';
import { timestamp } from '../../lib/clock.ts';
import type { Registry } from '../registry.ts';
import type { Handlers, ServedResource } from '../served-resource.ts';
import { writeOptions } from '../write/options.ts';
import { type Part, targetOfRequest } from '../write/write.ts';
import { announcedAs } from '../write/write-path.ts';
import type { HandlerParts } from './parts.ts';

/** A binding changes the pod's place, which its own rules keep from changing. */
const PLACE: Part = { merge: (submitted) => submitted, validateUpdate: () => [] };

/** Places a pod on a node: how the scheduler writes its decision (pkg/registry/core/pod/storage: BindingREST). */
export function bindingHandlers(parts: HandlerParts): Handlers {
  return { create: (resource, request) => bind(parts, resource, request, request.name ?? '') };
}

/** The older door for bindings: the pod's name stands in the body alone. */
export function bareBindingHandlers(parts: HandlerParts, registry: Registry): Handlers {
  const target = parts.bodies.targetOfKind('v1', 'Binding');
  return {
    create(_resource, request) {
      const { object } = parts.bodies.decode(request, target, 'Ignore');
      return bind(parts, registry.get(Pods), request, object.metadata.name ?? '');
    },
  };
}

async function bind({ writes, bodies, clock }: HandlerParts, pods: ServedResource, request: ApiRequest, name: string): Promise<ApiResponse> {
  const options = writeOptions('CreateOptions', request);
  const { object } = bodies.decode(request, bodies.targetOfKind('v1', 'Binding'), options.fieldValidation);
  const binding = object as unknown as Binding;
  if (binding.metadata.name && binding.metadata.name !== name) throw badRequest(`name in URL does not match name in Binding object`);
  const errors = [
    ...(binding.target?.kind && binding.target.kind !== 'Node' ? [invalidField('target.kind', binding.target.kind, 'must be "Node"')] : []),
    ...(binding.target?.name ? [] : [required('target.name')]),
  ];
  if (errors.length) throw invalid({ group: '', kind: 'Binding' }, name, errors);
  const target = { ...targetOfRequest(pods, request), name, subresource: 'binding', options };
  await writes.announce({ ...target, ...announcedAs('CREATE', object, options) }, []);
  const now = timestamp(clock.now());
  await writes.update(target, (current) => ({ object: bound(pods, current as Pod, binding, now) }), PLACE);
  return { code: 201, object: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 } as KubeObject };
}

function bound(resource: ServedResource, pod: Pod, binding: Binding, now: string): KubeObject {
  const name = pod.metadata.name!;
  const { uid } = binding.metadata;
  if (uid && uid !== pod.metadata.uid)
    throw conflict(resource.facts, name, `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${pod.metadata.uid}`);
  if (pod.metadata.deletionTimestamp)
    throw conflict({ group: '', resource: 'pods/binding' }, name, `pod ${name} is being deleted, cannot be assigned to a host`);
  if (pod.spec.nodeName)
    throw conflict({ group: '', resource: 'pods/binding' }, name, `pod ${name} is already assigned to node ${JSON.stringify(pod.spec.nodeName)}`);
  const conditions = (pod.status.conditions ?? []).filter((c) => c.type !== 'PodScheduled');
  const scheduled = {
    type: 'PodScheduled',
    status: 'True',
    lastProbeTime: null as unknown as string,
    lastTransitionTime: now,
    ...(pod.metadata.generation ? { observedGeneration: pod.metadata.generation } : {}),
  };
  const { resourceVersion: _, ...metadata } = pod.metadata;
  const annotations = { ...metadata.annotations, ...binding.metadata.annotations };
  return {
    ...pod,
    metadata: { ...metadata, ...(Object.keys(annotations).length ? { annotations } : {}) },
    spec: { ...pod.spec, nodeName: binding.target.name! },
    status: { ...pod.status, conditions: [...conditions, scheduled] },
  } as KubeObject;
}
