import type { KubeList } from '../../api/object.ts';
import type { ApiRequest } from '../../api/request.ts';
import { conflict, hasReason } from '../../api/status.ts';
import { targetOf } from '../decode/body.ts';
import { get } from '../read/get.ts';
import { list, selectObjects } from '../read/list.ts';
import { watch } from '../read/watch.ts';
import type { Handler, Handlers, ServedResource } from '../served-resource.ts';
import { writeOptions } from '../write/options.ts';
import { targetOfRequest, warning } from '../write/write.ts';
import { apply } from './apply.ts';
import { deleteOptions } from './delete-options.ts';
import { mayCreate } from './may-create.ts';
import type { HandlerParts } from './parts.ts';
import { patchOf } from './patch.ts';
import { checkPlace } from './place.ts';

/** How the resources are answered whose objects are stored: all but a few questions. */
export function storedHandlers(parts: HandlerParts): Handlers {
  const { writes, bodies } = parts;
  return {
    ...partHandlers(parts),
    list: (resource, request) => list(parts, resource, request),
    watch: (resource, request) => watch(parts, resource, request),

    async create(resource, request) {
      const options = writeOptions('CreateOptions', request);
      const submitted = bodies.decode(request, targetOf(resource), options.fieldValidation);
      const { object, warnings } = await writes.create({ ...targetOfRequest(resource, request), options }, submitted);
      return { code: 201, object, warnings };
    },

    async delete(resource, request) {
      const options = deleteOptions(bodies, request);
      const warnings: string[] = [];
      return warning(warnings, async () => ({ code: 200, object: await writes.delete(targetOfRequest(resource, request), options, warnings), warnings }));
    },

    async deletecollection(resource, request) {
      const options = deleteOptions(bodies, request);
      const target = targetOfRequest(resource, request);
      const { objects, revision } = await selectObjects(parts, resource, request);
      const items: KubeList['items'] = [];
      for (const object of objects) {
        const { name = '', namespace = '' } = object.metadata;
        try {
          await writes.delete({ ...target, namespace, name }, options);
          items.push(object);
        } catch (error) {
          // Somebody else was faster.
          if (!hasReason(error, 'NotFound')) throw error;
        }
      }
      const metadata = { resourceVersion: String(revision) };
      return { code: 200, object: { kind: `${resource.facts.kind}List`, apiVersion: resource.apiVersion, metadata, items } };
    },
  };
}

/** A part of a stored object, such as its status: read, replaced and patched like the object itself. */
export function partHandlers(parts: HandlerParts): Handlers {
  return {
    get: (resource, request) => get(parts, resource, request),
    update: (resource, request) => update(parts, resource, request),
    patch: patchHandler(parts),
  };
}

async function update({ storage, writes, bodies, authorizer }: HandlerParts, resource: ServedResource, request: ApiRequest): ReturnType<Handler> {
  const options = writeOptions('UpdateOptions', request);
  const submitted = bodies.decode(request, targetOf(resource), options.fieldValidation);
  const target = { ...targetOfRequest(resource, request), options };
  checkPlace(resource, target, submitted.object);
  const { uid } = submitted.object.metadata;
  if (!request.subresource && resource.behaviour.allowCreateOnUpdate && !(await storage.get(resource, target))) {
    await mayCreate(authorizer, request);
    if (uid) throw conflict(resource.facts, target.name, `Precondition failed: UID in precondition: ${uid}, UID in object meta: `);
    const { object, warnings } = await writes.create(target, submitted);
    return { code: 201, object, warnings };
  }
  const { object, warnings } = await writes.update(target, (current) => {
    if (uid && uid !== current.metadata.uid)
      throw conflict(resource.facts, target.name, `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${current.metadata.uid}`);
    return submitted;
  });
  return { code: 200, object, warnings };
}

function patchHandler(parts: HandlerParts): Handler {
  const { writes, bodies } = parts;
  return async (resource, request) => {
    const target = targetOf(resource);
    const patch = patchOf(request, target);
    if (patch.type === 'apply') return apply(parts, resource, request, patch.configuration);
    const options = writeOptions('PatchOptions', request);
    const { object, warnings } = await writes.update({ ...targetOfRequest(resource, request), options }, (current) =>
      patch.apply(current, { bodies, target, namespaced: resource.namespaced, fieldValidation: options.fieldValidation }),
    );
    return { code: 200, object, warnings };
  };
}
