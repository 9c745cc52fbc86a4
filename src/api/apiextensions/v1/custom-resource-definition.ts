import { at, type FieldError, invalid, required } from '../../field-error.ts';
import type { CustomResourceDefinition } from '../../generated/types/apiextensions.v1.ts';
import { parseGoUrl } from '../../go-url.ts';
import type { KindBehaviour } from '../../kind.ts';
import { nameCheck } from '../../meta/validation.ts';
import { dns1123SubdomainFaults } from '../../names.ts';
import { checkImmutable } from '../../validation.ts';
import { checkNames } from './names-validation.ts';
import { someSchema } from './schema/schema.ts';
import { checkPreserveUnknownFields, checkSpec, type Requirements, requirementsOf, STRICT } from './spec-validation.ts';

const subdomainFaults = nameCheck(dns1123SubdomainFaults);
/** Keeps a definition until its instances are gone. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';
const APPROVAL = 'api-approved.kubernetes.io';
const SEE = 'see https://github.com/kubernetes/enhancements/pull/1111';
/** What may stand as the format of a text (apiextensions-apiserver/pkg/apiserver/validation/formats.go); dashes do not count. */
const FORMATS = new Set(
  'bsonobjectid uri email hostname ipv4 ipv6 cidr mac uuid uuid3 uuid4 uuid5 isbn isbn10 isbn13 creditcard ssn hexcolor rgbcolor byte password date duration datetime k8sshortname k8slongname'.split(
    ' ',
  ),
);

/** Upstream: apiextensions/v1/defaults.go. */
function setDefaults(object: CustomResourceDefinition): void {
  const { spec } = object;
  const { names } = spec;
  if (names) {
    if (!names.singular && names.kind) names.singular = names.kind.toLowerCase();
    if (!names.listKind && names.kind) names.listKind = `${names.kind}List`;
  }
  spec.conversion ??= { strategy: 'None' };
  const service = spec.conversion.webhook?.clientConfig?.service;
  if (service) service.port ??= 443;
}

const storageVersion = ({ spec }: CustomResourceDefinition): string | undefined => spec.versions?.find(({ storage }) => storage)?.name;

/** The version that is stored joins those that were. */
function rememberStorageVersion(object: CustomResourceDefinition, before: readonly string[]): void {
  const version = storageVersion(object);
  if (version === undefined || before.includes(version)) return;
  object.status = { ...emptyStatus(), ...object.status, storedVersions: [...before, version] };
}

const emptyStatus = (): NonNullable<CustomResourceDefinition['status']> =>
  ({ acceptedNames: { kind: '', plural: '' }, conditions: null, storedVersions: null }) as never;

/** Every version in which objects may be stored is still there, the one of now among them. */
function checkStoredVersions({ spec, status }: CustomResourceDefinition): FieldError[] {
  const field = 'status.storedVersions';
  const stored = status?.storedVersions ?? [];
  if (stored.length === 0) return [invalid(field, null, 'must have at least one stored version')];
  const names = (spec.versions ?? []).map(({ name }) => name);
  const gone = (version: string): string =>
    `missing from spec.versions; ${version} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`;
  // A version that comes twice is found only once.
  const left = new Set(stored);
  return [
    ...(spec.versions ?? []).flatMap(({ name, storage }) =>
      left.delete(name) || !storage ? [] : [invalid(field, stored, `must have the storage version ${name}`)],
    ),
    ...stored.flatMap((version, index) => (names.includes(version) ? [] : [invalid(at(field, index), version, gone(version))])),
  ];
}

/** Groups of the Kubernetes community take only what it has approved (upstream: validateAPIApproval). */
function checkApproval({ metadata, spec }: CustomResourceDefinition, old?: CustomResourceDefinition): FieldError[] {
  const { group = '' } = spec;
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(group)) return [];
  const approval = metadata.annotations?.[APPROVAL] ?? '';
  const state = approvalState(approval);
  if (old && state === approvalState(old.metadata.annotations?.[APPROVAL] ?? '')) return [];
  const field = at('metadata.annotations', APPROVAL);
  if (state === 'missing') return [required(field, `protected groups must have approval annotation "${APPROVAL}", ${SEE}`)];
  if (state !== 'invalid') return [];
  const words = `protected groups must have approval annotation "${APPROVAL}" with either a URL or a reason starting with "unapproved", ${SEE}`;
  return [invalid(field, approval, words)];
}

function approvalState(approval: string): 'missing' | 'bypassed' | 'approved' | 'invalid' {
  if (!approval) return 'missing';
  if (approval.startsWith('unapproved')) return 'bypassed';
  const url = parseGoUrl(approval);
  return typeof url !== 'string' && url.host && url.scheme ? 'approved' : 'invalid';
}

