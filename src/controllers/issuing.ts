import type { CertificateSigningRequest } from '../api/generated/types/certificates.v1.ts';
import type { Secret, ServiceAccount } from '../api/generated/types/core.v1.ts';

/** The keys of a cluster at work, for controllers that hand out what is signed with them. */
export interface Issuing {
  /** A token that lasts as long as the Secret that it stands in. */
  secretToken(account: ServiceAccount, secret: Secret): Promise<string>;
  /**
   * Signs what was requested.
   *
   * @returns the certificate as PEM. @throws Error for what the signer does not sign, in words for the requester.
   */
  certificate(request: CertificateSigningRequest): Promise<string>;
}
