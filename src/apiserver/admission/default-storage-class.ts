import { defaultClass, namesClass } from '../../api/core/v1/volume-matching.ts';
import type { PersistentVolumeClaim } from '../../api/generated/types/core.v1.ts';
import { StorageClasses } from '../../api/resources.ts';
import type { AdmissionPlugin } from './admission.ts';

/** A claim that says nothing of a class gets the default one (upstream: plugin/pkg/admission/storage/storageclass/setdefault). */
export const defaultStorageClass: AdmissionPlugin = {
  name: 'DefaultStorageClass',

  async admit({ operation, resource, subresource, object }, context) {
    if (operation !== 'CREATE' || subresource || resource.facts.kind !== 'PersistentVolumeClaim' || resource.facts.group !== '') return object;
    const claim = object as PersistentVolumeClaim;
    if (namesClass(claim)) return object;
    const found = defaultClass(await context.all(StorageClasses));
    if (found) claim.spec.storageClassName = found.metadata.name!;
    return object;
  },
};
