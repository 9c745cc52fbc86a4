import { age } from '../../duration.ts';
import type { PersistentVolume } from '../../generated/types/core.v1.ts';
import type { KindBehaviour } from '../../resource.ts';
import { accessModesText } from './persistent-volume-claim.ts';

export const persistentVolume: KindBehaviour<PersistentVolume> = {
  group: '',
  version: 'v1',
  kind: 'PersistentVolume',
  hasStatus: true,
  setDefaults: ({ spec, status }) => {
    spec.persistentVolumeReclaimPolicy ||= 'Retain';
    spec.volumeMode ??= 'Filesystem';
    status.phase ||= 'Pending';
  },
  prepareForCreate: (object) => {
    object.status = { phase: 'Pending' };
  },
  row: ({ metadata, spec, status }, nowMs) => [
    metadata.name ?? '',
    spec.capacity?.['storage'] ?? '',
    accessModesText(spec.accessModes),
    spec.persistentVolumeReclaimPolicy ?? '',
    metadata.deletionTimestamp ? 'Terminating' : (status.phase ?? ''),
    spec.claimRef ? `${spec.claimRef.namespace}/${spec.claimRef.name}` : '',
    spec.storageClassName ?? '',
    spec.volumeAttributesClassName ?? '<unset>',
    status.reason ?? '',
    age(metadata.creationTimestamp, nowMs),
    spec.volumeMode ?? '<unset>',
  ],
};
