import { age } from '../../duration.ts';
import { type FieldError, invalid } from '../../field-error.ts';
import type { RuntimeClass } from '../../generated/types/node.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { validateLabels } from '../../label-validation.ts';
import { checkLabelName } from '../../validation.ts';

/** Upstream: pkg/apis/node/validation, ValidateRuntimeClass. */
const validate = ({ handler, scheduling }: RuntimeClass): FieldError[] => [
  ...checkLabelName(handler ?? '', 'handler'),
  ...validateLabels(scheduling?.nodeSelector, 'scheduling.nodeSelector'),
];

export const runtimeClass: KindBehaviour<RuntimeClass> = {
  group: 'node.k8s.io',
  version: 'v1',
  kind: 'RuntimeClass',
  validate,
  validateUpdate: (object, old) => (object.handler === old.handler ? [] : [invalid('handler', object.handler, 'field is immutable')]),
  row: ({ metadata, handler }, nowMs) => [metadata.name ?? '', handler, age(metadata.creationTimestamp, nowMs)],
};
