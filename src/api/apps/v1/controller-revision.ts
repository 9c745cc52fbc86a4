import { age } from '../../duration.ts';
import { deepEqual } from '../../equality.ts';
import { type FieldError, invalid, required } from '../../field-error.ts';
import type { ControllerRevision } from '../../generated/types/apps.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { checkNonNegative } from '../../validation.ts';

/** Upstream: ValidateControllerRevisionCreate. What has data keeps it, so that only a new one is asked for it. */
function validate({ data, revision }: ControllerRevision, old?: ControllerRevision): FieldError[] {
  const errors = checkNonNegative(revision, 'revision');
  if (old) return errors;
  if (data === undefined || data === null) errors.push(required('data', 'data is mandatory'));
  else if (typeof data !== 'object' || Array.isArray(data)) errors.push(required('data', 'data must be a valid JSON object'));
  return errors;
}

export const controllerRevision: KindBehaviour<ControllerRevision> = {
  group: 'apps',
  version: 'v1',
  kind: 'ControllerRevision',
  validate,
  validateUpdate: ({ data }, old) => (deepEqual(data, old.data) ? [] : [invalid('data', data, 'field is immutable')]),
  updateOrder: ['metadata', 'whole', 'change'],
  row: ({ metadata, revision }, nowMs) => {
    const owner = metadata.ownerReferences?.find(({ controller }) => controller);
    const group = owner?.apiVersion.includes('/') ? `.${owner.apiVersion.split('/')[0]}` : '';
    return [metadata.name ?? '', owner ? `${owner.kind.toLowerCase()}${group}/${owner.name}` : '<none>', revision ?? 0, age(metadata.creationTimestamp, nowMs)];
  },
};
