import { at } from '../../field-error.ts';
import type { PersistentVolume, PersistentVolumeSpec } from '../../generated/types/core.v1.ts';
import { termWarnings } from './pod/warnings.ts';

const ANNOTATIONS = {
  'volume.beta.kubernetes.io/storage-class': 'deprecated since v1.8; use "storageClassName" attribute instead',
  'volume.beta.kubernetes.io/mount-options': 'deprecated since v1.31; use "mountOptions" attribute instead',
};

/** Volumes whose plugins are gone. */
const PLUGINS: readonly [source: keyof PersistentVolumeSpec, words: string][] = [
  ['cephfs', 'cephfs: deprecated in v1.28, non-functional in v1.31+'],
  ['photonPersistentDisk', 'photonPersistentDisk: deprecated in v1.11, non-functional in v1.16+'],
  ['scaleIO', 'scaleIO: deprecated in v1.16, non-functional in v1.22+'],
  ['storageos', 'storageOS: deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs: deprecated in v1.25, non-functional in v1.26+'],
  ['rbd', 'rbd: deprecated in v1.28, non-functional in v1.31+'],
];

const RECYCLE = 'The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.';

/** Upstream: pkg/api/persistentvolume, GetWarningsForPersistentVolume. */
export function persistentVolumeWarnings({ metadata, spec }: PersistentVolume): string[] {
  const terms = spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  return [
    ...Object.entries(ANNOTATIONS).flatMap(([key, words]) =>
      metadata.annotations?.[key] === undefined ? [] : [`${at('metadata.annotations', key)}: ${words}`],
    ),
    ...(spec.persistentVolumeReclaimPolicy === 'Recycle' ? [`spec.persistentVolumeReclaimPolicy: ${RECYCLE}`] : []),
    ...terms.flatMap((term, index) => termWarnings(term, at('spec.nodeAffinity.required.nodeSelectorTerms', index), { checkValues: false })),
    ...PLUGINS.filter(([source]) => spec[source]).map(([, words]) => `spec.${words}`),
  ];
}
