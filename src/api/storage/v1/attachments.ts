import { age } from '../../duration.ts';
import type { CSINode, VolumeAttachment, VolumeAttributesClass } from '../../generated/types/storage.v1.ts';
import type { KindBehaviour } from '../../kind.ts';

export const csiNode: KindBehaviour<CSINode> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSINode',
  row: ({ metadata, spec }, nowMs) => [metadata.name ?? '', spec.drivers?.length ?? 0, age(metadata.creationTimestamp, nowMs)],
};

export const volumeAttachment: KindBehaviour<VolumeAttachment> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'VolumeAttachment',
  row: ({ metadata, spec, status }, nowMs) => [
    metadata.name ?? '',
    spec.attacher,
    spec.source?.persistentVolumeName ?? '',
    spec.nodeName,
    status?.attached ?? false,
    age(metadata.creationTimestamp, nowMs),
  ],
};

const DEFAULT_CLASS = 'volumeattributesclass.kubernetes.io/is-default-class';

export const volumeAttributesClass: KindBehaviour<VolumeAttributesClass> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'VolumeAttributesClass',
  row: ({ metadata, driverName }, nowMs) => [
    `${metadata.name ?? ''}${metadata.annotations?.[DEFAULT_CLASS] === 'true' ? ' (default)' : ''}`,
    driverName,
    age(metadata.creationTimestamp, nowMs),
  ],
};
