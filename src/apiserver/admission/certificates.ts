import type { CertificateSigningRequest } from '../../api/generated/types/certificates.v1.ts';
import { timestamp } from '../../lib/clock.ts';
import type { AdmissionPlugin } from './admission.ts';

/**
 * What the server alone says of a certificate signing request: who asked, and when its conditions changed
 * (upstream: pkg/registry/certificates/certificates/strategy.go, which has the user and the time at hand).
 */
export const certificates: AdmissionPlugin = {
  name: 'Certificates',

  admit({ operation, resource, subresource, object, old, user }, context) {
    if (resource.facts.kind !== 'CertificateSigningRequest') return object;
    const request = object as CertificateSigningRequest;
    if (operation === 'CREATE') {
      const { uid: _uid, extra: _extra, ...spec } = request.spec;
      request.spec = { ...spec, username: user.name, groups: [...user.groups] };
    } else if (operation === 'UPDATE' && subresource && request.status?.conditions) {
      const now = timestamp(context.clock.now());
      const before = (old as CertificateSigningRequest).status?.conditions ?? [];
      const conditions = request.status.conditions.map((condition) => {
        const same = before.find(({ type, status, lastTransitionTime }) => type === condition.type && status === condition.status && lastTransitionTime);
        return {
          ...condition,
          lastUpdateTime: condition.lastUpdateTime ?? now,
          lastTransitionTime: condition.lastTransitionTime ?? same?.lastTransitionTime ?? now,
        };
      });
      request.status = { ...request.status, conditions };
    }
    return request;
  },
};
