import { classNameOf } from '../../api/core/v1/volume-matching.ts';
import type { PersistentVolumeClaim } from '../../api/generated/types/core.v1.ts';
import { compareQuantities } from '../../api/quantity.ts';
import { StorageClasses } from '../../api/resources.ts';
import { forbidden } from '../../api/status.ts';
import type { AdmissionPlugin } from './admission.ts';

/** A claim may grow when it is bound and its class allows it (upstream: plugin/pkg/admission/storage/persistentvolume/resize). */
export const claimResize: AdmissionPlugin = {
  name: 'PersistentVolumeClaimResize',

  async validate({ operation, resource, subresource, object, old }, context) {
    if (operation !== 'UPDATE' || subresource || resource.facts.kind !== 'PersistentVolumeClaim' || resource.facts.group !== '') return undefined;
    const [claim, before] = [object as PersistentVolumeClaim, old as PersistentVolumeClaim];
    if (compareQuantities(sizeOf(before), sizeOf(claim)) >= 0) return undefined;
    const name = claim.metadata.name ?? '';
    if (before.status?.phase !== 'Bound') throw forbidden(resource.facts, name, 'Only bound persistent volume claims can be expanded');
    const [now, then] = [classNameOf(claim), classNameOf(before)];
    const storageClass = now !== '' && now === then ? await context.get(StorageClasses, { namespace: '', name: now }) : undefined;
    if (storageClass?.allowVolumeExpansion) return undefined;
    const words = 'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';
    throw forbidden(resource.facts, name, words);
  },
};

function sizeOf({ spec }: PersistentVolumeClaim): string {
  return spec.resources?.requests?.['storage'] ?? '0';
}
