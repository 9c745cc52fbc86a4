import { age } from '../../duration.ts';
import { at, type FieldError, invalid, required, tooLong } from '../../field-error.ts';
import type { Secret } from '../../generated/types/core.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { configMapKeyFaults } from '../../names.ts';
import { checkWith, sortedEntries } from '../../validation.ts';
import { decodedLength, MAX_DATA_BYTES } from './config-map.ts';
import { checkImmutable } from './immutable-data.ts';
import { keyPairFaults } from './key-pair.ts';

/** The keys that a secret of each type must have. */
const REQUIRED_KEYS: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
};
const ACCOUNT_NAME = 'kubernetes.io/service-account.name';

/** Upstream: pkg/apis/core/validation, ValidateSecret. */
function validate({ metadata, type = '', data }: Secret): FieldError[] {
  const errors: FieldError[] = [];
  let size = 0;
  for (const [key, value] of sortedEntries(data)) {
    errors.push(...checkWith(configMapKeyFaults, key, at('data', key)));
    size += decodedLength(value);
  }
  if (size > MAX_DATA_BYTES) errors.push(tooLong('data', MAX_DATA_BYTES));
  if (type === 'kubernetes.io/service-account-token' && !metadata.annotations?.[ACCOUNT_NAME]) errors.push(required(at('metadata.annotations', ACCOUNT_NAME)));
  if (type === 'kubernetes.io/basic-auth' && data?.['username'] === undefined && data?.['password'] === undefined) {
    errors.push(required(at('data', 'username')), required(at('data', 'password')));
  }
  // An empty private key counts as none.
  if (type === 'kubernetes.io/ssh-auth' && !data?.['ssh-privatekey']) errors.push(required(at('data', 'ssh-privatekey')));
  for (const key of REQUIRED_KEYS[type] ?? []) {
    const value = data?.[key];
    if (value === undefined) errors.push(required(at('data', key)));
    else if (key.startsWith('.docker') && !isJson(value)) errors.push(invalid(at('data', key), '<secret contents redacted>', 'unexpected end of JSON input'));
  }
  return errors;
}

function isJson(base64: string): boolean {
  try {
    JSON.parse(Buffer.from(base64, 'base64').toString('utf8'));
    return true;
  } catch {
    return false;
  }
}

/** Upstream: pkg/registry/core/secret/strategy.go. */
export const secret: KindBehaviour<Secret> = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  setDefaults: (object) => {
    object.type ||= 'Opaque';
    // stringData is for writing alone: its entries go over to data, in base64.
    if (!object.stringData) return;
    object.data = { ...object.data };
    for (const [key, value] of Object.entries(object.stringData)) object.data[key] = Buffer.from(value).toString('base64');
    delete object.stringData;
  },
  warnings: ({ type, data }) => (type === 'kubernetes.io/tls' ? keyPairFaults(data ?? {}) : []),
  validate,
  validateUpdate: (object, old) => [
    ...(object.type === old.type ? [] : [invalid('type', object.type, 'field is immutable')]),
    ...checkImmutable(object, old, ['data']),
  ],
  updateOrder: ['metadata', 'change', 'whole'],
  row: ({ metadata, type, data }, nowMs) => [metadata.name ?? '', type ?? '', Object.keys(data ?? {}).length, age(metadata.creationTimestamp, nowMs)],
  selectableFields: { type: ({ type }) => type ?? '' },
};
