import {
  BIND_COMPLETED,
  BOUND_BY_CONTROLLER,
  boundToClaim,
  classNameOf,
  hasAccessModes,
  hasSameMode,
  isKeptFor,
  isLargeEnough,
  matchingVolume,
  namesClass,
  SELECTED_NODE,
  waitsForConsumer,
} from '../../api/core/v1/volume-matching.ts';
import { deepEqual } from '../../api/equality.ts';
import type { PersistentVolume, PersistentVolumeClaim, PersistentVolumeClaimStatus } from '../../api/generated/types/core.v1.ts';
import type { StorageClass } from '../../api/generated/types/storage.v1.ts';
import { compareQuantities } from '../../api/quantity.ts';
import { PersistentVolumeClaims, PersistentVolumes } from '../../api/resources.ts';
import type { EventType } from '../../client/event-recorder.ts';
import { type Action, andThen, type Plan } from '../runtime/plan.ts';
import { phaseUpdate } from './volume-plan.ts';

/** What is known of a claim when it is looked at. */
export interface ClaimSnapshot {
  claim: PersistentVolumeClaim;
  volumes: readonly PersistentVolume[];
  /** The class that it names, if there is one. */
  storageClass: StorageClass | undefined;
  /** What a claim gets that names none. */
  defaultClass: StorageClass | undefined;
  /** Names of pods without a node that use it. */
  waitingPods: readonly string[];
}

/** What is not bound is looked at again. */
const PERIOD_MS = 15_000;

/** Upstream: pv_controller.go (syncClaim). */
export function planClaim(snapshot: ClaimSnapshot): Plan {
  const { claim } = snapshot;
  if (claim.metadata.annotations?.[BIND_COMPLETED] !== undefined) return planBound(snapshot);
  return { ...(claim.spec.volumeName ? planNamed(snapshot) : planOpen(snapshot)), requeueAfterMs: PERIOD_MS };
}

/** A claim that will take what fits. Upstream: syncUnboundClaim. */
function planOpen(snapshot: ClaimSnapshot): Plan {
  const { claim, volumes, storageClass, defaultClass, waitingPods } = snapshot;
  const waits = waitsForConsumer(storageClass);
  const volume = matchingVolume(claim, volumes, { waits });
  if (volume) return planBinding(claim, volume);
  if (!namesClass(claim) && defaultClass) {
    const object = { ...claim, spec: { ...claim.spec, storageClassName: defaultClass.metadata.name! } } as PersistentVolumeClaim;
    return { actions: [{ type: 'update', resource: PersistentVolumeClaims, object, because: { rule: 'VOL-7' } }] };
  }
  if (waits && claim.metadata.annotations?.[SELECTED_NODE] === undefined) return pending(claim, consumerNote(claim, waitingPods));
  if (classNameOf(claim) !== '') return planProvisioning(snapshot);
  return pending(claim, note(claim, 'Normal', 'FailedBinding', 'no persistent volumes available for this claim and no storage class is set'));
}

function consumerNote(claim: PersistentVolumeClaim, pods: readonly string[]): Action {
  if (pods.length === 0) return note(claim, 'Normal', 'WaitForFirstConsumer', 'waiting for first consumer to be created before binding');
  return note(claim, 'Normal', 'WaitForPodScheduled', `waiting for ${pods.length > 1 ? 'pods' : 'pod'} ${pods.join(',')} to be scheduled`);
}

/** Somebody else makes the volume; who, the claim is told. Upstream: provisionClaim, provisionClaimOperationExternal. */
function planProvisioning({ claim, storageClass }: ClaimSnapshot): Plan {
  const failed = (message: string): Plan => ({ actions: [note(claim, 'Warning', 'ProvisioningFailed', message)] });
  if (!storageClass) return failed(`storageclass.storage.k8s.io "${classNameOf(claim)}" not found`);
  const { provisioner } = storageClass;
  if (provisioner.startsWith('kubernetes.io/')) return failed(`no volume plugin matched name: ${provisioner}`);
  const told = { 'volume.beta.kubernetes.io/storage-provisioner': provisioner, 'volume.kubernetes.io/storage-provisioner': provisioner };
  const annotations = { ...claim.metadata.annotations, ...told };
  const object = { ...claim, metadata: { ...claim.metadata, annotations } };
  const update: Action[] = deepEqual(annotations, claim.metadata.annotations)
    ? []
    : [{ type: 'update', resource: PersistentVolumeClaims, object, because: { rule: 'VOL-6' } }];
  const message = `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`;
  return andThen(update, () => ({ actions: [note(claim, 'Normal', 'ExternalProvisioning', message)] }));
}

/** A claim that names its volume. */
function planNamed({ claim, volumes }: ClaimSnapshot): Plan {
  const volume = volumes.find(({ metadata }) => metadata.name === claim.spec.volumeName);
  if (!volume) return pending(claim);
  if (isKeptFor(volume, claim)) return planBinding(claim, volume);
  const { name } = volume.metadata;
  if (volume.spec.claimRef) {
    const taken = note(claim, 'Warning', 'FailedBinding', `volume "${name}" already bound to a different claim.`);
    if (claim.metadata.annotations?.[BOUND_BY_CONTROLLER] === undefined) return pending(claim, taken);
    return { actions: [taken], failure: `claim ${claim.metadata.name} is bound to volume ${name}, which another claim has` };
  }
  const fault = faultOf(volume, claim);
  return fault === undefined
    ? planBinding(claim, volume)
    : pending(claim, note(claim, 'Warning', 'VolumeMismatch', `Cannot bind to requested volume "${name}": ${fault}`));
}

