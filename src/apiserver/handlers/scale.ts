import { invalid as invalidField } from '../../api/field-error.ts';
import type { Scale } from '../../api/generated/types/autoscaling.v1.ts';
import type { KubeObject } from '../../api/object.ts';
import { badRequest, conflict, invalid, notFound } from '../../api/status.ts';
import type { ObjectView } from '../admission/admission.ts';
import type { Handlers, ServedResource } from '../served-resource.ts';
import { writeOptions } from '../write/options.ts';
import { type Part, targetOfRequest } from '../write/write.ts';
import type { HandlerParts } from './parts.ts';
import { patchOf } from './patch.ts';
import { checkPlace } from './place.ts';

/** The rest of the object stays as it is; its own validation is the object's. */
const REPLICAS: Part = { merge: (submitted) => submitted };

/** autoscaling/v1 Scale of a Deployment, ReplicaSet …: a view of its replicas that everybody can write. */
export function scaleHandlers({ storage, writes, bodies }: HandlerParts): Handlers {
  const scaleTarget = bodies.targetOfKind('autoscaling/v1', 'Scale');
  return {
    async get(resource, request) {
      const current = await storage.get(resource, targetOfRequest(resource, request));
      if (!current) throw notFound(resource.facts, request.name ?? '');
      return { code: 200, object: scaleOf(resource, current.object) };
    },

    async update(resource, request) {
      const options = writeOptions('UpdateOptions', request);
      const { object: body, warnings } = bodies.decode(request, scaleTarget, options.fieldValidation);
      const target = { ...targetOfRequest(resource, request), options, view: viewOf(resource) };
      checkPlace(resource, target, body);
      const written = await writes.update(target, (current) => ({ object: withReplicas(resource, current, body as unknown as Scale), warnings }), REPLICAS);
      return { code: 200, object: scaleOf(resource, written.object), warnings: written.warnings };
    },

    async patch(resource, request) {
      const patch = patchOf(request, scaleTarget);
      const options = writeOptions('PatchOptions', request);
      if (patch.type === 'apply') throw badRequest('server-side apply of a scale is not served: apply the object, or patch its scale');
      const { fieldValidation } = options;
      const written = await writes.update(
        { ...targetOfRequest(resource, request), options, view: viewOf(resource) },
        (current) => {
          const view = scaleOf(resource, current);
          const { object, warnings } = patch.apply(view, { bodies, target: scaleTarget, namespaced: resource.namespaced, fieldValidation });
          return { object: withReplicas(resource, current, object as unknown as Scale), warnings };
        },
        REPLICAS,
      );
      return { code: 200, object: scaleOf(resource, written.object), warnings: written.warnings };
    },
  };
}

function viewOf(resource: ServedResource): ObjectView {
  return {
    of: (object) => scaleOf(resource, object),
    into: (object, scale) => withReplicas(resource, object, scale as unknown as Scale),
  };
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
