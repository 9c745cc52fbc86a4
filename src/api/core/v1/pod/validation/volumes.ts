import { at, duplicate, type FieldError, forbidden, invalid, required } from '../../../../field-error.ts';
import type { DownwardAPIVolumeFile, KeyToPath, Volume, VolumeProjection } from '../../../../generated/types/core.v1.ts';
import { parseQuantity } from '../../../../quantity.ts';
import { checkLabelName, checkLocalNonReservedPath, checkNoBacksteps, checkOptionalOneOf, checkPresent } from '../../../../validation.ts';
import { checkFieldRef, checkResourceFieldRef } from './environment.ts';

const MODE_FAULT = 'must be a number between 0 and 0777 (octal), both inclusive';
const HOST_PATH_TYPES = ['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'];

const checkMode = (mode: number | undefined, field: string): FieldError[] =>
  mode === undefined || (mode >= 0 && mode <= 0o777) ? [] : [invalid(field, mode, MODE_FAULT)];

function checkItems(items: readonly KeyToPath[] | undefined, field: string): FieldError[] {
  return (items ?? []).flatMap(({ key, path, mode }, index) => {
    const base = at(`${field}.items`, index);
    return [
      ...checkPresent(key, `${base}.key`),
      ...(path ? checkLocalNonReservedPath(path, `${base}.path`) : [required(`${base}.path`)]),
      ...checkMode(mode, `${base}.mode`),
    ];
  });
}

