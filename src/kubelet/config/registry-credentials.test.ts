import { expect, test } from 'vitest';
import type { Secret } from '../../api/generated/types/core.v1.ts';
import { credentialsFor, repositoryOf } from './registry-credentials.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const secret = (auths: Record<string, object>): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 's' },
  data: { '.dockerconfigjson': base64(JSON.stringify({ auths })) },
});
const user = (name: string): object => ({ auth: base64(`${name}:a:b`) });
const names = (image: string, ...secrets: Secret[]): string[] => credentialsFor(image, secrets).map(({ username }) => username);

test.each([
  ['nginx', 'docker.io/library/nginx'],
  ['me/app:v1', 'docker.io/me/app'],
  ['localhost/app', 'localhost/app'],
  ['127.0.0.1:5000/a/b:v1', '127.0.0.1:5000/a/b'],
  ['ghcr.io/a/b@sha256:00', 'ghcr.io/a/b'],
])('%s is %s', (image, repository) => expect(repositoryOf(image)).toBe(repository));

test.each([
  ['ghcr.io', 'ghcr.io/a/b:1', true],
  ['https://ghcr.io/v2/', 'ghcr.io/a/b:1', true],
  ['ghcr.io/a', 'ghcr.io/a/b:1', true],
  ['ghcr.io/x', 'ghcr.io/a/b:1', false],
  ['*.example.com', 'registry.example.com/a', true],
  ['*.example.com', 'a.b.example.com/a', false],
  ['127.0.0.1:5000', '127.0.0.1:5001/a', false],
  ['https://index.docker.io/v1/', 'nginx', true],
])('%s holds for %s: %s', (place, image, holds) => expect(names(image, secret({ [place]: user('u') }))).toEqual(holds ? ['u'] : []));

test('what matches most closely is asked first', () => {
  const secrets = [secret({ 'ghcr.io': user('anybody') }), secret({ 'ghcr.io/a': user('a') })];
  expect(names('ghcr.io/a/b', ...secrets)).toEqual(['a', 'anybody']);
});

test('passwords may have colons, fields stand before auth, the old form is read too', () => {
  const old: Secret = { ...secret({}), data: { '.dockercfg': base64(JSON.stringify({ 'ghcr.io': { username: 'x', password: 'y', auth: base64('u:p') } })) } };
  expect(credentialsFor('ghcr.io/a', [secret({ 'ghcr.io': user('u') })])).toEqual([{ username: 'u', password: 'a:b' }]);
  expect(credentialsFor('ghcr.io/a', [old])).toEqual([{ username: 'x', password: 'y' }]);
});

test('a secret that is no JSON gives nothing', () => {
  expect(credentialsFor('ghcr.io/a', [{ ...secret({}), data: { '.dockerconfigjson': base64('{') } }])).toEqual([]);
});
