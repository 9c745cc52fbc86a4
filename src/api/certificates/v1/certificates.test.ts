import { describe, expect, it } from 'vitest';
import type { CertificateSigningRequest } from '../../generated/types/certificates.v1.ts';
import { certificateSigningRequest as kind } from './certificate-signing-request.ts';

/** Made with `openssl req -new` and a key on P-256. */
const REQUEST =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlISU1IQUNBUUF3RGpFTU1Bb0dBMVVFQXd3RGFtOWxNRmt3RXdZSEtvWkl6ajBDQVFZSUtvWkl6ajBEQVFjRApRZ0FFcGVoSGcxcGdKaThSVWdOdG5LMjZYQ0RoaFIrV1YyMEVTZXl0VWc3ZW1RRmZwVFB6K3F4ZHYyajgwUTU2CnkxcHlqVEFUL0VuRnFPaktQRkhVektEME42QUFNQW9HQ0NxR1NNNDlCQU1DQTBnQU1FVUNJUUM2THU3K29CY0YKUHFzY3NibSs4Qkk4eEIrcUlpcUZTS2tQcXJReC9oS0JoZ0lnSjZpSW5WcWlsOU4wSFJGL2hHYVJma0FSSFc5UApCNFh2V2pJSmJCVU5JejA9Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=';

type Overrides = { spec?: Partial<CertificateSigningRequest['spec']>; status?: CertificateSigningRequest['status'] };
const made = ({ spec, status = {} }: Overrides = {}): CertificateSigningRequest => ({
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: { name: 'me' },
  spec: { request: REQUEST, signerName: 'example.com/signer', usages: ['client auth'], ...spec },
  status,
});
const shown = (errors: readonly { field: string; message: string }[] | undefined): string[] =>
  (errors ?? []).map(({ field, message }) => `${field}: ${message}`);
const condition = (type: string, status = 'True'): { type: string; status: string } => ({ type, status });

/** The request with one byte of its signature changed. */
function forged(): string {
  const pem = Buffer.from(REQUEST, 'base64').toString();
  const der = Buffer.from(pem.split('-----')[2]!, 'base64');
  der[der.length - 1]! ^= 1;
  return Buffer.from(`-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`).toString('base64');
}

describe('certificate signing requests', () => {
  it.each<[string, Overrides, string[]]>([
    ['as it should be', {}, []],
    ['no PEM', { spec: { request: 'AAAA' } }, ['spec.request: Invalid value: "AAAA": PEM block type must be CERTIFICATE REQUEST']],
    ['no usages', { spec: { usages: [] } }, ['spec.usages: Required value']],
    ['a usage twice', { spec: { usages: ['any', 'any'] } }, ['spec.usages[1]: Duplicate value: "any"']],
    ['no signer', { spec: { signerName: '' } }, ['spec.signerName: Required value']],
    [
      'a signer without a domain',
      { spec: { signerName: 'a/b' } },
      ['spec.signerName: Invalid value: "a": should be a domain with at least two segments separated by dots'],
    ],
    [
      'too short',
      { spec: { expirationSeconds: 599 } },
      ['spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 600 seconds (10 minutes)'],
    ],
    [
      'approved and denied',
      { status: { conditions: [condition('Approved'), condition('Denied', 'False')] } },
      [
        'status.conditions[1].status: Unsupported value: "False": supported values: "True"',
        'status.conditions[1].type: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive',
      ],
    ],
  ])('%s', (_, overrides, faults) => {
    expect(shown(kind.validate!(made(overrides)))).toEqual(faults);
  });

  it('refuses a signature that does not fit', () => {
    expect(shown(kind.validate!(made({ spec: { request: forged() } })))[0]).toContain('x509: signature does not match');
  });

  it('lets each way change its own part alone', () => {
    const old = made({ status: { conditions: [condition('Failed')] } });
    const approved = made({ status: { conditions: [condition('Failed'), condition('Approved')], certificate: 'AAAA' } });
    const { merge, validateUpdate } = kind.parts!['approval']!;
    const merged = merge({ ...approved, spec: { ...approved.spec, usages: ['any'] } }, old);
    expect(merged).toMatchObject({ spec: { usages: ['client auth'] }, status: { conditions: approved.status.conditions } });
    expect(merged.status.certificate).toBeUndefined();
    expect(shown(validateUpdate(merged, old))).toEqual([]);
    expect(shown(kind.validateStatusUpdate!(merged, old))).toEqual(['status.conditions: Forbidden: updates may not add a condition of type "Approved"']);
    expect(shown(validateUpdate(made(), old))).toEqual(['status.conditions: Forbidden: updates may not remove a condition of type "Failed"']);
  });

  it('shows what was decided', () => {
    expect(kind.row!(made(), 0).at(-1)).toBe('Pending');
    expect(kind.row!(made({ status: { conditions: [condition('Approved'), condition('Failed')], certificate: 'AAAA' } }), 0).at(-1)).toBe(
      'Approved,Failed,Issued',
    );
  });
});
