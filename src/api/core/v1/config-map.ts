import { age } from '../../duration.ts';
import type { ConfigMap } from '../../generated/types/core.v1.ts';
import type { KindBehaviour } from '../../resource.ts';

const sizeOf = (map: object | undefined): number => Object.keys(map ?? {}).length;

/** Upstream: pkg/registry/core/configmap/strategy.go. */
export const configMap: KindBehaviour<ConfigMap> = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  row: ({ metadata, data, binaryData }, nowMs) => [metadata.name ?? '', sizeOf(data) + sizeOf(binaryData), age(metadata.creationTimestamp, nowMs)],
};
