import 'reflect-metadata';
import { KeyObject, webcrypto } from 'node:crypto';
import { SubjectAlternativeNameExtension, X509CertificateGenerator } from '@peculiar/x509';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClusterFixture, startFixture } from '../e2e/cluster-fixture.ts';
import { connect, type GoldenApi } from './api.mjs';
import { startHook } from './hook.mjs';
import { plain, recordings } from './recordings.ts';
import { type Hook, playRequests, type RequestCase, setHook, setMe, setSite } from './requests.mjs';

/**
 * The recorded cluster is a distribution's that lets nobody proxy by the roles `edit` and `admin` (docs/differences.md).
 */
const OTHERWISE = /^(RB-edit|RB-admin)$/;

const cases = recordings<RequestCase>('security.jsonl').filter(({ id }) => !OTHERWISE.test(id));
/** The user who played when it was recorded has another name here, and one expression shows it. */
const here = (answers: unknown): unknown => JSON.parse(JSON.stringify(answers).replaceAll('{ns} admin dry=', '{ns} kubernetes-admin dry='));

async function selfSigned(): Promise<{ key: string; cert: string }> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const names = new SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }]);
  const made = await X509CertificateGenerator.createSelfSigned({ name: 'CN=hook', keys, signingAlgorithm: algorithm, extensions: [names] });
  const key = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString();
  return { key, cert: made.toString('pem') };
}

let fixture: ClusterFixture;
let api: GoldenApi;
let hook: Hook;
beforeAll(async () => {
  fixture = await startFixture({ nodes: 0 });
  api = connect(fixture.kubeconfigFile);
  hook = await startHook(await selfSigned(), await selfSigned());
  setHook(hook);
  const { issuer } = (await api.raw('GET', '/.well-known/openid-configuration')).json as { issuer: string };
  setSite({
    ...{ hook: hook.host, down: '127.0.0.1:9', ca: hook.ca, otherca: hook.other },
    ...{ issuer, claims: Buffer.from(JSON.stringify({ iss: issuer })).toString('base64url') },
  });
  setMe('kubernetes-admin');
});
afterAll(async () => {
  api.close();
  hook.close();
  await fixture.stop();
});

describe.concurrent('roles, tokens, webhooks, policies and custom resources agree with the recording', () => {
  for (const recorded of cases)
    it(`${recorded.id}: ${recorded.title}`, async ({ expect: expectHere }) => {
      const played = await playRequests(api, recorded);
      expectHere(plain(played.answers)).toEqual(plain(here(recorded.answers)));
    });
});

it('has recordings to play', () => expect(cases.length).toBeGreaterThan(45));
