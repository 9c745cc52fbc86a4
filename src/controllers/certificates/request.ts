import type { CertificateSigningRequest, CertificateSigningRequestCondition } from '../../api/generated/types/certificates.v1.ts';

export const KUBELET_CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet';
export const KUBELET_SERVING_SIGNER = 'kubernetes.io/kubelet-serving';
const NODES_GROUP = 'system:nodes';
const NODE_PREFIX = 'system:node:';
const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17';

/** Whom a certificate is asked for. */
export interface RequestedSubject {
  commonName: string;
  organizations: string[];
  /** Names of hosts, addresses and the like. */
  alternatives: { type: string; value: string }[];
}

export function conditionOf({ status }: CertificateSigningRequest, type: string): CertificateSigningRequestCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type && (condition.status ?? 'True') === 'True');
}

export async function parsedRequest({ spec }: CertificateSigningRequest): Promise<import('@peculiar/x509').Pkcs10CertificateRequest> {
  await import('reflect-metadata');
  const { Pkcs10CertificateRequest } = await import('@peculiar/x509');
  return new Pkcs10CertificateRequest(Buffer.from(spec.request ?? '', 'base64').toString());
}

export async function requestedSubject(request: CertificateSigningRequest): Promise<RequestedSubject> {
  const parsed = await parsedRequest(request);
  const alternative = parsed.extensions.find(({ type }) => type === SUBJECT_ALTERNATIVE_NAME) as
    | import('@peculiar/x509').SubjectAlternativeNameExtension
    | undefined;
  return {
    commonName: parsed.subjectName.getField('CN')[0] ?? '',
    organizations: parsed.subjectName.getField('O'),
    alternatives: alternative?.names.items.map(({ type, value }) => ({ type, value })) ?? [],
  };
}

export async function isNodeClientRequest(request: CertificateSigningRequest): Promise<boolean> {
  return request.spec.signerName === KUBELET_CLIENT_SIGNER && (await nodeRequestFault(request, 'client')) === undefined;
}

/** What keeps a request from being one for a node's certificate (upstream: pkg/apis/certificates: ValidateKubeletClientCSR, ValidateKubeletServingCSR). */
export async function nodeRequestFault(request: CertificateSigningRequest, purpose: 'client' | 'serving'): Promise<string | undefined> {
  const { commonName, organizations, alternatives } = await requestedSubject(request);
  if (organizations.length !== 1 || organizations[0] !== NODES_GROUP) return `subject organization is not ${NODES_GROUP}`;
  if (!commonName.startsWith(NODE_PREFIX)) return `subject common name does not begin with ${NODE_PREFIX}`;
  const hasHosts = alternatives.some(({ type }) => type === 'dns' || type === 'ip');
  if (purpose === 'serving' && !hasHosts) return 'DNS or IP subjectAltName is required';
  if (alternatives.some(({ type }) => type === 'email')) return 'Email subjectAltNames are not allowed';
  if (alternatives.some(({ type }) => type === 'url')) return 'URI subjectAltNames are not allowed';
  if (purpose === 'client' && hasHosts) return 'DNS or IP subjectAltNames are not allowed';
  const wanted = ['digital signature', purpose === 'client' ? 'client auth' : 'server auth'];
  const given = new Set<string>(request.spec.usages ?? []);
  given.delete('key encipherment');
  const isExact = given.size === wanted.length && wanted.every((usage) => given.has(usage));
  return isExact ? undefined : `usages did not match ${JSON.stringify(['key encipherment', ...wanted])}`;
}
