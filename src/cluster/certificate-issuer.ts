import type { CertificateSigningRequest } from '../api/generated/types/certificates.v1.ts';
import { KUBELET_CLIENT_SIGNER, KUBELET_SERVING_SIGNER, nodeRequestFault, parsedRequest } from '../controllers/certificates/request.ts';
import type { Clock } from '../lib/clock.ts';
import { type KeyPair, signRequest } from './certificates.ts';

const YEAR_SECONDS = 365 * 86_400;
const LEAST_SECONDS = 600;
const CLIENT_USAGES = new Set(['client auth', 'digital signature', 'key encipherment']);

/** Signs requests with the cluster's authority, by each signer's rules (upstream: pkg/controller/certificates/signer/signer.go). */
export function certificateIssuer(authority: KeyPair, clock: Clock): (request: CertificateSigningRequest) => Promise<string> {
  return async (request) => {
    const fault = await faultOf(request);
    if (fault) throw new Error(fault);
    const { expirationSeconds = YEAR_SECONDS, usages = [] } = request.spec;
    const seconds = Math.min(Math.max(expirationSeconds, LEAST_SECONDS), YEAR_SECONDS);
    return signRequest(authority, await parsedRequest(request), { usages, nowMs: clock.now(), seconds });
  };
}

async function faultOf(request: CertificateSigningRequest): Promise<string | undefined> {
  const { signerName, usages = [] } = request.spec;
  if (signerName === KUBELET_CLIENT_SIGNER) return nodeRequestFault(request, 'client');
  if (signerName === KUBELET_SERVING_SIGNER) return nodeRequestFault(request, 'serving');
  if (signerName !== 'kubernetes.io/kube-apiserver-client') return undefined;
  const odd = usages.find((usage) => !CLIENT_USAGES.has(usage));
  if (odd !== undefined) return `invalid usage for client certificate: ${odd}`;
  return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth';
}
