import { invalid as invalidField, required } from '../../api/field-error.ts';
import type { Binding, Pod } from '../../api/generated/types/core.v1.ts';
import type { KubeObject } from '../../api/object.ts';
import type { ApiRequest, ApiResponse } from '../../api/request.ts';
import { badRequest, conflict, invalid } from '../../api/status.ts';
import { timestamp } from '../../lib/clock.ts';
import type { ApiContext } from '../context.ts';
import { decodeBody, writeOptions } from '../operation.ts';
import type { ServedResource } from '../registry.ts';
import { modify } from '../verbs/update.ts';

const BINDING = { schemaId: 'io.k8s.api.core.v1.Binding', kind: 'Binding', apiVersion: 'v1' };

/** Places a pod on a node: how the scheduler writes its decision (pkg/registry/core/pod/storage: BindingREST). */
export async function bind(context: ApiContext, resource: ServedResource, request: ApiRequest): Promise<ApiResponse> {
  const options = writeOptions('CreateOptions', request);
  const warnings: string[] = [];
  const binding = decodeBody(request, BINDING, options.fieldValidation, warnings) as unknown as Binding;
  const name = request.name!;
  if (binding.metadata.name && binding.metadata.name !== name) throw badRequest(`name in URL does not match name in Binding object`);
  const errors = [
    ...(binding.target?.kind && binding.target.kind !== 'Node' ? [invalidField('target.kind', binding.target.kind, 'must be "Node"')] : []),
    ...(binding.target?.name ? [] : [required('target.name')]),
  ];
  if (errors.length) throw invalid({ group: '', kind: 'Binding' }, name, errors);
  const change = (current: KubeObject): KubeObject => place(resource, current as Pod, binding, context);
  await modify(context, resource, { ...request, subresource: 'binding' }, options, warnings, change, { merge: (submitted) => submitted, validate: () => [] });
  return { code: 201, object: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 } as KubeObject };
}

function place(resource: ServedResource, pod: Pod, binding: Binding, context: ApiContext): KubeObject {
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
    lastTransitionTime: timestamp(context.clock.now()),
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
