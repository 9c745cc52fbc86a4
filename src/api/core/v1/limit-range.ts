import { unsetIfEmpty } from '../../emptied.ts';
import type { LimitRange, LimitRangeItem } from '../../generated/types/core.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { validateLimitRange } from './limit-range-validation.ts';
import { roundUpResources } from './pod/defaults.ts';

/** Upstream: SetDefaults_LimitRangeItem: the maximum is the default limit, that the default request; else the minimum is. */
function setItemDefaults(item: LimitRangeItem): void {
  for (const map of [item.max, item.min, item.default, item.defaultRequest, item.maxLimitRequestRatio]) if (map) roundUpResources(map);
  if (item.type !== 'Container') return;
  const limit = { ...item.max, ...item.default };
  const request = { ...item.min, ...limit, ...item.defaultRequest };
  if (Object.keys(limit).length) item.default = limit;
  if (Object.keys(request).length) item.defaultRequest = request;
}

export const limitRange: KindBehaviour<LimitRange> = {
  group: '',
  version: 'v1',
  kind: 'LimitRange',
  returnsDeleted: true,
  namesItself: true,
  setDefaults: ({ spec }) => {
    for (const item of spec.limits ?? []) setItemDefaults(item);
  },
  prepareForCreate: ({ spec }) => unsetIfEmpty(spec, 'limits'),
  prepareForUpdate: ({ spec }) => unsetIfEmpty(spec, 'limits'),
  validate: validateLimitRange,
  updateOrder: ['whole'],
  row: ({ metadata }) => [metadata.name ?? '', metadata.creationTimestamp ?? ''],
};
