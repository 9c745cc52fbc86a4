import type { CertificateSigningRequest } from '../../api/generated/types/certificates.v1.ts';
import { keyOf } from '../../api/object.ts';
import { CertificateSigningRequests } from '../../api/resources.ts';
import type { InformerFactory } from '../../client/informer.ts';
import type { Issuing } from '../issuing.ts';
import { byKey, type Controller, watchRule } from '../runtime/controller.ts';
import { NOTHING_TO_DO, type Plan } from '../runtime/plan.ts';
import { conditionOf } from './request.ts';

const SIGNERS = new Set(['kube-apiserver-client', 'kube-apiserver-client-kubelet', 'kubelet-serving', 'legacy-unknown'].map((name) => `kubernetes.io/${name}`));

export interface SignerSnapshot {
  request: CertificateSigningRequest;
  /** PEM, or why the signer does not sign; undefined: nothing is to be signed. */
  outcome?: Outcome;
}

type Outcome = { certificate: string } | { refusal: string };

/** Signs what has been approved, for the signers of Kubernetes' own (upstream: pkg/controller/certificates/signer). */
export function certificateSigner(informers: InformerFactory, issuing: Issuing): Controller<SignerSnapshot> {
  const requests = informers.lister(CertificateSigningRequests);
  return {
    name: 'certificatesigningrequest-signing-controller',
    watches: [watchRule(CertificateSigningRequests, ({ type, object }) => (type === 'deleted' ? [] : [keyOf(object)]))],
    async observe(key) {
      const request = byKey(requests, key);
      if (!request) return undefined;
      if (!isWaiting(request)) return { request };
      return { request, outcome: await issuing.certificate(request).then(certificateOf, refusalOf) };
    },
    plan: planSigning,
  };
}

const certificateOf = (certificate: string): Outcome => ({ certificate });
const refusalOf = (error: Error): Outcome => ({ refusal: error.message });

function isWaiting(request: CertificateSigningRequest): boolean {
  const isDecided = conditionOf(request, 'Approved') !== undefined && !conditionOf(request, 'Denied') && !conditionOf(request, 'Failed');
  return isDecided && !request.status?.certificate && SIGNERS.has(request.spec.signerName ?? '');
}

export function planSigning({ request, outcome }: SignerSnapshot): Plan {
  if (!outcome) return NOTHING_TO_DO;
  const failed = (message: string) => ({ type: 'Failed', status: 'True', reason: 'SignerValidationFailure', message });
  const status =
    'certificate' in outcome
      ? { ...request.status, certificate: Buffer.from(outcome.certificate).toString('base64') }
      : { ...request.status, conditions: [...(request.status?.conditions ?? []), failed(outcome.refusal)] };
  return { actions: [{ type: 'update', resource: CertificateSigningRequests, object: withStatus(request, status), subresource: 'status' }] };
}

const withStatus = (request: CertificateSigningRequest, status: CertificateSigningRequest['status']): CertificateSigningRequest => ({ ...request, status });
