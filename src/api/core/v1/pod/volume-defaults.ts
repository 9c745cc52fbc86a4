import type { Volume } from '../../../generated/types/core.v1.ts';
import { defaultPullPolicy } from './image-reference.ts';

/** 0644 */
const FILE_MODE = 420;

/** Upstream: SetDefaults_Volume and the SetDefaults_…VolumeSource of pkg/apis/core/v1. */
export function setVolumeDefaults(volume: Volume): void {
  if (Object.keys(volume).every((key) => key === 'name')) volume.emptyDir = {};
  if (volume.image) volume.image.pullPolicy ||= defaultPullPolicy(volume.image.reference ?? '');
  if (volume.secret) volume.secret.defaultMode ??= FILE_MODE;
  if (volume.configMap) volume.configMap.defaultMode ??= FILE_MODE;
  if (volume.downwardAPI) {
    volume.downwardAPI.defaultMode ??= FILE_MODE;
    for (const item of volume.downwardAPI.items ?? []) if (item.fieldRef) item.fieldRef.apiVersion ||= 'v1';
  }
  if (volume.projected) setProjectedDefaults(volume.projected);
  if (volume.ephemeral?.volumeClaimTemplate?.spec) volume.ephemeral.volumeClaimTemplate.spec.volumeMode ??= 'Filesystem';
  setLegacyVolumeDefaults(volume);
}

function setProjectedDefaults(projected: NonNullable<Volume['projected']>): void {
  projected.defaultMode ??= FILE_MODE;
  for (const source of projected.sources ?? []) {
    if (source.serviceAccountToken) source.serviceAccountToken.expirationSeconds ??= 3600;
    if (source.podCertificate) source.podCertificate.maxExpirationSeconds ??= 86400;
    for (const item of source.downwardAPI?.items ?? []) if (item.fieldRef) item.fieldRef.apiVersion ||= 'v1';
  }
}

/** Of the volumes that stand in PersistentVolumes, too. */
export function setLegacyVolumeDefaults(
  volume: Pick<Volume, 'hostPath' | 'iscsi' | 'rbd' | 'azureDisk'> & { scaleIO?: { storageMode?: string; fsType?: string } },
): void {
  if (volume.hostPath) volume.hostPath.type ??= '';
  if (volume.iscsi) volume.iscsi.iscsiInterface ||= 'default';
  if (volume.rbd) {
    volume.rbd.pool ||= 'rbd';
    volume.rbd.user ||= 'admin';
    volume.rbd.keyring ||= '/etc/ceph/keyring';
  }
  if (volume.azureDisk) {
    volume.azureDisk.cachingMode ??= 'ReadWrite';
    volume.azureDisk.kind ??= 'Shared';
    volume.azureDisk.fsType ??= 'ext4';
    volume.azureDisk.readOnly ??= false;
  }
  if (volume.scaleIO) {
    volume.scaleIO.storageMode ||= 'ThinProvisioned';
    volume.scaleIO.fsType ||= 'xfs';
  }
}
