import { age } from '../../duration.ts';
import type { StorageClass } from '../../generated/types/storage.v1.ts';
import type { KindBehaviour } from '../../resource.ts';

const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';

export const storageClass: KindBehaviour<StorageClass> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'StorageClass',
  setDefaults: (object) => {
    object.reclaimPolicy ??= 'Delete';
    object.volumeBindingMode ??= 'Immediate';
  },
  row: (object, nowMs) => [
    `${object.metadata.name}${object.metadata.annotations?.[DEFAULT_CLASS] === 'true' ? ' (default)' : ''}`,
    object.provisioner,
    object.reclaimPolicy ?? 'Delete',
    object.volumeBindingMode ?? '<unset>',
    object.allowVolumeExpansion ?? false,
    age(object.metadata.creationTimestamp, nowMs),
  ],
};
