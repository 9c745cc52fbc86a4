import { createPublicKey, verify } from 'node:crypto';

const SEQUENCE = 0x30;
const BIT_STRING = 0x03;
const OBJECT_ID = 0x06;

/** How the signature of each algorithm is checked, by the algorithm's object id in hex; null: the key says it itself. */
const DIGESTS: Readonly<Record<string, string | null>> = {
  '2a864886f70d010105': 'sha1',
  '2a864886f70d01010b': 'sha256',
  '2a864886f70d01010c': 'sha384',
  '2a864886f70d01010d': 'sha512',
  '2a8648ce3d0401': 'sha1',
  '2a8648ce3d040302': 'sha256',
  '2a8648ce3d040303': 'sha384',
  '2a8648ce3d040304': 'sha512',
  '2b6570': null,
};

interface Element {
  tag: number;
  /** With tag and length. */
  whole: Buffer;
  content: Buffer;
}

/** The DER elements that stand one after the other in `bytes`. */
function elements(bytes: Buffer): Element[] {
  const found: Element[] = [];
  for (let start = 0; start < bytes.length; ) {
    if (start + 2 > bytes.length) throw new RangeError('asn1: syntax error: data truncated');
    let length = bytes[start + 1]!;
    let from = start + 2;
    if (length >= 0x80) {
      const digits = length & 0x7f;
      if (digits === 0 || digits > 4 || from + digits > bytes.length) throw new RangeError('asn1: syntax error: data truncated');
      length = bytes.readUIntBE(from, digits);
      from += digits;
    }
    if (from + length > bytes.length) throw new RangeError('asn1: syntax error: data truncated');
    found.push({ tag: bytes[start]!, whole: bytes.subarray(start, from + length), content: bytes.subarray(from, from + length) });
    start = from + length;
  }
  return found;
}

function only(bytes: Buffer, tags: readonly number[]): Element[] {
  const found = elements(bytes);
  if (tags.some((tag, index) => found[index]?.tag !== tag)) throw new RangeError("asn1: structure error: tags don't match");
  return found;
}

/** What is wrong with a certificate signing request in PEM, base64 around it; its signature counts (upstream: validateCSR). */
export function requestFault(base64: string): string | undefined {
  const pem = Buffer.from(base64, 'base64').toString('latin1');
  const block = /-----BEGIN ([^-]*)-----\r?\n([\s\S]*?)-----END \1-----/.exec(pem);
  if (block?.[1] !== 'CERTIFICATE REQUEST') return 'PEM block type must be CERTIFICATE REQUEST';
  try {
    const outer = only(Buffer.from(block[2]!, 'base64'), [SEQUENCE]);
    if (outer.length > 1) return 'asn1: syntax error: trailing data';
    const [info, algorithm, signature] = only(outer[0]!.content, [SEQUENCE, SEQUENCE, BIT_STRING]);
    const digest = DIGESTS[only(algorithm!.content, [OBJECT_ID])[0]!.content.toString('hex')];
    const keyInfo = elements(info!.content)[2];
    if (!keyInfo || digest === undefined) return 'x509: cannot verify signature: algorithm unimplemented';
    const key = createPublicKey({ key: keyInfo.whole, format: 'der', type: 'spki' });
    const isSigned = verify(digest, info!.whole, key, signature!.content.subarray(1));
    return isSigned ? undefined : 'x509: signature does not match the public key of the request';
  } catch (error) {
    return (error as Error).message;
  }
}

/** What is wrong with issued certificates in PEM, base64 around them (upstream: validateCertificate). */
export function certificateFault(base64: string): string | undefined {
  const pem = Buffer.from(base64, 'base64').toString('latin1');
  const blocks = [...pem.matchAll(/-----BEGIN ([^-]*)-----\r?\n([\s\S]*?)-----END \1-----/g)];
  for (const [, type = '', body = ''] of blocks) {
    if (type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`;
    if (body.includes(':')) return 'no PEM block headers are permitted';
    try {
      only(Buffer.from(body, 'base64'), [SEQUENCE]);
    } catch (error) {
      return (error as Error).message;
    }
  }
  return blocks.length === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined;
}
