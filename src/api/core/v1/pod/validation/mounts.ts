import { at, type FieldError, forbidden, invalid, notFound, notSupported, required } from '../../../../field-error.ts';
import type { Container, EphemeralContainer, Volume, VolumeDevice, VolumeMount } from '../../../../generated/types/core.v1.ts';
import { checkLocalDescendingPath } from '../../../../validation.ts';

type AnyContainer = Container | EphemeralContainer;
export type Volumes = ReadonlyMap<string, Volume>;

function checkPropagation(mount: VolumeMount, container: AnyContainer, field: string): FieldError[] {
  const { mountPropagation } = mount;
  if (mountPropagation === undefined) return [];
  if (mountPropagation === 'Bidirectional') {
    return container.securityContext?.privileged ? [] : [forbidden(field, 'Bidirectional mount propagation is available only to privileged containers')];
  }
  const supported = ['Bidirectional', 'HostToContainer', 'None'];
  return supported.includes(mountPropagation) ? [] : [notSupported(field, mountPropagation, supported)];
}

function checkRecursiveReadOnly({ recursiveReadOnly, readOnly, mountPropagation }: VolumeMount, field: string): FieldError[] {
  switch (recursiveReadOnly) {
    case undefined:
    case 'Disabled':
      return [];
    case 'Enabled':
    case 'IfPossible': {
      const errors: FieldError[] = [];
      if (!readOnly) errors.push(forbidden(field, 'may only be specified when readOnly is true'));
      if (mountPropagation !== undefined && mountPropagation !== 'None')
        errors.push(forbidden(field, 'may only be specified when mountPropagation is None or not specified'));
      return errors;
    }
    default:
      return [notSupported(field, recursiveReadOnly, ['Disabled', 'Enabled', 'IfPossible'])];
  }
}

/** Upstream: ValidateVolumeMounts. Some faults stand on the list, not on the element, as there. */
export function checkMounts(container: AnyContainer, volumes: Volumes, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const taken = new Set<string>();
  const devices = container.volumeDevices ?? [];
  (container.volumeMounts ?? []).forEach((mount, index) => {
    const path = at(field, index);
    const { name, mountPath, subPath, subPathExpr } = mount;
    if (!name) errors.push(required(`${path}.name`));
    const volume = volumes.get(name);
    if (!volume) errors.push(notFound(`${path}.name`, name ?? ''));
    if (!mountPath) errors.push(required(`${path}.mountPath`));
    if (taken.has(mountPath)) errors.push(invalid(`${path}.mountPath`, mountPath, 'must be unique'));
    taken.add(mountPath);
    if (devices.some((device) => device.name === name)) errors.push(invalid(`${path}.name`, name, 'must not already exist in volumeDevices'));
    if (devices.some((device) => device.devicePath === mountPath))
      errors.push(invalid(`${path}.mountPath`, mountPath, 'must not already exist as a path in volumeDevices'));
    if (volume?.image && subPath) errors.push(invalid(`${path}.subPath`, subPath, 'not allowed in image volume sources'));
    if (volume?.image && subPathExpr) errors.push(invalid(`${path}.subPathExpr`, subPathExpr, 'not allowed in image volume sources'));
    if (subPath) errors.push(...checkLocalDescendingPath(subPath, `${field}.subPath`));
    if (subPathExpr) {
      if (subPath) errors.push(invalid(`${path}.subPathExpr`, subPathExpr, 'subPathExpr and subPath are mutually exclusive'));
      errors.push(...checkLocalDescendingPath(subPathExpr, `${field}.subPathExpr`));
    }
    errors.push(...checkPropagation(mount, container, `${field}.mountPropagation`), ...checkRecursiveReadOnly(mount, `${field}.recursiveReadOnly`));
  });
  return errors;
}

/** Upstream: ValidateVolumeDevices. */
export function checkDevices(container: AnyContainer, volumes: Volumes, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  const paths = new Set<string>();
  const mounts = container.volumeMounts ?? [];
  (container.volumeDevices ?? []).forEach(({ name, devicePath }: VolumeDevice, index) => {
    const path = at(field, index);
    const volume = volumes.get(name);
    if (!name) errors.push(required(`${path}.name`));
    if (names.has(name)) errors.push(invalid(`${path}.name`, name, 'must be unique'));
    if (volume && !volume.persistentVolumeClaim && !volume.ephemeral) {
      errors.push(invalid(`${path}.name`, name, 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode'));
    }
    if (!volume) errors.push(notFound(`${path}.name`, name ?? ''));
    if (!devicePath) errors.push(required(`${path}.devicePath`));
    if (paths.has(devicePath)) errors.push(invalid(`${path}.devicePath`, devicePath, 'must be unique'));
    if (devicePath?.split('/').includes('..')) errors.push(invalid(`${path}.devicePath`, devicePath, "can not contain backsteps ('..')"));
    else paths.add(devicePath);
    if (mounts.some((mount) => mount.name === name)) errors.push(invalid(`${path}.name`, name, 'must not already exist in volumeMounts'));
    if (mounts.some((mount) => mount.mountPath === devicePath))
      errors.push(invalid(`${path}.devicePath`, devicePath, 'must not already exist as a path in volumeMounts'));
    if (name) names.add(name);
  });
  return errors;
}
