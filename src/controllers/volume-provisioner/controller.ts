import { classNameOf, PROVISIONED_BY, SELECTED_NODE, waitsForConsumer } from '../../api/core/v1/volume-matching.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/generated/types/core.v1.ts';
import type { StorageClass } from '../../api/generated/types/storage.v1.ts';
import { type Draft, keyOf } from '../../api/object.ts';
import { PersistentVolumeClaims, PersistentVolumes, StorageClasses } from '../../api/resources.ts';
import type { InformerFactory } from '../../client/informer.ts';
import { byKey, type Controller, watchRule } from '../runtime/controller.ts';
import { type Action, andThen, deletionOf, inParallel, NOTHING_TO_DO, type Plan } from '../runtime/plan.ts';

/** The provisioner that a StorageClass names to have volumes made here. */
export const HOST_PATH_PROVISIONER = 'coracle.dev/host-path';
const ASKED = 'volume.kubernetes.io/storage-provisioner';
const FOLDER = '/var/lib/coracle/volumes';

export interface ProvisioningSnapshot {
  claim: PersistentVolumeClaim;
  storageClass: StorageClass | undefined;
  /** Whether its volume has been made. */
  isMade: boolean;
}

/** Makes volumes for claims whose class names this provisioner, as an external provisioner does for its own. */
export function volumeProvisioner(informers: InformerFactory): Controller<ProvisioningSnapshot> {
  const claims = informers.lister(PersistentVolumeClaims);
  const volumes = informers.lister(PersistentVolumes);
  const classes = informers.lister(StorageClasses);
  return {
    name: HOST_PATH_PROVISIONER,
    watches: [
      watchRule(PersistentVolumeClaims, ({ type, object }) =>
        type !== 'deleted' && object.metadata.annotations?.[ASKED] === HOST_PATH_PROVISIONER ? [keyOf(object)] : [],
      ),
      watchRule(PersistentVolumes, () => []),
      watchRule(StorageClasses, () => []),
    ],
    observe: async (key) => {
      const claim = byKey(claims, key);
      return claim && { claim, storageClass: classes.get('', classNameOf(claim)), isMade: volumes.get('', volumeName(claim)) !== undefined };
    },
    plan: planProvisioning,
  };
}

function volumeName({ metadata }: PersistentVolumeClaim): string {
  return `pvc-${metadata.uid}`;
}

export function planProvisioning({ claim, storageClass, isMade }: ProvisioningSnapshot): Plan {
  const { metadata, spec } = claim;
  if (isMade || spec.volumeName || metadata.deletionTimestamp !== undefined || storageClass?.provisioner !== HOST_PATH_PROVISIONER) return NOTHING_TO_DO;
  const node = metadata.annotations?.[SELECTED_NODE];
  if (waitsForConsumer(storageClass) && node === undefined) return NOTHING_TO_DO;
  const told = (reason: string, message: string): Action => ({ type: 'event', about: claim, note: { type: 'Normal', reason, message } });
  const creation: Action = { type: 'create', resource: PersistentVolumes, object: volumeFor(claim, storageClass, node), ifExists: 'get' };
  return {
    actions: [told('Provisioning', `External provisioner is provisioning volume for claim "${keyOf(claim)}"`)],
    next: () => andThen([creation], () => ({ actions: [told('ProvisioningSucceeded', `Successfully provisioned volume ${volumeName(claim)}`)] })),
  };
}

function volumeFor(claim: PersistentVolumeClaim, storageClass: StorageClass, node: string | undefined): Draft<PersistentVolume> {
  const { namespace, name, uid, resourceVersion } = claim.metadata;
  const terms = [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node ?? ''] }] }];
  return {
    metadata: { name: volumeName(claim), annotations: { [PROVISIONED_BY]: HOST_PATH_PROVISIONER } },
    spec: {
      accessModes: claim.spec.accessModes,
      capacity: { storage: claim.spec.resources?.requests?.['storage'] ?? '0' },
      claimRef: { kind: 'PersistentVolumeClaim', namespace, name, uid, apiVersion: 'v1', resourceVersion },
      hostPath: { path: `${FOLDER}/${volumeName(claim)}`, type: 'DirectoryOrCreate' },
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
      storageClassName: storageClass.metadata.name,
      ...(claim.spec.volumeMode ? { volumeMode: claim.spec.volumeMode } : {}),
      ...(node === undefined ? {} : { nodeAffinity: { required: { nodeSelectorTerms: terms } } }),
    },
  } as Draft<PersistentVolume>;
}

/** Deletes volumes made here when their claims are gone and their policy says so. */
export function volumeDeleter(informers: InformerFactory): Controller<PersistentVolume> {
  const volumes = informers.lister(PersistentVolumes);
  return {
    name: HOST_PATH_PROVISIONER,
    watches: [watchRule(PersistentVolumes, ({ type, object }) => (type !== 'deleted' && isReleased(object) ? [keyOf(object)] : []))],
    observe: async (key) => byKey(volumes, key),
    plan: (volume) => (isReleased(volume) ? { actions: inParallel([deletionOf(PersistentVolumes, volume)]) } : NOTHING_TO_DO),
  };
}

function isReleased({ metadata, spec, status }: PersistentVolume): boolean {
  return metadata.annotations?.[PROVISIONED_BY] === HOST_PATH_PROVISIONER && spec.persistentVolumeReclaimPolicy === 'Delete' && status?.phase === 'Released';
}
