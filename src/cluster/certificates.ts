import { webcrypto, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MASTERS_GROUP } from '../apiserver/chain/authorization.ts';
import { makeSigningKey } from '../apiserver/tokens/service-account-tokens.ts';

/** PEM texts of everything that TLS needs. */
export interface Certificates {
  ca: string;
  server: KeyPair;
  admin: KeyPair;
  /** Signs the tokens of ServiceAccounts. */
  serviceAccountKey: string;
}

export interface KeyPair {
  cert: string;
  key: string;
}

const DAY_MS = 86_400_000;
const CA_DAYS = 3650;
const LEAF_DAYS = 365;
/** Clients whose clocks are a little behind still take a new certificate. */
const BACKDATE_MS = 5 * 60_000;
const KEY = { name: 'ECDSA', namedCurve: 'P-256' };
const SIGNING = { name: 'ECDSA', hash: 'SHA-256' };
const SERVER_NAMES = ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local'];
const SERVER_ADDRESSES = ['127.0.0.1', '::1', '10.96.0.1'];

type X509 = typeof import('@peculiar/x509');
interface Authority {
  cert: InstanceType<X509['X509Certificate']>;
  keys: webcrypto.CryptoKeyPair;
}

/** The certificates kept in a directory, or new ones, which are then kept there. */
export async function certificatesIn(directory: string, nowMs: number): Promise<Certificates> {
  const file = (name: string): string => join(directory, name);
  const names = {
    ca: 'ca.crt',
    serverCert: 'apiserver.crt',
    serverKey: 'apiserver.key',
    adminCert: 'admin.crt',
    adminKey: 'admin.key',
    serviceAccountKey: 'sa.key',
  };
  if (Object.values(names).every((name) => existsSync(file(name)))) {
    const text = (name: string): string => readFileSync(file(name), 'utf8');
    const kept = {
      ca: text(names.ca),
      server: { cert: text(names.serverCert), key: text(names.serverKey) },
      admin: { cert: text(names.adminCert), key: text(names.adminKey) },
      serviceAccountKey: text(names.serviceAccountKey),
    };
    if (Date.parse(new X509Certificate(kept.server.cert).validTo) > nowMs + 30 * DAY_MS) return kept;
  }
  const made = await makeCertificates(nowMs);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const keep = (name: string, text: string): void => writeFileSync(file(name), text, { mode: 0o600 });
  keep(names.ca, made.ca);
  keep(names.serverCert, made.server.cert);
  keep(names.serverKey, made.server.key);
  keep(names.adminCert, made.admin.cert);
  keep(names.adminKey, made.admin.key);
  keep(names.serviceAccountKey, made.serviceAccountKey);
  return made;
}

/** A new certificate authority, whose key is forgotten at once, with a certificate for the server and one for the administrator. */
export async function makeCertificates(nowMs: number): Promise<Certificates> {
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  const keys = await webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify']);
  const cert = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=kubernetes',
    keys,
    ...validity(nowMs, CA_DAYS),
    serialNumber: serial(),
    signingAlgorithm: SIGNING,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const authority = { cert, keys };
  const server = issue(x509, authority, 'CN=kube-apiserver', nowMs, x509.ExtendedKeyUsage.serverAuth, [
    ...SERVER_NAMES.map((value) => ({ type: 'dns' as const, value })),
    ...SERVER_ADDRESSES.map((value) => ({ type: 'ip' as const, value })),
  ]);
  const admin = issue(x509, authority, `O=${MASTERS_GROUP}, CN=kubernetes-admin`, nowMs, x509.ExtendedKeyUsage.clientAuth, []);
  return { ca: cert.toString('pem'), server: await server, admin: await admin, serviceAccountKey: makeSigningKey() };
}

/** A certificate of nobody's authority, for a server whose clients do not look at it. */
export async function makeServingCertificate(nowMs: number, { name, addresses }: { name: string; addresses: readonly string[] }): Promise<KeyPair> {
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  const keys = await webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify']);
  const cert = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}-ca`,
    keys,
    ...validity(nowMs, LEAF_DAYS),
    serialNumber: serial(),
    signingAlgorithm: SIGNING,
  });
  const names = [{ type: 'dns' as const, value: name }, ...addresses.map((value) => ({ type: 'ip' as const, value }))];
  return issue(x509, { cert, keys }, `CN=${name}`, nowMs, x509.ExtendedKeyUsage.serverAuth, names);
}

async function issue(
  x509: X509,
  authority: Authority,
  subject: string,
  nowMs: number,
  usage: string,
  names: { type: 'dns' | 'ip'; value: string }[],
): Promise<KeyPair> {
  const keys = await webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify']);
  const cert = await x509.X509CertificateGenerator.create({
    subject,
    issuer: authority.cert.subject,
    publicKey: keys.publicKey,
    signingKey: authority.keys.privateKey,
    signingAlgorithm: SIGNING,
    ...validity(nowMs, LEAF_DAYS),
    serialNumber: serial(),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([usage]),
      await x509.AuthorityKeyIdentifierExtension.create(authority.keys.publicKey),
      ...(names.length ? [new x509.SubjectAlternativeNameExtension(names)] : []),
    ],
  });
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  return { cert: cert.toString('pem'), key: pem('PRIVATE KEY', pkcs8) };
}

function validity(nowMs: number, days: number): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(nowMs - BACKDATE_MS), notAfter: new Date(nowMs + days * DAY_MS) };
}

function serial(): string {
  const bytes = Buffer.from(webcrypto.getRandomValues(new Uint8Array(16)));
  bytes[0]! &= 0x7f;
  return bytes.toString('hex');
}

function pem(label: string, der: Buffer): string {
  return `-----BEGIN ${label}-----\n${der.toString('base64').replaceAll(/.{64}(?=.)/g, '$&\n')}\n-----END ${label}-----\n`;
}