/** Why the volume will not do. Upstream: checkVolumeSatisfyClaim. */
function faultOf(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  if (volume.metadata.deletionTimestamp !== undefined) return `the volume is marked for deletion "${volume.metadata.name}"`;
  if (!isLargeEnough(volume, claim)) return 'requested PV is too small';
  if (classNameOf(volume) !== classNameOf(claim)) return 'storageClassName does not match';
  if ((volume.spec.volumeAttributesClassName ?? '') !== (claim.spec.volumeAttributesClassName ?? '')) return 'volumeAttributesClassName does not match';
  if (!hasSameMode(volume, claim)) return 'incompatible volumeMode';
  return hasAccessModes(volume, claim) ? undefined : 'incompatible accessMode';
}

/** Upstream: syncBoundClaim. */
function planBound({ claim, volumes }: ClaimSnapshot): Plan {
  const lost = (reason: string, message: string): Plan => {
    if (claim.status?.phase === 'Lost') return { actions: [] };
    return { actions: [...statusUpdate(claim, 'Lost', undefined), note(claim, 'Warning', reason, message)] };
  };
  if (!claim.spec.volumeName) return lost('ClaimLost', 'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!');
  const volume = volumes.find(({ metadata }) => metadata.name === claim.spec.volumeName);
  if (!volume) return lost('ClaimLost', 'Bound claim has lost its PersistentVolume. Data on the volume is lost!');
  if (!volume.spec.claimRef || volume.spec.claimRef.uid === claim.metadata.uid) return planBinding(claim, volume);
  return lost('ClaimMisbound', 'Two claims are bound to the same volume, this one is bound incorrectly');
}

/** The volume first, its phase, the claim, its status: whatever breaks in between, the next look goes on from there. Upstream: bind. */
function planBinding(claim: PersistentVolumeClaim, volume: PersistentVolume): Plan {
  const kept = boundToClaim(volume, claim);
  const because = { rule: 'VOL-1', facts: { volume: volume.metadata.name! } };
  const keep: Action[] = kept ? [{ type: 'update', resource: PersistentVolumes, object: kept, because }] : [];
  return andThen(keep, ([outcome]) => {
    const current = (outcome?.object as PersistentVolume | undefined) ?? volume;
    return andThen(phaseUpdate(current, 'Bound'), () => planClaimBinding(claim, current));
  });
}

function planClaimBinding(claim: PersistentVolumeClaim, volume: PersistentVolume): Plan {
  const isNamed = claim.spec.volumeName === volume.metadata.name;
  const annotations = {
    ...claim.metadata.annotations,
    ...(isNamed || claim.metadata.annotations?.[BOUND_BY_CONTROLLER] !== undefined ? {} : { [BOUND_BY_CONTROLLER]: 'yes' }),
    [BIND_COMPLETED]: claim.metadata.annotations?.[BIND_COMPLETED] ?? 'yes',
  };
  const bound = { ...claim, metadata: { ...claim.metadata, annotations }, spec: { ...claim.spec, volumeName: volume.metadata.name! } };
  const isDone = isNamed && claim.metadata.annotations?.[BIND_COMPLETED] !== undefined;
  const bind: Action[] = isDone
    ? []
    : [{ type: 'update', resource: PersistentVolumeClaims, object: bound as PersistentVolumeClaim, because: { rule: 'VOL-1' } }];
  return andThen(bind, ([outcome]) => ({ actions: statusUpdate((outcome?.object as PersistentVolumeClaim | undefined) ?? claim, 'Bound', volume) }));
}

function pending(claim: PersistentVolumeClaim, ...notes: Action[]): Plan {
  return { actions: [...notes, ...statusUpdate(claim, 'Pending', undefined)] };
}

/** Upstream: updateClaimStatus. */
function statusUpdate(claim: PersistentVolumeClaim, phase: string, volume: PersistentVolume | undefined): Action[] {
  const { accessModes: _, capacity, currentVolumeAttributesClassName, ...rest } = claim.status ?? {};
  const status: PersistentVolumeClaimStatus = { ...rest, phase };
  if (volume) {
    const size = volume.spec.capacity?.['storage'] ?? '0';
    const isOld = claim.status?.phase !== phase && (!capacity?.['storage'] || compareQuantities(size, capacity['storage']) !== 0);
    const shown = isOld ? volume.spec.capacity : capacity;
    const attributes = claim.status?.phase === 'Pending' ? volume.spec.volumeAttributesClassName : currentVolumeAttributesClassName;
    if (volume.spec.accessModes) status.accessModes = volume.spec.accessModes;
    if (shown) status.capacity = shown;
    if (attributes !== undefined) status.currentVolumeAttributesClassName = attributes;
  }
  if (deepEqual(status, claim.status)) return [];
  const object = { ...claim, status } as PersistentVolumeClaim;
  return [{ type: 'update', resource: PersistentVolumeClaims, subresource: 'status', object, because: { rule: 'VOL-3', facts: { phase } } }];
}

function note(about: PersistentVolumeClaim, type: EventType, reason: string, message: string): Action {
  return { type: 'event', about, note: { type, reason, message }, because: { rule: 'VOL-5' } };
}
