import { expect, it } from 'vitest';
import type { PodTemplateSpec } from '../api/generated/types/core.v1.ts';
import { dataText, revisionHash, revisionName, templateOf, templatePatch } from './revision-history.ts';

const template = {
  metadata: { labels: { app: 'web' } },
  spec: {
    containers: [
      {
        name: 'c',
        image: 'registry.example.com/web:v1',
        resources: {},
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
        imagePullPolicy: 'IfNotPresent',
      },
    ],
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 0,
    dnsPolicy: 'ClusterFirst',
    nodeSelector: { nowhere: 'true' },
    automountServiceAccountToken: false,
    securityContext: {},
    schedulerName: 'default-scheduler',
  },
} as PodTemplateSpec;

it('names a revision as a real control plane does', () => {
  expect(revisionName('web', revisionHash(templatePatch(template), 0))).toBe('web-c57fbb568');
  expect(revisionName('x'.repeat(250), 'h')).toHaveLength(225);
});

it('writes data as Go does: keys in order, letters of HTML escaped, nothing that is left out', () => {
  expect(dataText({ b: '<&>', a: { 10: 1, 2: [null] }, c: undefined, d: 12345678901234567890n })).toBe(
    String.raw`{"a":{"10":1,"2":[null]},"b":"\u003c\u0026\u003e","d":12345678901234567890}`,
  );
});

it('gives the template back', () => {
  const revision = { apiVersion: 'apps/v1', kind: 'ControllerRevision' as const, metadata: {}, revision: 1, data: templatePatch(template) };
  expect(templateOf(revision)).toEqual(template);
});
