import { asGiven } from '../../emptied.ts';
import { at, type FieldError, forbidden, invalid, notSupported, required, tooLong } from '../../field-error.ts';
import type { PersistentVolumeSpec, SecretReference, Volume } from '../../generated/types/core.v1.ts';
import { dns1123SubdomainFaults, inclusiveRange } from '../../names.ts';
import {
  checkLabelName,
  checkLocalDescendingPath,
  checkNoBacksteps,
  checkOptionalOneOf,
  checkPresent,
  checkSubdomain,
  sortedEntries,
} from '../../validation.ts';

/** Upstream: pkg/apis/core/validation, the validate…VolumeSource functions that pods' volumes and PersistentVolumes share. */

type Of<T, K> = K extends keyof T ? NonNullable<T[K]> : never;
type Source<K> = Of<Volume, K> | Of<PersistentVolumeSpec, K>;
type Check<T> = (source: T, field: string) => FieldError[];

const HOST_PATH_TYPES = ['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'];

const isPresent = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value));

/** Texts and lists that must be there. */
const present =
  (...names: string[]): Check<object> =>
  (source, field) =>
    names.flatMap((name) => (isPresent((source as Record<string, unknown>)[name]) ? [] : [required(`${field}.${name}`)]));

/** @param min as the message has it; zero stands for no number at all and is let through in any case */
const checkUpTo255 = (value: number | undefined, field: string, min: number): FieldError[] =>
  value === undefined || (value >= 0 && value <= 255) ? [] : [invalid(field, value, inclusiveRange(min, 255))];

const checkHostPath: Check<Source<'hostPath'>> = ({ path, type }, field) => {
  if (!path) return [required(`${field}.path`)];
  return [...checkNoBacksteps(path, `${field}.path`), ...checkOptionalOneOf(type, HOST_PATH_TYPES, `${field}.type`)];
};

const checkLocal: Check<Source<'local'>> = ({ path }, field) => (path ? checkNoBacksteps(path, `${field}.path`) : [required(`${field}.path`)]);

const checkGitRepo: Check<Source<'gitRepo'>> = ({ repository, directory = '' }, field) => [
  ...checkPresent(repository, `${field}.repository`),
  ...checkLocalDescendingPath(directory, `${field}.directory`),
];

const checkDisk =
  (name: 'pdName' | 'volumeID'): Check<{ pdName?: string; volumeID?: string; partition?: number }> =>
  (source, field) => [...checkPresent(source[name], `${field}.${name}`), ...checkUpTo255(source.partition, `${field}.partition`, 1)];

const checkNfs: Check<Source<'nfs'>> = ({ server, path = '' }, field) => [
  ...checkPresent(server, `${field}.server`),
  ...checkPresent(path, `${field}.path`),
  ...(path.startsWith('/') ? [] : [invalid(`${field}.path`, path, 'must be an absolute path')]),
];

const ISCSI_NAMES: readonly [prefix: string, form: RegExp][] = [
  ['iqn', /iqn\.\d{4}-\d{2}\.([A-Za-z0-9.-]+)(:[^,;*&$|\s]+)$/],
  ['eui', /^eui.[A-Za-z0-9]{16}$/],
  ['naa', /^naa.[A-Za-z0-9]{32}$/],
];

/** @param unknown what is said of a name that begins like none of them */
function checkIscsiName(name: string, field: string, unknown: string): FieldError[] {
  const known = ISCSI_NAMES.find(([prefix]) => name.startsWith(prefix));
  if (!known) return [invalid(field, name, unknown)];
  return known[1].test(name) ? [] : [invalid(field, name, 'must be valid format')];
}

type Iscsi = Source<'iscsi'>;

function checkIscsiParts({ iqn, lun, chapAuthDiscovery, chapAuthSession, secretRef }: Iscsi, field: string, unknownName: string): FieldError[] {
  return [
    ...(iqn ? checkIscsiName(iqn, `${field}.iqn`, unknownName) : [required(`${field}.iqn`)]),
    ...checkUpTo255(lun, `${field}.lun`, 0),
    ...((chapAuthDiscovery || chapAuthSession) && !secretRef ? [required(`${field}.secretRef`)] : []),
  ];
}

