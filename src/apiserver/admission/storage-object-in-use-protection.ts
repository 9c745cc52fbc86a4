import { CLAIM_FINALIZER, VOLUME_FINALIZER } from '../../api/core/v1/storage-finalizers.ts';
import type { AdmissionPlugin } from './admission.ts';

const FINALIZERS: Readonly<Record<string, string>> = {
  PersistentVolume: VOLUME_FINALIZER,
  PersistentVolumeClaim: CLAIM_FINALIZER,
};

/** Volumes and claims stay while they are used (upstream: plugin/pkg/admission/storage/storageobjectinuseprotection). */
export const storageObjectInUseProtection: AdmissionPlugin = {
  name: 'StorageObjectInUseProtection',

  admit({ operation, resource, subresource, object }) {
    const finalizer = FINALIZERS[resource.facts.kind];
    if (operation !== 'CREATE' || subresource || resource.facts.group !== '' || finalizer === undefined) return object;
    const { finalizers = [] } = object.metadata;
    if (!finalizers.includes(finalizer)) object.metadata.finalizers = [...finalizers, finalizer];
    return object;
  },
};
