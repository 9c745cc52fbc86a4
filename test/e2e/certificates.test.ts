import 'reflect-metadata';
import { KeyObject, webcrypto, X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ClusterFixture, startFixture } from './cluster-fixture.ts';

let fixture: ClusterFixture;
beforeAll(async () => {
  fixture = await startFixture({ nodes: 0 });
});
afterAll(() => fixture.stop());

async function made(subject: string): Promise<{ request: string; key: string }> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const request = await Pkcs10CertificateRequestGenerator.create({ name: subject, keys, signingAlgorithm: algorithm });
  const key = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString();
  return { request: Buffer.from(request.toString('pem')).toString('base64'), key };
}

async function ask(name: string, request: string, signer: string, usages: string[]): Promise<void> {
  const object = {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name },
    spec: { request, signerName: `kubernetes.io/${signer}`, expirationSeconds: 86_400, usages },
  };
  await fixture.kubectl('create -f -', { input: JSON.stringify(object) });
}

const certificateOf = async (name: string): Promise<string> => {
  const path = 'jsonpath={.status.certificate}';
  await fixture.kubectl(['wait', '--for', path, `csr/${name}`, '--timeout=20s']);
  return Buffer.from((await fixture.kubectl(['get', 'csr', name, '-o', path])).stdout, 'base64').toString();
};

it('who asks for a certificate gets one when it is approved, and is known by it', async () => {
  const { request, key } = await made('CN=jane, O=devs');
  await ask('jane', request, 'kube-apiserver-client', ['client auth']);
  expect((await fixture.kubectl('get csr jane')).stdout).toMatch(/kubernetes-admin +24h +Pending/);
  await fixture.kubectl('certificate approve jane');
  const certificate = await certificateOf('jane');
  expect((await fixture.kubectl('get csr jane')).stdout).toContain('Approved,Issued');
  expect(new X509Certificate(certificate).keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
  const data = (text: string) => Buffer.from(text).toString('base64');
  const kubeconfig = join(fixture.directory, 'jane');
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      clusters: [{ name: 'c', cluster: { server: fixture.cluster.server, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'u', user: { 'client-certificate-data': data(certificate), 'client-key-data': data(key) } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    }),
  );
  expect((await fixture.kubectl('auth whoami', { env: { KUBECONFIG: kubeconfig } })).stdout).toMatch(/Username +jane\nGroups +\[devs system:authenticated\]/);
});

it('a kubelet that may ask is approved by the cluster itself', async () => {
  const { request } = await made('CN=system:node:n, O=system:nodes');
  await ask('node', request, 'kube-apiserver-client-kubelet', ['digital signature', 'client auth']);
  expect(new X509Certificate(await certificateOf('node')).subject).toContain('CN=system:node:n');
  expect((await fixture.kubectl(['get', 'csr', 'node', '-o', 'jsonpath={.status.conditions[0].reason}'])).stdout).toBe('AutoApproved');
});

it('what a signer does not sign fails, and says why', async () => {
  const { request } = await made('CN=somebody');
  await ask('serving', request, 'kubelet-serving', ['digital signature', 'server auth']);
  await fixture.kubectl('certificate approve serving');
  await fixture.kubectl('wait --for=condition=Failed csr/serving --timeout=20s');
  const told = (await fixture.kubectl(['get', 'csr', 'serving', '-o', 'jsonpath={.status.conditions[?(@.type=="Failed")].message}'])).stdout;
  expect(told).toBe('subject organization is not system:nodes');
});

it('a Secret that asks for a token gets one, which ends with it', async () => {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/service-account-token',
    metadata: { name: 'token', annotations: { 'kubernetes.io/service-account.name': 'default' } },
  };
  await fixture.kubectl('create -f -', { input: JSON.stringify(secret) });
  await fixture.kubectl(['wait', '--for', 'jsonpath={.data.token}', 'secret/token', '--timeout=20s']);
  const token = Buffer.from((await fixture.kubectl(['get', 'secret', 'token', '-o', 'jsonpath={.data.token}'])).stdout, 'base64').toString();
  const server = ['--server', fixture.cluster.server, '--insecure-skip-tls-verify', '--kubeconfig', '/dev/null', '--token', token];
  expect((await fixture.kubectl([...server, 'auth', 'whoami'])).stdout).toContain('system:serviceaccount:default:default');
  await fixture.kubectl('delete secret token');
  expect((await fixture.kubectl([...server, 'auth', 'whoami'])).stderr).toContain('Unauthorized');
});

it('a Secret of an account that is gone goes too', async () => {
  await fixture.kubectl('create serviceaccount brief');
  const secret = {
    ...{ apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/service-account-token' },
    metadata: { name: 'brief', annotations: { 'kubernetes.io/service-account.name': 'brief' } },
  };
  await fixture.kubectl('create -f -', { input: JSON.stringify(secret) });
  await fixture.kubectl('delete serviceaccount brief');
  expect((await fixture.kubectl('wait --for=delete secret/brief --timeout=20s')).code).toBe(0);
});
