import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ClientOptions, WebSocket } from 'ws';
import { parse } from 'yaml';
import { ConfigMaps } from '../../src/api/resources.ts';
import { type ClusterFixture, startFixture } from './cluster-fixture.ts';

let fixture: ClusterFixture;
let credentials: ClientOptions;
beforeAll(async () => {
  fixture = await startFixture({ nodes: 1 });
  const user = (parse(readFileSync(fixture.kubeconfigFile, 'utf8')) as { users: { user: Record<string, string> }[] }).users[0]!.user;
  const decoded = (name: string): Buffer => Buffer.from(user[name] ?? '', 'base64');
  credentials = { cert: decoded('client-certificate-data'), key: decoded('client-key-data'), rejectUnauthorized: false };
  await fixture.kubectl(['run', 'shell', '--image=busybox:1', '--', 'sh', '-c', 'echo hello; sleep 1000']);
  await fixture.kubectl('wait pod/shell --for=condition=Ready');
});
afterAll(() => fixture.stop());

const ROOT = '/api/v1/namespaces/default';

function open(path: string, protocols: string[] = []): WebSocket {
  return new WebSocket(`${fixture.cluster.server.replace('https', 'wss')}${path}`, protocols, credentials);
}

/** What comes until it is enough, or the end; text as it is, bytes as a buffer. */
function receive(socket: WebSocket, isEnough: (messages: (string | Buffer)[]) => boolean = () => false): Promise<(string | Buffer)[]> {
  return new Promise((resolve, reject) => {
    const messages: (string | Buffer)[] = [];
    socket.on('message', (data: Buffer, isBinary) => {
      messages.push(isBinary ? data : data.toString());
      if (isEnough(messages)) socket.close();
    });
    socket.on('close', () => resolve(messages));
    socket.on('error', reject);
  });
}

it('C203: a watch sends an event a message, as text', async () => {
  const path = `${ROOT}/configmaps?watch=true&fieldSelector=metadata.name=a`;
  const socket = open(path);
  const events = receive(socket, (messages) => messages.length === 2);
  await new Promise((resolve) => socket.on('open', resolve));
  const configMaps = fixture.cluster.client.resource(ConfigMaps);
  await configMaps.create({ metadata: { name: 'a', namespace: 'default' } });
  await configMaps.delete('default', 'a');
  const seen = (await events).map((text) => JSON.parse(text as string) as { type: string; object: { kind: string } });
  expect(seen.map(({ type, object }) => `${type} ${object.kind}`)).toEqual(['ADDED ConfigMap', 'DELETED ConfigMap']);
});

it('C203: a watch that is refused is refused in http', async () => {
  await expect(receive(open(`${ROOT}/configmaps?watch=true&timeoutSeconds=abc`))).rejects.toThrow('400');
  await expect(receive(open('/apis/none.example.com/v1/things?watch=true'))).rejects.toThrow(/40[04]/);
});

it.each<[string[], string | Buffer]>([
  [[], Buffer.from('hello\n')],
  [['binary.k8s.io'], Buffer.from('hello\n')],
  [['base64.binary.k8s.io'], Buffer.from('hello\n').toString('base64')],
])('C203: a log over %j', async (protocols, wanted) => {
  expect(await receive(open(`${ROOT}/pods/shell/log?follow=true`, protocols), (messages) => messages.length === 1)).toEqual([wanted]);
});

it.each<[string[], (channel: number, text: string) => string | Buffer]>([
  [[], (channel, text) => Buffer.concat([Buffer.from([channel]), Buffer.from(text)])],
  [['channel.k8s.io'], (channel, text) => Buffer.concat([Buffer.from([channel]), Buffer.from(text)])],
  [['base64.channel.k8s.io'], (channel, text) => `${channel}${Buffer.from(text).toString('base64')}`],
])('a command over the first channel protocols, %j', async (protocols, message) => {
  const path = (script: string) => `${ROOT}/pods/shell/exec?stdout=1&stderr=1&command=sh&command=-c&command=${encodeURIComponent(script)}`;
  expect(await receive(open(path('echo hi'), protocols))).toEqual([message(1, ''), message(1, 'hi\n')]);
  expect((await receive(open(path('exit 3'), protocols))).at(-1)).toEqual(message(3, 'command terminated with non-zero exit code: exit status 3'));
});
