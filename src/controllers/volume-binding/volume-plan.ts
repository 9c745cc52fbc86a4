import { BOUND_BY_CONTROLLER, hasSameMode, PROVISIONED_BY } from '../../api/core/v1/volume-matching.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/generated/types/core.v1.ts';
import type { KubeObject } from '../../api/object.ts';
import { PersistentVolumes } from '../../api/resources.ts';
import { type Action, andThen, deletionOf, NOTHING_TO_DO, type Plan } from '../runtime/plan.ts';

/** What is known of a volume when it is looked at. */
export interface VolumeSnapshot {
  volume: PersistentVolume;
  /** The claim that it refers to, by name and uid, if there is one. */
  claim: PersistentVolumeClaim | undefined;
}

type Phase = 'Available' | 'Bound' | 'Released' | 'Failed';

/** Upstream: pv_controller.go (syncVolume). */
export function planVolume({ volume, claim }: VolumeSnapshot): Plan {
  const { claimRef } = volume.spec;
  if (!claimRef?.uid) return { actions: phaseUpdate(volume, 'Available') };
  if (!claim) return planRelease(volume);
  if (!claim.spec.volumeName) return hasSameMode(volume, claim) ? NOTHING_TO_DO : { actions: mismatch(volume, claim) };
  if (claim.spec.volumeName === volume.metadata.name) return { actions: phaseUpdate(volume, 'Bound') };
  const isProvisioned = volume.metadata.annotations?.[PROVISIONED_BY] !== undefined;
  return isProvisioned && volume.spec.persistentVolumeReclaimPolicy === 'Delete' ? planRelease(volume) : planUnbinding(volume);
}

function mismatch(volume: PersistentVolume, claim: PersistentVolumeClaim): Action[] {
  const because = { rule: 'VOL-5' };
  const told = (about: KubeObject, message: string): Action => ({
    type: 'event',
    about,
    note: { type: 'Warning', reason: 'VolumeMismatch', message },
    because,
  });
  return [
    told(volume, `Cannot bind PersistentVolume to requested PersistentVolumeClaim "${claim.metadata.name}" due to incompatible volumeMode.`),
    told(claim, `Cannot bind PersistentVolume "${volume.metadata.name}" to requested PersistentVolumeClaim due to incompatible volumeMode.`),
  ];
}

/** Another volume has been chosen for the claim. Upstream: unbindVolume. */
function planUnbinding(volume: PersistentVolume): Plan {
  const { [BOUND_BY_CONTROLLER]: byController, ...annotations } = volume.metadata.annotations ?? {};
  const { claimRef, ...spec } = volume.spec;
  const { uid: _, ...kept } = claimRef!;
  const { annotations: __, ...metadata } = volume.metadata;
  const own = Object.keys(annotations).length > 0 ? { annotations } : {};
  const object = byController === undefined ? { ...volume, spec: { ...spec, claimRef: kept } } : { ...volume, metadata: { ...metadata, ...own }, spec };
  const update: Action = { type: 'update', resource: PersistentVolumes, object: object as PersistentVolume, because: { rule: 'VOL-2' } };
  return andThen([update], ([outcome]) => ({ actions: phaseUpdate(outcome!.object as PersistentVolume, 'Available') }));
}

/** The claim is gone. Upstream: reclaimVolume. */
function planRelease(volume: PersistentVolume): Plan {
  const { phase } = volume.status ?? {};
  const release = phase === 'Released' || phase === 'Failed' ? [] : phaseUpdate(volume, 'Released');
  return andThen(release, ([outcome]) => planReclaim((outcome?.object as PersistentVolume | undefined) ?? volume));
}

function planReclaim(volume: PersistentVolume): Plan {
  switch (volume.spec.persistentVolumeReclaimPolicy) {
    case 'Retain':
      return NOTHING_TO_DO;
    case 'Recycle':
      return planFailure(volume, 'VolumeFailedRecycle', 'No recycler plugin found for the volume!');
    case 'Delete':
      return planDeletion(volume);
    default:
      return planFailure(volume, 'VolumeUnknownReclaimPolicy', 'Volume has unrecognized PersistentVolumeReclaimPolicy');
  }
}

const DELETABLE_PATH = /^\/tmp\/.+/;
const INTERNAL = 'kubernetes.io/';

/** Volumes of others, and those of CSI drivers, are deleted by whoever made them. Upstream: findDeletablePlugin. */
function planDeletion(volume: PersistentVolume): Plan {
  const { metadata, spec } = volume;
  const provisioner = metadata.annotations?.[PROVISIONED_BY];
  if ((provisioner !== undefined && !provisioner.startsWith(INTERNAL)) || spec.csi) return NOTHING_TO_DO;
  const { hostPath } = spec;
  if (hostPath && DELETABLE_PATH.test(hostPath.path)) {
    return { actions: [{ ...deletionOf(PersistentVolumes, volume), because: { rule: 'VOL-4' } }] };
  }
  const message = hostPath
    ? `host_path deleter only supports /tmp/.+ but received provided ${hostPath.path}`
    : `error getting deleter volume plugin for volume "${metadata.name}": no deletable volume plugin matched`;
  return planFailure(volume, 'VolumeFailedDelete', message);
}

function planFailure(volume: PersistentVolume, reason: string, message: string): Plan {
  if (volume.status?.phase === 'Failed') return NOTHING_TO_DO;
  const told: Action = { type: 'event', about: volume, note: { type: 'Warning', reason, message }, because: { rule: 'VOL-4' } };
  return andThen(phaseUpdate(volume, 'Failed', message), () => ({ actions: [told] }));
}

/** Upstream: updateVolumePhase. */
export function phaseUpdate(volume: PersistentVolume, phase: Phase, message = ''): Action[] {
  if (volume.status?.phase === phase) return [];
  const { message: _, ...rest } = volume.status ?? {};
  const object = { ...volume, status: { ...rest, phase, ...(message ? { message } : {}) } } as PersistentVolume;
  return [{ type: 'update', resource: PersistentVolumes, subresource: 'status', object, because: { rule: 'VOL-3', facts: { phase } } }];
}
