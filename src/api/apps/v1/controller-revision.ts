import { isDeepStrictEqual } from 'node:util';
import { age } from '../../duration.ts';
import { type FieldError, invalid, required } from '../../field-error.ts';
import type { ControllerRevision } from '../../generated/types/apps.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { checkNonNegative } from '../../validation.ts';

function validate({ data, revision }: ControllerRevision): FieldError[] {
  return [...(data === undefined || data === null ? [required('data', 'data is mandatory')] : []), ...checkNonNegative(revision, 'revision')];
}

export const controllerRevision: KindBehaviour<ControllerRevision> = {
  group: 'apps',
  version: 'v1',
  kind: 'ControllerRevision',
  validate,
  validateUpdate: (object, old) => [
    ...validate(object),
    ...(isDeepStrictEqual(object.data, old.data) ? [] : [invalid('data', object.data, 'field is immutable')]),
  ],
  row: ({ metadata, revision }, nowMs) => {
    const owner = metadata.ownerReferences?.find(({ controller }) => controller);
    const group = owner?.apiVersion.includes('/') ? `.${owner.apiVersion.split('/')[0]}` : '';
    return [metadata.name ?? '', owner ? `${owner.kind.toLowerCase()}${group}/${owner.name}` : '<none>', revision ?? 0, age(metadata.creationTimestamp, nowMs)];
  },
};