const checkInitiator = ({ initiatorName: name }: Iscsi, field: string, unknownName: string): FieldError[] =>
  name === undefined ? [] : checkIscsiName(name, `${field}.initiatorname`, unknownName);

export const ISCSI_TOO_LONG = 'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';

/** With an initiator's name, a volume's name and its portal are put together. */
export const isIscsiTooLong = ({ initiatorName, targetPortal = '' }: Iscsi, name: string): boolean =>
  initiatorName !== undefined && `${name}:${targetPortal}`.length > 64;

const NAME_START = 'must be valid format starting with iqn, eui, or naa';

const checkIscsi: Check<Iscsi> = (source, field) => [
  ...checkPresent(source.targetPortal, `${field}.targetPortal`),
  ...checkIscsiParts(source, field, NAME_START),
  ...checkInitiator(source, field, NAME_START),
];

export function checkPersistentIscsi(source: Iscsi, field: string, volumeName: string): FieldError[] {
  const { targetPortal, secretRef } = source;
  return [
    ...checkPresent(targetPortal, `${field}.targetPortal`),
    ...(isIscsiTooLong(source, volumeName) ? [invalid(`${field}.targetportal`, targetPortal ?? '', ISCSI_TOO_LONG)] : []),
    ...checkIscsiParts(source, field, 'must be valid format'),
    ...(secretRef ? checkPresent(secretRef.name, `${field}.secretRef.name`) : []),
    ...checkInitiator(source, field, 'must be valid format'),
  ];
}

const checkGlusterfs = present('endpoints', 'path');

const checkPersistentGlusterfs: Check<NonNullable<PersistentVolumeSpec['glusterfs']>> = (source, field) => {
  const errors = checkGlusterfs(source, field);
  const { endpointsNamespace: namespace } = source;
  const path = `${field}.endpointsNamespace`;
  if (namespace === undefined) return errors;
  if (namespace === '') return [...errors, invalid(path, namespace, 'if the endpointnamespace is set, it must be a valid namespace name')];
  return [...errors, ...checkLabelName(namespace, path)];
};

const checkFlocker: Check<Source<'flocker'>> = ({ datasetName = '', datasetUUID = '' }, field) => [
  ...(datasetName || datasetUUID ? [] : [required(field, 'one of datasetName and datasetUUID is required')]),
  ...(datasetName && datasetUUID ? [invalid(field, 'resource', 'datasetName and datasetUUID can not be specified simultaneously')] : []),
  ...(datasetName.includes('/') ? [invalid(`${field}.datasetName`, datasetName, "must not contain '/'")] : []),
];

