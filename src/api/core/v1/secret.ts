import { age } from '../../duration.ts';
import type { Secret } from '../../generated/types/core.v1.ts';
import type { KindBehaviour } from '../../resource.ts';

/** Upstream: pkg/registry/core/secret/strategy.go. */
export const secret: KindBehaviour<Secret> = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  setDefaults: (object) => {
    object.type ||= 'Opaque';
  },
  prepareForCreate: (object) => {
    // stringData is for writing alone: its entries go over to data, in base64.
    if (!object.stringData) return;
    object.data = { ...object.data };
    for (const [key, value] of Object.entries(object.stringData)) object.data[key] = Buffer.from(value).toString('base64');
    delete object.stringData;
  },
  prepareForUpdate: (object) => secret.prepareForCreate?.(object),
  row: ({ metadata, type, data }, nowMs) => [metadata.name ?? '', type ?? '', Object.keys(data ?? {}).length, age(metadata.creationTimestamp, nowMs)],
  selectableFields: { type: ({ type }) => type ?? '' },
};
