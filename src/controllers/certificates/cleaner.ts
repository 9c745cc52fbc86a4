import { X509Certificate } from 'node:crypto';
import type { CertificateSigningRequest } from '../../api/generated/types/certificates.v1.ts';
import { keyOf } from '../../api/object.ts';
import { CertificateSigningRequests } from '../../api/resources.ts';
import type { InformerFactory } from '../../client/informer.ts';
import { parseTime } from '../../lib/clock.ts';
import { byKey, type Controller, watchRule } from '../runtime/controller.ts';
import { NOTHING_TO_DO, type Plan } from '../runtime/plan.ts';
import { conditionOf } from './request.ts';

const HOUR_MS = 3_600_000;
const DECIDED_MS = HOUR_MS;
const PENDING_MS = 24 * HOUR_MS;

export interface CleanerSnapshot {
  request: CertificateSigningRequest;
  now: number;
}

/** Removes requests that nobody needs any more (upstream: pkg/controller/certificates/cleaner). */
export function certificateCleaner(informers: InformerFactory): Controller<CleanerSnapshot> {
  const requests = informers.lister(CertificateSigningRequests);
  return {
    name: 'certificatesigningrequest-cleaner-controller',
    watches: [watchRule(CertificateSigningRequests, ({ type, object }) => (type === 'deleted' ? [] : [keyOf(object)]))],
    observe: async (key, { now }) => {
      const request = byKey(requests, key);
      return request && { request, now };
    },
    plan: planCleaning,
  };
}

export function planCleaning({ request, now }: CleanerSnapshot): Plan {
  const { name = '', uid = '' } = request.metadata;
  const end = endOf(request);
  if (end > now) return { ...NOTHING_TO_DO, requeueAfterMs: end - now };
  return { actions: [{ type: 'delete', resource: CertificateSigningRequests, namespace: '', name, uid }] };
}

/** When the request may go: a while after it was decided, or made; when its certificate has run out, if that is sooner. */
function endOf(request: CertificateSigningRequest): number {
  const decided = ['Approved', 'Denied', 'Failed'].flatMap((type) => conditionOf(request, type)?.lastUpdateTime ?? []);
  const certificate = request.status?.certificate;
  const wait = decided.length
    ? Math.max(...decided.map((time) => parseTime(time))) + DECIDED_MS
    : parseTime(request.metadata.creationTimestamp ?? '') + PENDING_MS;
  return certificate ? Math.min(wait, runsOutAt(certificate)) : wait;
}

function runsOutAt(certificate: string): number {
  try {
    return Date.parse(new X509Certificate(Buffer.from(certificate, 'base64')).validTo);
  } catch {
    // What somebody else has signed need not be read here.
    return Number.POSITIVE_INFINITY;
  }
}