const HOST_PORT = /^(?:\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/;
const REGISTRY = 'must be a host:port pair or multiple pairs separated by commas';
const MAX_TENANT = 64;

function checkRegistry(registry: string | undefined, tenant: string, field: string): FieldError[] {
  if (!registry) return [required(`${field}.registry`, REGISTRY)];
  if (tenant.length > MAX_TENANT) return [required(`${field}.tenant`, 'must be a UUID and may not exceed a length of 64 characters')];
  return registry.split(',').flatMap((pair) => (HOST_PORT.test(pair) ? [] : [invalid(`${field}.registry`, registry, REGISTRY)]));
}

const checkQuobyte: Check<Source<'quobyte'>> = ({ registry, volume, tenant = '' }, field) => [
  ...checkRegistry(registry, tenant, field),
  ...checkPresent(volume, `${field}.volume`),
];

const checkFc: Check<Source<'fc'>> = (source, field) => {
  const { targetWWNs = [], wwids = [], lun } = source;
  const path = `${field}.targetWWNs`;
  const errors: FieldError[] = [];
  if (!targetWWNs.length && !wwids.length) errors.push(required(path, 'must specify either targetWWNs or wwids, but not both'));
  if (targetWWNs.length && wwids.length) errors.push(invalid(path, asGiven(source, 'targetWWNs'), 'targetWWNs and wwids can not be specified simultaneously'));
  if (!targetWWNs.length) return errors;
  if (lun === undefined) return [...errors, required(`${field}.lun`, 'lun is required if targetWWNs is specified')];
  return [...errors, ...checkUpTo255(lun, `${field}.lun`, 0)];
};

const isReserved = (option: string): boolean => /(?:^|\.)(?:kubernetes|k8s)\.io$/.test(option.replace(/\/.*$/s, '').toLowerCase());

const checkFlexVolume: Check<Source<'flexVolume'>> = ({ driver, options }, field) => [
  ...checkPresent(driver, `${field}.driver`),
  ...sortedEntries(options).flatMap(([key]) =>
    isReserved(key) ? [invalid(at(`${field}.options`, key), key, 'kubernetes.io and k8s.io namespaces are reserved')] : [],
  ),
];

const DISK_KINDS = ['Dedicated', 'Managed', 'Shared'];
const MANAGED_URI = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const BLOB_URI = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

const checkAzureDisk: Check<Source<'azureDisk'>> = (source, field) => {
  const { diskURI = '', cachingMode, kind } = source;
  const errors = [
    ...present('diskName', 'diskURI')(source, field),
    ...checkOptionalOneOf(cachingMode, ['None', 'ReadOnly', 'ReadWrite'], `${field}.cachingMode`),
    ...checkOptionalOneOf(kind, DISK_KINDS, `${field}.kind`),
  ];
  if (kind === undefined) return errors;
  const { start, form } = kind === 'Managed' ? { start: '/subscriptions/', form: MANAGED_URI } : { start: 'https://', form: BLOB_URI };
  return diskURI.startsWith(start) ? errors : [...errors, notSupported(`${field}.diskURI`, diskURI, [form])];
};

const checkStorageOs: Check<Source<'storageos'>> = ({ volumeName, volumeNamespace, secretRef }, field) => [
  ...(volumeName ? checkLabelName(volumeName, `${field}.volumeName`) : [required(`${field}.volumeName`)]),
  ...(volumeNamespace ? checkLabelName(volumeNamespace, `${field}.volumeNamespace`) : []),
  ...(secretRef ? checkPresent(secretRef.name, `${field}.secretRef.name`) : []),
];

const checkCinder: Check<Source<'cinder'>> = ({ volumeID, secretRef }, field) => [
  ...checkPresent(volumeID, `${field}.volumeID`),
  ...(secretRef ? checkPresent(secretRef.name, `${field}.secretRef.name`) : []),
];

/** Where there is no pod that has one, a secret's namespace must be told. */
const withSecretNamespace =
  <T extends { secretRef?: { namespace?: string } }>(check: Check<T>): Check<T> =>
  (source, field) => [...check(source, field), ...(source.secretRef ? checkPresent(source.secretRef.namespace, `${field}.secretRef.namespace`) : [])];

const checkAzureFile = present('secretName', 'shareName');

const checkPersistentAzureFile: Check<NonNullable<PersistentVolumeSpec['azureFile']>> = (source, field) => [
  ...checkAzureFile(source, field),
  ...(source.secretNamespace === '' ? [required(`${field}.secretNamespace`)] : []),
];

const MAX_DRIVER = 63;

/** Upstream: ValidateCSIDriverName. */
function checkDriver(driver: string, field: string): FieldError[] {
  return [
    ...checkPresent(driver, field),
    ...(driver.length > MAX_DRIVER ? [tooLong(field, MAX_DRIVER)] : []),
    ...dns1123SubdomainFaults(driver.toLowerCase()).map((fault) => invalid(field, driver, fault)),
  ];
}

const checkCsi: Check<NonNullable<Volume['csi']>> = ({ driver = '', nodePublishSecretRef: secret }, field) => [
  ...checkDriver(driver, `${field}.driver`),
  ...(secret && !secret.name ? [required(`${field}.nodePublishSecretRef.name`)] : []),
  ...(secret?.name ? checkSubdomain(secret.name, `${field}.name`) : []),
];

const checkSecretReference = ({ name, namespace }: SecretReference, field: string): FieldError[] => [
  ...(name ? checkSubdomain(name, `${field}.name`) : [required(`${field}.name`)]),
  ...(namespace ? checkLabelName(namespace, `${field}.namespace`) : [required(`${field}.namespace`)]),
];

const CSI_SECRETS = ['controllerPublishSecretRef', 'controllerExpandSecretRef', 'nodePublishSecretRef', 'nodeExpandSecretRef'] as const;

const checkPersistentCsi: Check<NonNullable<PersistentVolumeSpec['csi']>> = (source, field) => [
  ...checkDriver(source.driver ?? '', `${field}.driver`),
  ...checkPresent(source.volumeHandle, `${field}.volumeHandle`),
  ...CSI_SECRETS.flatMap((key) => (source[key] ? checkSecretReference(source[key], `${field}.${key}`) : [])),
];

const SHARED = {
  hostPath: checkHostPath,
  gcePersistentDisk: checkDisk('pdName'),
  awsElasticBlockStore: checkDisk('volumeID'),
  nfs: checkNfs,
  flocker: checkFlocker,
  rbd: present('monitors', 'image'),
  cephfs: present('monitors'),
  quobyte: checkQuobyte,
  fc: checkFc,
  flexVolume: checkFlexVolume,
  vsphereVolume: present('volumePath'),
  photonPersistentDisk: present('pdID'),
  portworxVolume: present('volumeID'),
  azureDisk: checkAzureDisk,
  scaleIO: present('gateway', 'system', 'volumeName'),
};

export const OF_PODS = {
  ...SHARED,
  gitRepo: checkGitRepo,
  iscsi: checkIscsi,
  glusterfs: checkGlusterfs,
  persistentVolumeClaim: present('claimName'),
  cinder: checkCinder,
  azureFile: checkAzureFile,
  storageos: checkStorageOs,
  csi: checkCsi,
};

export const OF_PERSISTENT_VOLUMES = {
  ...SHARED,
  glusterfs: checkPersistentGlusterfs,
  cinder: withSecretNamespace<NonNullable<PersistentVolumeSpec['cinder']>>(checkCinder),
  azureFile: checkPersistentAzureFile,
  local: checkLocal,
  storageos: withSecretNamespace<NonNullable<PersistentVolumeSpec['storageos']>>(checkStorageOs),
  csi: checkPersistentCsi,
};

/** By source, in upstream's order. */
export type SourceChecks<T> = { readonly [K in keyof T]?: Check<NonNullable<T[K]>> };

export interface SourcePlaces<T> {
  /** Where the faults of what is in a source stand, if not at its name. */
  inside?: { readonly [K in keyof T]?: string };
  /** Where it stands that a source is one too many, if not at its name. */
  excess?: { readonly [K in keyof T]?: string };
  /** What upstream forgot to call one too many. */
  neverExcess?: keyof T;
}

/** Of several sources the first is checked, and each further one is one too many. */
export function checkSources<T extends object>(owner: T, field: string, checks: SourceChecks<T>, places: SourcePlaces<T>): FieldError[] {
  const given = (Object.keys(checks) as (keyof T & string)[]).filter((name) => owner[name] !== undefined);
  if (given.length === 0) return [required(field, 'must specify a volume type')];
  return given.flatMap((name, index) => {
    if (index > 0 && name !== places.neverExcess) return [forbidden(`${field}.${places.excess?.[name] ?? name}`, 'may not specify more than 1 volume type')];
    return checks[name]!(owner[name]!, `${field}.${places.inside?.[name] ?? name}`);
  });
}
