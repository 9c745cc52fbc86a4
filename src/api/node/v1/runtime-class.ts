import { DEPRECATED_NODE_LABELS } from '../../core/v1/pod/deprecations.ts';
import { checkResources } from '../../core/v1/pod/validation/resources.ts';
import { checkTolerations } from '../../core/v1/pod/validation/scheduling.ts';
import { age } from '../../duration.ts';
import { at, duplicate, type FieldError } from '../../field-error.ts';
import type { Toleration } from '../../generated/types/core.v1.ts';
import type { RuntimeClass } from '../../generated/types/node.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { validateLabels } from '../../label-validation.ts';
import { checkImmutable, checkLabelName, sortedEntries } from '../../validation.ts';

const NO_CLAIMS: ReadonlySet<string> = new Set();

/** No toleration twice; upstream names the path of the list twice for faults within one. */
function checkOwnTolerations(tolerations: readonly Toleration[], field: string): FieldError[] {
  const errors = checkTolerations(tolerations, `${field}.tolerations`);
  const seen = new Set<string>();
  for (const [index, { key = '', operator = '', value = '', effect = '', tolerationSeconds = null }] of tolerations.entries()) {
    const identity = JSON.stringify([key, operator, value, effect]);
    const shown = { Key: key, Operator: operator, Value: value, Effect: effect, TolerationSeconds: tolerationSeconds };
    if (seen.has(identity)) errors.push(duplicate(at(field, index), shown));
    seen.add(identity);
  }
  return errors;
}

/** Upstream: pkg/apis/node/validation, ValidateRuntimeClass. */
const validate = ({ handler, overhead, scheduling }: RuntimeClass): FieldError[] => [
  ...checkLabelName(handler ?? '', 'handler'),
  ...(overhead?.podFixed ? checkResources({ limits: overhead.podFixed }, NO_CLAIMS, 'overhead') : []),
  ...validateLabels(scheduling?.nodeSelector, 'scheduling.nodeSelector'),
  ...checkOwnTolerations(scheduling?.tolerations ?? [], 'scheduling.tolerations'),
];

export const runtimeClass: KindBehaviour<RuntimeClass> = {
  group: 'node.k8s.io',
  version: 'v1',
  kind: 'RuntimeClass',
  metadataRules: 'general',
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  validate,
  updateOrder: ['whole', 'metadata', 'change'],
  validateUpdate: (object, old) => checkImmutable(object.handler, old.handler, 'handler'),
  warnings: ({ scheduling }) =>
    sortedEntries(scheduling?.nodeSelector).flatMap(([key]) => {
      const words = DEPRECATED_NODE_LABELS[key];
      return words ? [`scheduling.nodeSelector: ${words}`] : [];
    }),
  row: ({ metadata, handler }, nowMs) => [metadata.name ?? '', handler, age(metadata.creationTimestamp, nowMs)],
};
