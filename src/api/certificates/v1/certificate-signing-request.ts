import { age, humanDuration } from '../../duration.ts';
import { deepEqual } from '../../equality.ts';
import { at, duplicate, type FieldError, forbidden, invalid, notSupported, required, tooLong } from '../../field-error.ts';
import type { CertificateSigningRequest, CertificateSigningRequestCondition } from '../../generated/types/certificates.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { dns1123LabelFaults, dns1123SubdomainFaults } from '../../names.ts';
import { certificateFault, requestFault } from './pkcs10.ts';

/** Sorted, as upstream lists them. */
const USAGES = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];
const LEGACY_SIGNER = 'kubernetes.io/legacy-unknown';
const LEAST_SECONDS = 600;
const MAX_DOMAIN = 253;
const MAX_SIGNER_NAME = MAX_DOMAIN + 1 + (253 + 63 + 1);
/** Conditions that are there or not, but never false. */
const TRUE_ONLY = ['Approved', 'Denied', 'Failed'];
/** Conditions that only /approval may touch. */
const OF_APPROVAL = ['Approved', 'Denied'];

/** `example.com/signer` (upstream: pkg/apis/core/validation, ValidateSignerName). */
function checkSignerName(name: string | undefined, field: string): FieldError[] {
  if (!name) return [required(field)];
  const [domain = '', path = '', ...more] = name.split('/');
  if (!name.includes('/') || more.length > 0) return [invalid(field, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'")];
  const labels = domain.split('.');
  const faultsOf = (part: string, label: string, faults: readonly string[]): FieldError[] =>
    faults.map((fault) => invalid(field, part, `validating label ${JSON.stringify(label)}: ${fault}`));
  return [
    ...(domain.length > MAX_DOMAIN ? [tooLong(field, MAX_DOMAIN)] : []),
    ...labels.flatMap((label) => faultsOf(domain, label, dns1123LabelFaults(label))),
    ...(labels.length < 2 ? [invalid(field, domain, 'should be a domain with at least two segments separated by dots')] : []),
    ...path.split('.').flatMap((label) => faultsOf(path, label, dns1123SubdomainFaults(label))),
    ...(name.length > MAX_SIGNER_NAME ? [tooLong(field, MAX_SIGNER_NAME)] : []),
  ];
}

const conditionsOf = ({ status }: CertificateSigningRequest, type?: string): CertificateSigningRequestCondition[] =>
  (status?.conditions ?? []).filter((condition) => type === undefined || condition.type === type);

function checkConditions(object: CertificateSigningRequest, old: CertificateSigningRequest | undefined): FieldError[] {
  const errors: FieldError[] = [];
  const bothWereThere = old !== undefined && OF_APPROVAL.every((type) => conditionsOf(old, type).length > 0);
  const seen = new Set<string>();
  for (const [index, { type = '', status }] of conditionsOf(object).entries()) {
    const field = at('status.conditions', index);
    const allowed = TRUE_ONLY.includes(type) ? ['True'] : ['False', 'True', 'Unknown'];
    if (!type) errors.push(required(`${field}.type`));
    if (!status) errors.push(required(`${field}.status`));
    else if (!allowed.includes(status)) errors.push(notSupported(`${field}.status`, status, allowed));
    const opposite = type === 'Approved' ? 'Denied' : type === 'Denied' ? 'Approved' : undefined;
    if (opposite && seen.has(opposite) && !bothWereThere) errors.push(invalid(`${field}.type`, type, 'Approved and Denied conditions are mutually exclusive'));
    if (seen.has(type)) errors.push(duplicate(`${field}.type`, type));
    seen.add(type);
  }
  return errors;
}

/** Upstream: pkg/apis/certificates/validation, validateCertificateSigningRequest. */
function validate(object: CertificateSigningRequest, old?: CertificateSigningRequest): FieldError[] {
  const { request = '', usages = [], signerName, expirationSeconds } = object.spec ?? {};
  const fault = requestFault(request);
  const certificate = object.status?.certificate;
  const badCertificate = certificate && certificate !== old?.status?.certificate ? certificateFault(certificate) : undefined;
  return [
    ...(fault ? [invalid('spec.request', request, fault)] : []),
    ...(usages.length === 0 ? [required('spec.usages')] : []),
    ...usages.flatMap((usage, i) => (USAGES.includes(usage) ? [] : [notSupported(at('spec.usages', i), usage, USAGES)])),
    ...usages.flatMap((usage, i) => (usages.indexOf(usage) === i ? [] : [duplicate(at('spec.usages', i), usage)])),
    ...(signerName === LEGACY_SIGNER
      ? [invalid('spec.signerName', signerName, 'the legacy signerName is not allowed via this API version')]
      : checkSignerName(signerName, 'spec.signerName')),
    ...(expirationSeconds !== undefined && expirationSeconds < LEAST_SECONDS
      ? [invalid('spec.expirationSeconds', expirationSeconds, 'may not specify a duration less than 600 seconds (10 minutes)')]
      : []),
    ...checkConditions(object, old),
    ...(badCertificate ? [invalid('status.certificate', '<certificate data>', badCertificate)] : []),
  ];
}

/** Upstream: validateCertificateSigningRequestUpdate; what may be set depends on the way by which the change came. */
function validateChange(object: CertificateSigningRequest, old: CertificateSigningRequest, way: 'main' | 'status' | 'approval'): FieldError[] {
  const errors = validate(object, old);
  const wrong = (words: string): number => errors.push(forbidden('status.conditions', words));
  const counts = (type: string): [number, number] => [conditionsOf(object, type).length, conditionsOf(old, type).length];
  for (const type of TRUE_ONLY) {
    const [now, before] = counts(type);
    if (now < before) wrong(`updates may not remove a condition of type ${JSON.stringify(type)}`);
  }
  for (const type of way === 'approval' ? [] : OF_APPROVAL) {
    const [now, before] = counts(type);
    if (now > before) wrong(`updates may not add a condition of type ${JSON.stringify(type)}`);
    else if (now === before && !deepEqual(conditionsOf(object, type), conditionsOf(old, type)))
      wrong(`updates may not modify a condition of type ${JSON.stringify(type)}`);
  }
  const before = old.status?.certificate ?? '';
  if ((object.status?.certificate ?? '') !== before) {
    if (way !== 'status') errors.push(forbidden('status.certificate', 'updates may not set certificate content'));
    else if (before) errors.push(forbidden('status.certificate', 'updates may not modify existing certificate content'));
  }
  return errors;
}

/** Old Approved and Denied conditions stay as they were, as long as there are as many of them as before (upstream: preserveConditionInstances). */
function preserveApproval(object: CertificateSigningRequest, old: CertificateSigningRequest): void {
  for (const type of OF_APPROVAL) {
    const kept = conditionsOf(old, type);
    if (kept.length !== conditionsOf(object, type).length) continue;
    object.status = { ...object.status, conditions: conditionsOf(object).map((condition) => (condition.type === type ? kept.shift()! : condition)) };
  }
}

/** Upstream: extractCSRStatus. */
function stateOf(object: CertificateSigningRequest): string {
  const has = (type: string): boolean => conditionsOf(object, type).length > 0;
  const decision = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
  return `${decision}${has('Failed') ? ',Failed' : ''}${object.status?.certificate ? ',Issued' : ''}`;
}

/**
 * Upstream: pkg/registry/certificates/certificates/strategy.go. Who asks and when conditions changed is filled in by
 * apiserver/admission/certificates.ts, which knows the user and the time.
 */
export const certificateSigningRequest: KindBehaviour<CertificateSigningRequest> = {
  group: 'certificates.k8s.io',
  version: 'v1',
  kind: 'CertificateSigningRequest',
  prepareForCreate: (object) => {
    object.status = {};
  },
  prepareForUpdate: (object, old) => {
    object.spec = old.spec;
  },
  prepareForStatusUpdate: preserveApproval,
  validateName: () => [],
  validate: (object) => validate(object),
  validateUpdate: (object, old) => validateChange(object, old, 'main'),
  validateStatusUpdate: (object, old) => validateChange(object, old, 'status'),
  parts: {
    approval: {
      merge: (submitted, old) => {
        const { conditions: _, ...status } = old.status ?? {};
        const conditions = submitted.status?.conditions;
        return { ...submitted, spec: old.spec, status: { ...status, ...(conditions ? { conditions } : {}) } };
      },
      validateUpdate: (object, old) => validateChange(object, old, 'approval'),
    },
  },
  row: (object, nowMs) => {
    const { metadata, spec } = object;
    return [
      metadata.name ?? '',
      age(metadata.creationTimestamp, nowMs),
      spec.signerName || '<none>',
      spec.username ?? '',
      spec.expirationSeconds === undefined ? '<none>' : humanDuration(spec.expirationSeconds * 1000),
      stateOf(object),
    ];
  },
  selectableFields: { 'spec.signerName': ({ spec }) => spec.signerName ?? '' },
};
