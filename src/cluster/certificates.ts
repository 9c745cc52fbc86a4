import { createPrivateKey, webcrypto, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MASTERS_GROUP } from '../apiserver/chain/authorization.ts';
import { makeSigningKey } from '../apiserver/tokens/service-account-tokens.ts';

/** PEM texts of everything that TLS needs. */
export interface Certificates {
  ca: string;
  /** Signs the certificates of those who ask for one. PEM. */
  caKey: string;
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
    caKey: 'ca.key',
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
      caKey: text(names.caKey),
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
  keep(names.caKey, made.caKey);
  keep(names.serverCert, made.server.cert);
  keep(names.serverKey, made.server.key);
  keep(names.adminCert, made.admin.cert);
  keep(names.adminKey, made.admin.key);
  keep(names.serviceAccountKey, made.serviceAccountKey);
  return made;
}

/** A new certificate authority, with a certificate for the server and one for the administrator. */
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
  return { ca: cert.toString('pem'), caKey: await keyText(keys), server: await server, admin: await admin, serviceAccountKey: makeSigningKey() };
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
  return { cert: cert.toString('pem'), key: await keyText(keys) };
}

async function keyText({ privateKey }: webcrypto.CryptoKeyPair): Promise<string> {
  return pem('PRIVATE KEY', Buffer.from(await webcrypto.subtle.exportKey('pkcs8', privateKey)));
}

/** The extended usages that requests name, by their object ids. */
const EXTENDED_USAGES: Readonly<Record<string, string>> = {
  'server auth': '1.3.6.1.5.5.7.3.1',
  'client auth': '1.3.6.1.5.5.7.3.2',
  'code signing': '1.3.6.1.5.5.7.3.3',
  'email protection': '1.3.6.1.5.5.7.3.4',
};

/** A certificate for the subject and key of a request. @returns PEM. */
export async function signRequest(
  authority: KeyPair,
  request: InstanceType<X509['Pkcs10CertificateRequest']>,
  { usages, nowMs, seconds }: { usages: readonly string[]; nowMs: number; seconds: number },
): Promise<string> {
  const x509 = await import('@peculiar/x509');
  const issuer = new x509.X509Certificate(authority.cert);
  const signingKey = await webcrypto.subtle.importKey('pkcs8', createPrivateKey(authority.key).export({ type: 'pkcs8', format: 'der' }), KEY, false, ['sign']);
  const flags = x509.KeyUsageFlags;
  const keyUsages = (usages.includes('digital signature') ? flags.digitalSignature : 0) | (usages.includes('key encipherment') ? flags.keyEncipherment : 0);
  const extended = usages.flatMap((usage) => EXTENDED_USAGES[usage] ?? []);
  const names = request.extensions.find(({ type }) => type === '2.5.29.17');
  const cert = await x509.X509CertificateGenerator.create({
    subject: request.subject,
    issuer: issuer.subject,
    publicKey: request.publicKey,
    signingKey,
    signingAlgorithm: SIGNING,
    notBefore: new Date(nowMs - BACKDATE_MS),
    notAfter: new Date(nowMs + seconds * 1000),
    serialNumber: serial(),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      ...(keyUsages ? [new x509.KeyUsagesExtension(keyUsages, true)] : []),
      ...(extended.length ? [new x509.ExtendedKeyUsageExtension(extended)] : []),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      ...(names ? [names] : []),
    ],
  });
  return `${cert.toString('pem')}\n`;
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
