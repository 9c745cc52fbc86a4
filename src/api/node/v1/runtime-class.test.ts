import { expect, test } from 'vitest';
import type { RuntimeClass } from '../../generated/types/node.v1.ts';
import { runtimeClass } from './runtime-class.ts';

const made = (more: object): RuntimeClass => ({ apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name: 'o' }, handler: 'h', ...more });
const toleration = { key: 'a', operator: 'Exists', tolerationSeconds: 5, effect: 'NoExecute' };

test.each<[string, object, string[]]>([
  ['as it should be', { scheduling: { nodeSelector: { a: 'b' }, tolerations: [toleration] }, overhead: { podFixed: { cpu: '1' } } }, []],
  ['a handler', { handler: 'a.b' }, ['handler: Invalid value: "a.b": must not contain dots']],
  [
    'an overhead',
    { overhead: { podFixed: { cpu: '-1', storage: '1' } } },
    [
      'overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0',
      'overhead.limits[storage]: Invalid value: "storage": must be a standard resource for containers',
    ],
  ],
  [
    'tolerations',
    { scheduling: { tolerations: [{ ...toleration, operator: 'Is' }, toleration, { ...toleration, tolerationSeconds: 6 }] } },
    [
      'scheduling.tolerations.tolerations[0].operator: Unsupported value: "Is": supported values: "Equal", "Exists"',
      'scheduling.tolerations[2]: Duplicate value: {"Key":"a","Operator":"Exists","Value":"","Effect":"NoExecute","TolerationSeconds":6}',
    ],
  ],
])('%s', (_name, more, wanted) => {
  expect((runtimeClass.validate?.(made(more)) ?? []).map(({ field, message }) => `${field}: ${message}`)).toEqual(wanted);
});

test('labels of nodes that have newer names are told', () => {
  expect(runtimeClass.warnings?.(made({ scheduling: { nodeSelector: { 'app.kubernetes.io/created-by': 'x' } } }), undefined)).toEqual([
    'scheduling.nodeSelector: deprecated since v1.9',
  ]);
});
