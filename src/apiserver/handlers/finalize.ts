import type { Namespace } from '../../api/generated/types/core.v1.ts';
import type { KubeObject } from '../../api/object.ts';
import { targetOf } from '../decode/body.ts';
import type { Handlers } from '../served-resource.ts';
import { writeOptions } from '../write/options.ts';
import { type Part, targetOfRequest } from '../write/write.ts';
import type { HandlerParts } from './parts.ts';

/** What finalize takes of the body: spec.finalizers, and the version that the client has seen. */
const FINALIZERS: Part = {
  merge(submitted, current) {
    const { finalizers } = (submitted as Namespace).spec;
    const { resourceVersion } = submitted.metadata;
    return {
      ...current,
      metadata: { ...current.metadata, ...(resourceVersion ? { resourceVersion } : {}) },
      spec: { ...(finalizers ? { finalizers } : {}) },
    } as KubeObject;
  },
  validateUpdate: () => [],
};

/** Writes a namespace's spec.finalizers; the last one gone, the namespace goes (pkg/registry/core/namespace: FinalizeREST). */
export function finalizeHandlers({ writes, bodies }: HandlerParts): Handlers {
  return {
    async update(resource, request) {
      const options = writeOptions('UpdateOptions', request);
      const submitted = bodies.decode(request, targetOf(resource), options.fieldValidation);
      const { object, warnings } = await writes.update({ ...targetOfRequest(resource, request), options }, () => submitted, FINALIZERS);
      return { code: 200, object, warnings };
    },
  };
}
