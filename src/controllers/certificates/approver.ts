import type { CertificateSigningRequest } from '../../api/generated/types/certificates.v1.ts';
import { keyOf } from '../../api/object.ts';
import { CertificateSigningRequests, SubjectAccessReviews } from '../../api/resources.ts';
import type { Client } from '../../client/client.ts';
import type { InformerFactory } from '../../client/informer.ts';
import { byKey, type Controller, watchRule } from '../runtime/controller.ts';
import { NOTHING_TO_DO, type Plan } from '../runtime/plan.ts';
import { conditionOf, isNodeClientRequest, requestedSubject } from './request.ts';

export interface ApproverSnapshot {
  request: CertificateSigningRequest;
  /** For whom a node asks: `selfnodeclient` for itself, `nodeclient` for another; undefined: the approver has no opinion. */
  permission?: 'selfnodeclient' | 'nodeclient';
  /** Whether the requester may ask for that. */
  isAllowed: boolean;
}

const MESSAGES = {
  selfnodeclient: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
  nodeclient: 'Auto approving kubelet client certificate after SubjectAccessReview.',
};

/** Approves the client certificates of kubelets that may ask for them (upstream: pkg/controller/certificates/approver). */
export function certificateApprover(informers: InformerFactory, client: Client): Controller<ApproverSnapshot> {
  const requests = informers.lister(CertificateSigningRequests);

  async function mayAsk({ spec }: CertificateSigningRequest, subresource: string): Promise<boolean> {
    const { username: user = '', groups, uid, extra } = spec;
    const review = await client.resource(SubjectAccessReviews).create({
      metadata: {},
      spec: {
        user,
        ...(uid ? { uid } : {}),
        ...(groups ? { groups } : {}),
        ...(extra ? { extra } : {}),
        resourceAttributes: { group: 'certificates.k8s.io', resource: 'certificatesigningrequests', verb: 'create', subresource, version: '*' },
      },
    });
    return review.status?.allowed ?? false;
  }

  return {
    name: 'certificatesigningrequest-approving-controller',
    watches: [watchRule(CertificateSigningRequests, ({ type, object }) => (type === 'deleted' ? [] : [keyOf(object)]))],
    async observe(key) {
      const request = byKey(requests, key);
      if (!request) return undefined;
      const isOpen = !request.status?.certificate && !conditionOf(request, 'Approved') && !conditionOf(request, 'Denied');
      if (!isOpen || !(await isNodeClientRequest(request))) return { request, isAllowed: false };
      const { commonName } = await requestedSubject(request);
      for (const permission of ['selfnodeclient', 'nodeclient'] as const) {
        if (permission === 'selfnodeclient' && commonName !== request.spec.username) continue;
        if (await mayAsk(request, permission)) return { request, permission, isAllowed: true };
      }
      return { request, isAllowed: false };
    },
    plan: planApproval,
  };
}

export function planApproval({ request, permission, isAllowed }: ApproverSnapshot): Plan {
  if (!permission || !isAllowed) return NOTHING_TO_DO;
  const approved = { type: 'Approved', status: 'True', reason: 'AutoApproved', message: MESSAGES[permission] };
  const object = { ...request, status: { ...request.status, conditions: [...(request.status?.conditions ?? []), approved] } };
  return { actions: [{ type: 'update', resource: CertificateSigningRequests, object, subresource: 'approval' }] };
}