const isEstablished = ({ status }: CustomResourceDefinition): boolean =>
  (status?.conditions ?? []).some(({ type, status: is }) => type === 'Established' && is === 'True');

function checkAll(object: CustomResourceDefinition, requirements: Requirements, change: readonly FieldError[] = []): FieldError[] {
  return [
    ...checkSpec(object.spec, requirements),
    ...change,
    ...checkNames(object.status?.acceptedNames ?? ({} as never), 'status.acceptedNames'),
    ...checkStoredVersions(object),
  ];
}

/** The name is that of the resource. */
function nameFaults(name: string, { prefix, object: { spec } }: { prefix: boolean; object: CustomResourceDefinition }): string[] {
  const isRight = name === `${spec.names?.plural ?? ''}.${spec.group ?? ''}`;
  return [...subdomainFaults(name, { prefix }), ...(isRight ? [] : ['must be spec.names.plural+"."+spec.group'])];
}

/** Upstream: apiextensions-apiserver/pkg/apis/apiextensions/validation, ValidateCustomResourceDefinition. */
function validate(object: CustomResourceDefinition): FieldError[] {
  return [...checkAll(object, STRICT), ...checkApproval(object), ...checkPreserveUnknownFields(object.spec)];
}

/** Upstream: ValidateCustomResourceDefinitionUpdate: what is stored keeps its place, once it is served. */
function validateUpdate(object: CustomResourceDefinition, old: CustomResourceDefinition): FieldError[] {
  const { spec } = object;
  const kept = isEstablished(old)
    ? [...checkImmutable(spec.scope, old.spec.scope, 'spec.scope'), ...checkImmutable(spec.names?.kind, old.spec.names.kind, 'spec.names.kind')]
    : [];
  const change = [
    ...kept,
    ...checkImmutable(spec.group, old.spec.group, 'spec.group'),
    ...checkImmutable(spec.names?.plural, old.spec.names.plural, 'spec.names.plural'),
  ];
  return [
    ...checkAll(object, requirementsOf(old.spec), change),
    ...checkApproval(object, old),
    ...(old.spec.preserveUnknownFields ? [] : checkPreserveUnknownFields(spec)),
  ];
}

function markedForDeletion(object: CustomResourceDefinition): CustomResourceDefinition {
  const finalizers = object.metadata.finalizers ?? [];
  const pending = {
    type: 'Terminating',
    status: 'True',
    lastTransitionTime: object.metadata.deletionTimestamp!,
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  };
  return {
    ...object,
    metadata: { ...object.metadata, finalizers: finalizers.includes(CLEANUP_FINALIZER) ? finalizers : [...finalizers, CLEANUP_FINALIZER] },
    status: { ...emptyStatus(), ...object.status, conditions: [...(object.status?.conditions ?? []), pending] },
  };
}

/** Formats of texts that nothing checks. */
function unknownFormats({ spec }: CustomResourceDefinition): string[] {
  const found: string[] = [];
  for (const { schema } of spec.versions ?? [])
    someSchema(schema?.openAPIV3Schema, ({ type, format }) => {
      if (type === 'string' && format && !FORMATS.has(format.replaceAll('-', ''))) found.push(format);
      return false;
    });
  return found;
}

/** Upstream: apiextensions-apiserver/pkg/registry/customresourcedefinition/strategy.go. */
export const customResourceDefinition: KindBehaviour<CustomResourceDefinition> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  hasGeneration: true,
  allowUnconditionalUpdate: false,
  metadataRules: 'general',
  storagePrefix: 'apiextensions.k8s.io/customresourcedefinitions',
  validateName: nameFaults,
  // The first deletion marks it; its instances go before it does (registry/customresourcedefinition/etcd.go).
  isHeld: ({ metadata }) => metadata.deletionTimestamp === undefined,
  markedForDeletion,
  setDefaults,
  prepareForCreate: (object) => {
    object.status = emptyStatus();
    rememberStorageVersion(object, []);
  },
  prepareForUpdate: (object, old) => rememberStorageVersion(object, old.status?.storedVersions ?? []),
  validate,
  validateUpdate,
  validateStatusUpdate: ({ status }) => checkNames(status?.acceptedNames ?? ({} as never), 'status.acceptedNames'),
  warnings: (object, old) => {
    const known = new Set(old ? unknownFormats(old) : []);
    return unknownFormats(object)
      .filter((format) => !known.has(format))
      .map((format) => `unrecognized format "${format}"`);
  },
};