function checkDownwardFile({ path, fieldRef, resourceFieldRef, mode }: DownwardAPIVolumeFile, field: string): FieldError[] {
  const errors = path ? checkLocalNonReservedPath(path, `${field}.path`) : [required(`${field}.path`)];
  if (fieldRef) {
    errors.push(...checkFieldRef(fieldRef, `${field}.fieldRef`, { volume: true }));
    if (resourceFieldRef) errors.push(invalid(field, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'));
  } else if (resourceFieldRef) errors.push(...checkResourceFieldRef(resourceFieldRef, `${field}.resourceFieldRef`, { volume: true }));
  else errors.push(required(field, 'one of fieldRef and resourceFieldRef is required'));
  return [...errors, ...checkMode(mode, `${field}.mode`)];
}

function checkProjection(source: VolumeProjection, field: string): FieldError[] {
  const { secret, configMap, downwardAPI, serviceAccountToken: token } = source;
  if (Object.keys(source).length > 1) return [forbidden(field, 'may not specify more than 1 volume type')];
  if (secret) return [...checkPresent(secret.name, `${field}.secret.name`), ...checkItems(secret.items, `${field}.secret`)];
  if (configMap) return [...checkPresent(configMap.name, `${field}.configMap.name`), ...checkItems(configMap.items, `${field}.configMap`)];
  if (downwardAPI) return (downwardAPI.items ?? []).flatMap((file, index) => checkDownwardFile(file, at(`${field}.downwardAPI.items`, index)));
  if (!token) return [];
  const path = `${field}.serviceAccountToken`;
  const seconds = token.expirationSeconds ?? 3600;
  const errors: FieldError[] = [];
  if (seconds < 600) errors.push(invalid(`${path}.expirationSeconds`, seconds, 'may not be less than 10 minutes'));
  if (seconds > 2 ** 32) errors.push(invalid(`${path}.expirationSeconds`, seconds, 'may not be larger than 2^32 seconds'));
  return [...errors, ...(token.path ? checkLocalNonReservedPath(token.path, `${path}.path`) : [required(`${path}.path`)])];
}

function checkProjected({ sources, defaultMode }: NonNullable<Volume['projected']>, field: string): FieldError[] {
  const taken = new Set<string>();
  const errors = checkMode(defaultMode, `${field}.defaultMode`);
  (sources ?? []).forEach((source, index) => {
    const path = at(`${field}.sources`, index);
    errors.push(...checkProjection(source, path));
    const files =
      source.secret?.items ?? source.configMap?.items ?? source.downwardAPI?.items ?? (source.serviceAccountToken ? [source.serviceAccountToken] : []);
    for (const { path: file } of files) {
      if (taken.has(file)) errors.push(invalid(path, file, 'conflicting duplicate paths'));
      taken.add(file);
    }
  });
  return errors;
}

const present =
  (...names: string[]) =>
  (source: object, field: string): FieldError[] =>
    names.flatMap((name) => ((source as Record<string, unknown>)[name] ? [] : [required(`${field}.${name}`)]));

type Source = Exclude<keyof Volume, 'name'>;
type Check<K extends Source> = (source: NonNullable<Volume[K]>, field: string, context: { isPod: boolean }) => FieldError[];

/** By source, in upstream's order: the first that a volume has is checked, any further one is one too many. */
const CHECKS: { [K in Source]: Check<K> } = {
  emptyDir: ({ sizeLimit }, field) =>
    sizeLimit !== undefined && parseQuantity(sizeLimit).nano < 0n ? [forbidden(`${field}.sizeLimit`, 'SizeLimit field must be a valid resource quantity')] : [],
  hostPath: ({ path, type }, field) => [
    ...(path ? checkNoBacksteps(path, `${field}.path`) : [required(`${field}.path`)]),
    ...checkOptionalOneOf(type, HOST_PATH_TYPES, `${field}.type`),
  ],
  gitRepo: present('repository'),
  gcePersistentDisk: present('pdName'),
  awsElasticBlockStore: present('volumeID'),
  secret: ({ secretName, defaultMode, items }, field) => [
    ...checkPresent(secretName, `${field}.secretName`),
    ...checkMode(defaultMode, `${field}.defaultMode`),
    ...checkItems(items, field),
  ],
  nfs: ({ server, path }, field) => [
    ...checkPresent(server, `${field}.server`),
    ...(path ? [] : [required(`${field}.path`)]),
    ...(path?.startsWith('/') ? [] : [invalid(`${field}.path`, path ?? '', 'must be an absolute path')]),
  ],
  iscsi: present('targetPortal', 'iqn'),
  glusterfs: present('endpoints', 'path'),
  flocker: ({ datasetName, datasetUUID }, field) => {
    if (!datasetName && !datasetUUID) return [required(field, 'one of datasetName and datasetUUID is required')];
    return datasetName && datasetUUID ? [invalid(field, 'resource', 'datasetName and datasetUUID can not be specified simultaneously')] : [];
  },
  persistentVolumeClaim: present('claimName'),
  rbd: present('monitors', 'image'),
  cinder: present('volumeID'),
  cephfs: present('monitors'),
  quobyte: present('registry', 'volume'),
  downwardAPI: ({ defaultMode, items }, field) => [
    ...checkMode(defaultMode, `${field}.defaultMode`),
    ...(items ?? []).flatMap((file, index) => checkDownwardFile(file, at(`${field}.items`, index))),
  ],
  fc: () => [],
  flexVolume: present('driver'),
  configMap: ({ name, defaultMode, items }, field) => [
    ...checkPresent(name, `${field}.name`),
    ...checkMode(defaultMode, `${field}.defaultMode`),
    ...checkItems(items, field),
  ],
  azureFile: present('secretName', 'shareName'),
  vsphereVolume: present('volumePath'),
  photonPersistentDisk: present('pdID'),
  portworxVolume: present('volumeID'),
  azureDisk: present('diskName', 'diskURI'),
  storageos: present('volumeName'),
  projected: checkProjected,
  scaleIO: present('gateway', 'system', 'volumeName'),
  csi: present('driver'),
  ephemeral: ({ volumeClaimTemplate }, field) => (volumeClaimTemplate ? [] : [required(`${field}.volumeClaimTemplate`)]),
  image: ({ reference, pullPolicy }, field, { isPod }) => [
    ...(reference || !isPod ? [] : [required(`${field}.reference`)]),
    ...checkOptionalOneOf(pullPolicy, ['Always', 'IfNotPresent', 'Never'], `${field}.pullPolicy`),
  ],
};

function checkSource(volume: Volume, field: string, context: { isPod: boolean }): FieldError[] {
  const given = (Object.keys(CHECKS) as Source[]).filter((source) => volume[source] !== undefined);
  if (given.length === 0) return [required(field, 'must specify a volume type')];
  return given.flatMap((source, index) => {
    const path = `${field}.${source}`;
    if (index > 0) return [forbidden(path, 'may not specify more than 1 volume type')];
    return (CHECKS[source] as Check<typeof source>)(volume[source] as never, path, context);
  });
}

/** Upstream: ValidateVolumes. `sound` are the volumes that may be mounted. */
export function checkVolumes(
  volumes: readonly Volume[] | undefined,
  field: string,
  context: { isPod: boolean },
): { errors: FieldError[]; sound: Map<string, Volume> } {
  const sound = new Map<string, Volume>();
  const errors = (volumes ?? []).flatMap((volume, index) => {
    const path = at(field, index);
    const found = checkSource(volume, path, context);
    if (!volume.name) found.push(required(`${path}.name`));
    else found.push(...checkLabelName(volume.name, `${path}.name`));
    if (sound.has(volume.name)) found.push(duplicate(`${path}.name`, volume.name));
    if (found.length === 0) sound.set(volume.name, volume);
    return found;
  });
  return { errors, sound };
}
