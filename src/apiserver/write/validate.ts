import type { FieldError } from '../../api/field-error.ts';
import { invalid as invalidField } from '../../api/field-error.ts';
import { type NameCheck, pathSegmentFaults, validateFinalizerNames, validateObjectMeta, validateObjectMetaUpdate } from '../../api/meta/validation.ts';
import type { KubeObject } from '../../api/object.ts';
import { conflict, invalid } from '../../api/status.ts';
import type { ServedResource } from '../served-resource.ts';
import type { Part, Target, Write } from './write.ts';

export const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';

/** Holds the version that the client insists on against that of the stored object. @throws StatusError */
export function checkResourceVersion({ resource, name }: Target, { metadata: { resourceVersion } }: KubeObject, old: KubeObject): void {
  if (!resourceVersion || resourceVersion === '0') {
    if (resource.behaviour.allowUnconditionalUpdate === false)
      // The resource stands where the kind should, as upstream has it.
      throw invalid({ group: resource.facts.group, kind: resource.facts.resource }, name, [
        invalidField('metadata.resourceVersion', 0, 'must be specified for an update'),
      ]);
    return;
  }
  if (resourceVersion !== old.metadata.resourceVersion) throw conflict(resource.facts, name, MODIFIED);
}

/** Everything wrong with the object at once. @throws StatusError Invalid */
export function validate(write: Write, part?: Part): Write {
  const { resource, subresource, object, old, warnings } = write;
  warnings.push(...toleratedFaults(resource, object, old));
  const errors = old ? updateFaults(write, old, part) : createFaults(resource, object);
  // Upstream names the group in which objects of the kind are kept.
  const kind = { ...resource.facts, group: resource.behaviour.storedAs?.group ?? resource.facts.group };
  if (errors.length) throw invalid(kind, old ? (object.metadata.name ?? '') : write.name, errors);
  if (!subresource) warnings.push(...(resource.behaviour.warnings?.(object, old) ?? []));
  return write;
}

function toleratedFaults({ behaviour }: ServedResource, object: KubeObject, old: KubeObject | undefined): string[] {
  return old && behaviour.tolerated ? behaviour.tolerated(object, old).map(({ field, message }) => `${field}: ${message}`) : [];
}

/** A kind's own rules come first: they tell more (apiserver/pkg/registry/rest.BeforeCreate). */
function createFaults(resource: ServedResource, object: KubeObject): FieldError[] {
  const faults = [...wholeFaults(resource, object), ...(resource.behaviour.validateNew?.(object) ?? [])];
  return faults.length ? faults : commonFaults(resource, object);
}

/** What every kind's metadata is held to, and then the kind's own rules, its metadata's among them (rest.BeforeUpdate). */
function updateFaults(write: Write, old: KubeObject, part: Part | undefined): FieldError[] {
  const { resource, object } = write;
  // The store checks the version; the metadata's own rule wants to see one.
  const { resourceVersion = '' } = old.metadata;
  const metadata = validateObjectMetaUpdate({ ...object.metadata, resourceVersion }, old.metadata);
  const ownMetadata = resource.behaviour.metadataRules === 'none' ? [] : [...metadata, ...finalizerFaults(resource, object)];
  return [...commonFaults(resource, object), ...metadata, ...ownUpdateFaults(write, old, part, ownMetadata)];
}

function ownUpdateFaults({ resource, subresource, object }: Write, old: KubeObject, part: Part | undefined, metadata: FieldError[]): FieldError[] {
  const { behaviour } = resource;
  if (part?.validateUpdate) return [...metadata, ...part.validateUpdate(object, old)];
  if (subresource === 'status') return [...metadata, ...(behaviour.validateStatusUpdate?.(object, old) ?? [])];
  const { validateUpdate = behaviour.validate, updateOrder = ['metadata', 'change'] } = behaviour;
  const faults = {
    whole: () => wholeFaults(resource, object, old),
    metadata: () => metadata,
    change: () => validateUpdate?.(object, old) ?? [],
  };
  return updateOrder.flatMap((rules) => faults[rules]());
}

/** Everything wrong with an object by itself, its metadata first. */
function wholeFaults(resource: ServedResource, object: KubeObject, old?: KubeObject): FieldError[] {
  const { namespaced, behaviour } = resource;
  const { metadataRules } = behaviour;
  const validateName: NameCheck | undefined = behaviour.validateName && ((name, { prefix }) => behaviour.validateName!(name, { prefix, object }));
  const metadata = metadataRules === 'none' ? [] : validateObjectMeta(object.metadata, { namespaced, ...(validateName ? { validateName } : {}) });
  return [...metadata, ...finalizerFaults(resource, object), ...(behaviour.validate?.(object, old) ?? [])];
}

const finalizerFaults = ({ behaviour }: ServedResource, { metadata }: KubeObject): FieldError[] =>
  behaviour.metadataRules || behaviour.served ? [] : validateFinalizerNames(metadata);

const commonFaults = ({ namespaced }: ServedResource, { metadata }: KubeObject): FieldError[] =>
  validateObjectMeta(metadata, { namespaced, validateName: pathSegmentFaults });
