import { age } from '../../duration.ts';
import { at, type FieldError, invalid, tooLong } from '../../field-error.ts';
import type { ConfigMap } from '../../generated/types/core.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { byteLength, configMapKeyFaults } from '../../names.ts';
import { checkWith, sortedEntries } from '../../validation.ts';
import { checkImmutable } from './immutable-data.ts';

const sizeOf = (map: object | undefined): number => Object.keys(map ?? {}).length;

/** The most that keys and values of a ConfigMap or a Secret may take, in bytes. */
export const MAX_DATA_BYTES = 1024 * 1024;

/** Bytes that base64 text stands for. */
export function decodedLength(base64: string): number {
  return Buffer.byteLength(base64, 'base64');
}

/** Upstream: pkg/apis/core/validation, ValidateConfigMap. */
function validate({ data, binaryData }: ConfigMap): FieldError[] {
  const errors: FieldError[] = [];
  let size = 0;
  for (const [key, value] of sortedEntries(data)) {
    errors.push(...checkWith(configMapKeyFaults, key, at('data', key)));
    if (binaryData?.[key] !== undefined) errors.push(invalid(at('data', key), key, 'duplicate of key present in binaryData'));
    size += byteLength(value);
  }
  for (const [key, value] of sortedEntries(binaryData)) {
    errors.push(...checkWith(configMapKeyFaults, key, at('binaryData', key)));
    size += decodedLength(value);
  }
  if (size > MAX_DATA_BYTES) errors.push(tooLong('[]', MAX_DATA_BYTES));
  return errors;
}

/** Upstream: pkg/registry/core/configmap/strategy.go. */
export const configMap: KindBehaviour<ConfigMap> = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  validate,
  validateUpdate: (object, old) => checkImmutable(object, old, ['data', 'binaryData']),
  updateOrder: ['metadata', 'change', 'whole'],
  row: ({ metadata, data, binaryData }, nowMs) => [metadata.name ?? '', sizeOf(data) + sizeOf(binaryData), age(metadata.creationTimestamp, nowMs)],
};
