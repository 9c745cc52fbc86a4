import type { FieldError } from '../../api/field-error.ts';
import { invalid as invalidField } from '../../api/field-error.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../api/meta/validation.ts';
import type { KubeObject } from '../../api/object.ts';
import { conflict, invalid } from '../../api/status.ts';
import type { ServedResource } from '../served-resource.ts';
import type { Part, Target, Write } from './write.ts';

export const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';

/** Holds what the client insists on of the stored object (uid, resourceVersion) against it. @throws StatusError */
export function checkPreconditions({ resource, name }: Target, submitted: KubeObject, old: KubeObject): void {
  const { uid, resourceVersion } = submitted.metadata;
  if (uid && uid !== old.metadata.uid)
    throw conflict(resource.facts, name, `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`);
  if (!resourceVersion || resourceVersion === '0') {
    if (resource.behaviour.allowUnconditionalUpdate === false)
      throw invalid(resource.facts, name, [invalidField('metadata.resourceVersion', 0, 'must be specified for an update')]);
    return;
  }
  if (resourceVersion !== old.metadata.resourceVersion) throw conflict(resource.facts, name, MODIFIED);
}

/** Everything wrong with the object at once. @throws StatusError Invalid */
export function validate(write: Write, part?: Part): Write {
  const { resource, subresource, object, old, warnings } = write;
  const { behaviour } = resource;
  const errors = [...metadataFaults(resource, object, old), ...(old ? updateFaults(write, old, part) : (behaviour.validate?.(object) ?? []))];
  if (errors.length) throw invalid(resource.facts, old ? (object.metadata.name ?? '') : write.name, errors);
  return subresource ? write : { ...write, warnings: [...warnings, ...(behaviour.warnings?.(object, old) ?? [])] };
}

function metadataFaults({ namespaced, behaviour }: ServedResource, { metadata }: KubeObject, old: KubeObject | undefined): FieldError[] {
  const faults = validateObjectMeta(metadata, { namespaced, ...(behaviour.validateName ? { validateName: behaviour.validateName } : {}) });
  // The store checks the version; the metadata's own rule wants to see one.
  return old ? [...faults, ...validateObjectMetaUpdate({ ...metadata, resourceVersion: old.metadata.resourceVersion! }, old.metadata)] : faults;
}

function updateFaults({ resource, subresource, object }: Write, old: KubeObject, part: Part | undefined): FieldError[] {
  const { behaviour } = resource;
  if (part?.validateUpdate) return part.validateUpdate(object, old);
  if (subresource === 'status') return behaviour.validateStatusUpdate?.(object, old) ?? [];
  return (behaviour.validateUpdate ? behaviour.validateUpdate(object, old) : behaviour.validate?.(object)) ?? [];
}
