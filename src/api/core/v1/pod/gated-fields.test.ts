import { expect, test } from 'vitest';
import type { PodSpec } from '../../../generated/types/core.v1.ts';
import { dropGatedFields } from './gated-fields.ts';

const container = { name: 'c', image: 'a' };
const spec = (fields: object): PodSpec => structuredClone({ containers: [container], ...fields }) as PodSpec;

test.each<[string, object, object]>([
  ['a name for the host', { hostnameOverride: 'h' }, {}],
  [
    'rules of restart, but for sidecars',
    {
      initContainers: [{ ...container, restartPolicy: 'Always' }],
      containers: [{ ...container, restartPolicy: 'Never', restartPolicyRules: [{ action: 'Restart' }] }],
    },
    { initContainers: [{ ...container, restartPolicy: 'Always' }] },
  ],
  ['a signal', { containers: [{ ...container, lifecycle: { stopSignal: 'SIGTERM' } }] }, {}],
  [
    'a signal beside a hook',
    { containers: [{ ...container, lifecycle: { stopSignal: 'SIGTERM', preStop: { sleep: { seconds: 1 } } } }] },
    { containers: [{ ...container, lifecycle: { preStop: { sleep: { seconds: 1 } } } }] },
  ],
  [
    'volumes of images, and where they are mounted',
    {
      volumes: [
        { name: 'i', image: { reference: 'a' } },
        { name: 'e', emptyDir: {} },
      ],
      containers: [{ ...container, volumeMounts: [{ name: 'i', mountPath: '/i' }] }],
    },
    { volumes: [{ name: 'e', emptyDir: {} }] },
  ],
  [
    'certificates',
    { volumes: [{ name: 'p', projected: { sources: [{ clusterTrustBundle: { path: 'a' } }, { podCertificate: {} }] } }] },
    { volumes: [{ name: 'p', projected: { sources: [{}, {}] } }] },
  ],
])('are dropped, and kept where they were: %s', (_name, given, wanted) => {
  const fresh = spec(given);
  dropGatedFields(fresh);
  expect(fresh).toEqual(spec(wanted));
  const changed = spec(given);
  dropGatedFields(changed, spec(given));
  expect(changed).toEqual(spec(given));
});
