import { at, type FieldError, forbidden, invalid, required, tooLong } from '../field-error.ts';
import type { ObjectMeta, OwnerReference } from '../generated/types/meta.v1.ts';
import { validateLabels } from '../label-validation.ts';
import { byteLength, dns1123LabelFaults, dns1123SubdomainFaults, qualifiedNameFaults } from '../names.ts';

/** The most that all keys and values of annotations may take together, in bytes. */
const ANNOTATIONS_LIMIT = 256 * 1024;
const STANDARD_FINALIZERS = ['kubernetes', 'orphan', 'foregroundDeletion'];

/** Says what is wrong with a name; `prefix`: it is a generateName, which may end in a dash. */
export type NameCheck = (name: string, options: { prefix: boolean }) => string[];

export interface ObjectMetaOptions {
  namespaced: boolean;
  /** Default: a DNS subdomain. */
  validateName?: NameCheck;
}

/** A generateName without the dash that it usually ends in. */
export function withoutTrailingDash(name: string): string {
  return name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name;
}

/** A check of names that takes the trailing dash of a generateName into account. */
export function nameCheck(faults: (name: string) => string[]): NameCheck {
  return (name, { prefix }) => faults(prefix ? withoutTrailingDash(name) : name);
}

/** What may not stand in one segment of a URL's path (upstream: apimachinery/pkg/api/validation/path). */
export function pathSegmentFaults(name: string): string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%'].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`);
}

const subdomain = nameCheck(dns1123SubdomainFaults);

/** Everything wrong with the metadata of a new object (upstream: apimachinery/pkg/api/validation.ValidateObjectMeta). */
export function validateObjectMeta(metadata: ObjectMeta, { namespaced, validateName = subdomain }: ObjectMetaOptions, field = 'metadata'): FieldError[] {
  const errors: FieldError[] = [];
  const { generateName, name, namespace } = metadata;
  if (generateName) for (const fault of validateName(generateName, { prefix: true })) errors.push(invalid(`${field}.generateName`, generateName, fault));
  if (!name) errors.push(required(`${field}.name`, 'name or generateName is required'));
  else for (const fault of validateName(name, { prefix: false })) errors.push(invalid(`${field}.name`, name, fault));
  if (namespaced) {
    if (!namespace) errors.push(required(`${field}.namespace`));
    else for (const fault of dns1123LabelFaults(namespace)) errors.push(invalid(`${field}.namespace`, namespace, fault));
  } else if (namespace) errors.push(forbidden(`${field}.namespace`, 'not allowed on this type'));
  if ((metadata.generation ?? 0) < 0) errors.push(invalid(`${field}.generation`, metadata.generation, 'must be greater than or equal to 0'));
  return [...errors, ...validateMaps(metadata, field), ...validateOwners(metadata, field), ...validateFinalizers(metadata, field)];
}

/** Everything wrong with the metadata of an update (upstream: ValidateObjectMetaUpdate). */
export function validateObjectMetaUpdate(metadata: ObjectMeta, old: ObjectMeta, field = 'metadata'): FieldError[] {
  const errors: FieldError[] = [];
  if (old.deletionTimestamp) {
    const added = (metadata.finalizers ?? []).filter((finalizer) => !old.finalizers?.includes(finalizer)).sort();
    if (added.length) {
      const list = `[]string{${added.map((finalizer) => JSON.stringify(finalizer)).join(', ')}}`;
      errors.push(forbidden(`${field}.finalizers`, `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`));
    }
  }
  if (!metadata.resourceVersion) errors.push(invalid(`${field}.resourceVersion`, '', 'must be specified for an update'));
  if ((metadata.generation ?? 0) < (old.generation ?? 0)) errors.push(invalid(`${field}.generation`, metadata.generation ?? 0, 'must not be decremented'));
  for (const key of ['name', 'namespace', 'uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const) {
    if ((metadata[key] ?? undefined) !== (old[key] ?? undefined)) errors.push(invalid(`${field}.${key}`, metadata[key], 'field is immutable'));
  }
  return [...errors, ...validateMaps(metadata, field), ...validateOwners(metadata, field)];
}

function validateMaps({ labels, annotations }: ObjectMeta, field: string): FieldError[] {
  return [...validateLabels(labels, `${field}.labels`), ...validateAnnotations(annotations, `${field}.annotations`)];
}

/** Upstream: apimachinery/pkg/api/validation.ValidateAnnotations. */
export function validateAnnotations(annotations: Readonly<Record<string, string>> | undefined, field: string): FieldError[] {
  const errors: FieldError[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(annotations ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))) {
    for (const fault of qualifiedNameFaults(key.toLowerCase())) errors.push(invalid(field, key, fault));
    size += byteLength(key) + byteLength(value);
  }
  if (size > ANNOTATIONS_LIMIT) errors.push(tooLong(field, ANNOTATIONS_LIMIT));
  return errors;
}

function validateOwners({ ownerReferences }: ObjectMeta, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const path = `${field}.ownerReferences`;
  const name = (owner: OwnerReference): string => `${owner.kind}/${owner.name}`;
  let controller: OwnerReference | undefined;
  for (const owner of ownerReferences ?? []) {
    errors.push(...validateOwner(owner, path));
    if (!owner.controller) continue;
    if (controller) {
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${name(controller)} and ${name(owner)}`;
      errors.push(invalid(path, ownerReferences, detail));
    } else controller = owner;
  }
  return errors;
}

function validateOwner(owner: OwnerReference, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!owner.apiVersion?.split('/').at(-1)) errors.push(invalid(`${field}.apiVersion`, owner.apiVersion ?? '', 'version must not be empty'));
  if (!owner.kind) errors.push(invalid(`${field}.kind`, '', 'must not be empty'));
  if (!owner.name) errors.push(invalid(`${field}.name`, '', 'must not be empty'));
  if (!owner.uid) errors.push(invalid(`${field}.uid`, '', 'must not be empty'));
  if (owner.kind === 'Event' && owner.apiVersion === 'v1') errors.push(invalid(field, owner, '/v1, Kind=Event is disallowed from being an owner'));
  return errors;
}

function validateFinalizers({ finalizers = [] }: ObjectMeta, field: string): FieldError[] {
  const path = `${field}.finalizers`;
  const errors = finalizers.flatMap((finalizer) => qualifiedNameFaults(finalizer).map((fault) => invalid(path, finalizer, fault)));
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion'))
    errors.push(invalid(path, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'));
  return errors;
}

/** Finalizers of Kubernetes' own kinds are standard ones, or qualified (upstream: pkg/apis/core/validation.validateKubeFinalizerName). */
export function validateFinalizerNames({ finalizers = [] }: ObjectMeta, field = 'metadata'): FieldError[] {
  return finalizers.flatMap((finalizer, index) =>
    finalizer.includes('/') || STANDARD_FINALIZERS.includes(finalizer)
      ? []
      : [invalid(at(`${field}.finalizers`, index), finalizer, 'name is neither a standard finalizer name nor is it fully qualified')],
  );
}
