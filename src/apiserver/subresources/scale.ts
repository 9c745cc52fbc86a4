import { invalid as invalidField } from '../../api/field-error.ts';
import type { Scale } from '../../api/generated/types/autoscaling.v1.ts';
import type { KubeObject } from '../../api/object.ts';
import type { ApiRequest, ApiResponse } from '../../api/request.ts';
import { conflict, invalid, notFound, pathNotFound } from '../../api/status.ts';
import { type ApiContext, read } from '../context.ts';
import { decodeBody, type WriteOptions, writeOptions } from '../operation.ts';
import type { ServedResource } from '../registry.ts';
import { patchChange } from '../verbs/patch.ts';
import { modify } from '../verbs/update.ts';

const SCALE = { schemaId: 'io.k8s.api.autoscaling.v1.Scale', kind: 'Scale', apiVersion: 'autoscaling/v1' };

/** autoscaling/v1 Scale of a Deployment, ReplicaSet …: a view of its replicas that everybody can write. */
export async function scale(context: ApiContext, resource: ServedResource, request: ApiRequest): Promise<ApiResponse> {
  if (!resource.behaviour.scale) throw pathNotFound();
  if (request.verb === 'get') {
    const current = await read(context, resource, request.namespace ?? '', request.name ?? '');
    if (!current) throw notFound(resource.facts, request.name ?? '');
    return { code: 200, object: scaleOf(resource, current.object) };
  }
  const { options, wanted, warnings } = wish(resource, request);
  const change = (current: KubeObject): KubeObject => withReplicas(resource, current, wanted(scaleOf(resource, current)));
  const object = await modify(context, resource, { ...request, subresource: 'scale' }, options, warnings, change, { merge: (submitted) => submitted });
  return { code: 200, object: scaleOf(resource, object), warnings };
}

function wish(resource: ServedResource, request: ApiRequest): { options: WriteOptions; wanted: (current: Scale & KubeObject) => Scale; warnings: string[] } {
  if (request.verb === 'patch') {
    const { options, change, warnings } = patchChange(resource, SCALE, request);
    return { options, wanted: (current) => change(current) as unknown as Scale, warnings };
  }
  const options = writeOptions('UpdateOptions', request);
  const warnings: string[] = [];
  const body = decodeBody(request, SCALE, options.fieldValidation, warnings) as unknown as Scale;
  return { options, wanted: () => body, warnings };
}

function scaleOf(resource: ServedResource, object: KubeObject): Scale & KubeObject {
  const { behaviour } = resource;
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const selector = behaviour.scale!.selector(object);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name: name!, ...(namespace ? { namespace } : {}), uid: uid!, resourceVersion: resourceVersion!, creationTimestamp: creationTimestamp! },
    spec: { ...(behaviour.scale!.specReplicas(object) ? { replicas: behaviour.scale!.specReplicas(object) } : {}) },
    status: { replicas: behaviour.scale!.statusReplicas(object), ...(selector ? { selector } : {}) },
  };
}

function withReplicas(resource: ServedResource, current: KubeObject, wanted: Scale): KubeObject {
  const replicas = wanted.spec?.replicas ?? 0;
  if (replicas < 0)
    throw invalid({ group: 'autoscaling', kind: 'Scale' }, current.metadata.name!, [
      invalidField('spec.replicas', replicas, 'must be greater than or equal to 0'),
    ]);
  const { uid, resourceVersion } = wanted.metadata ?? {};
  if (uid && uid !== current.metadata.uid)
    throw conflict(resource.facts, current.metadata.name!, `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${current.metadata.uid}`);
  const { resourceVersion: _, ...metadata } = current.metadata;
  return { ...resource.behaviour.scale!.withSpecReplicas(current, replicas), metadata: { ...metadata, ...(resourceVersion ? { resourceVersion } : {}) } };
}
