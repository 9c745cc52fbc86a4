import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';

const BLOCK = /-----BEGIN ([^-\n]+)-----\r?\n[\s\S]*?-----END \1-----/g;

interface Block {
  type: string;
  text: string;
}

function blocks(base64: string | undefined): Block[] {
  const text = Buffer.from(base64 ?? '', 'base64').toString('latin1');
  return [...text.matchAll(BLOCK)].map(([whole, type = '']) => ({ type, text: whole }));
}

/** Why a certificate and a key, in base64, cannot serve TLS together, in the words of Go's crypto/tls (X509KeyPair); at most one reason. */
export function keyPairFaults(data: Readonly<Record<string, string>>): string[] {
  const fault = keyPairFault(blocks(data['tls.crt']), blocks(data['tls.key']));
  return fault === undefined ? [] : [fault];
}

function keyPairFault(certificates: readonly Block[], keys: readonly Block[]): string | undefined {
  const types = (all: readonly Block[]): string => `[${all.map(({ type }) => type).join(' ')}]`;
  const isKey = ({ type }: Block): boolean => type === 'PRIVATE KEY' || type.endsWith(' PRIVATE KEY');
  const certificate = certificates.find(({ type }) => type === 'CERTIFICATE');
  if (!certificate) {
    if (certificates.length === 0) return 'tls: failed to find any PEM data in certificate input';
    if (certificates.length === 1 && certificates[0]!.type.endsWith('PRIVATE KEY'))
      return 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched';
    return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: ${types(certificates)}`;
  }
  const key = keys.find(isKey);
  if (!key) {
    if (keys.length === 0) return 'tls: failed to find any PEM data in key input';
    if (keys.length === 1 && keys[0]!.type === 'CERTIFICATE') return 'tls: found a certificate rather than a key in the PEM for the private key';
    return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: ${types(keys)}`;
  }
  return mismatch(certificate, key);
}

function mismatch(certificate: Block, key: Block): string | undefined {
  const parsed = attempt(() => new X509Certificate(certificate.text));
  if (!parsed) return 'x509: malformed certificate';
  const privateKey = attempt<KeyObject>(() => createPrivateKey(key.text));
  if (!privateKey) return 'tls: failed to parse private key';
  if (parsed.publicKey.asymmetricKeyType !== privateKey.asymmetricKeyType) return 'tls: private key type does not match public key type';
  return parsed.checkPrivateKey(privateKey) ? undefined : 'tls: private key does not match public key';
}

function attempt<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    // What cannot be read is told by the caller, in other words than OpenSSL's.
    return undefined;
  }
}
