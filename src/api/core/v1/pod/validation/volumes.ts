import { at, duplicate, type FieldError, forbidden, invalid, required } from '../../../../field-error.ts';
import type { DownwardAPIVolumeFile, KeyToPath, PersistentVolumeClaimTemplate, Volume, VolumeProjection } from '../../../../generated/types/core.v1.ts';
import type { ObjectMeta } from '../../../../generated/types/meta.v1.ts';
import { validateLabels } from '../../../../label-validation.ts';
import { METADATA_FIELDS } from '../../../../meta/fields.ts';
import { validateAnnotations } from '../../../../meta/validation.ts';
import { dns1123SubdomainFaults } from '../../../../names.ts';
import { parseQuantity } from '../../../../quantity.ts';
import { checkLabelName, checkLocalNonReservedPath, checkOptionalOneOf, checkPresent } from '../../../../validation.ts';
import { validateClaimSpec } from '../../claim-spec.ts';
import { checkSources, ISCSI_TOO_LONG, isIscsiTooLong, OF_PODS, type SourceChecks, type SourcePlaces } from '../../volume-sources.ts';
import { checkFieldRef, checkResourceFieldRef } from './environment.ts';

const MODE_FAULT = 'must be a number between 0 and 0777 (octal), both inclusive';

const checkMode = (mode: number | undefined, field: string): FieldError[] =>
  mode === undefined || (mode >= 0 && mode <= 0o777) ? [] : [invalid(field, mode, MODE_FAULT)];

function checkItems(items: readonly KeyToPath[] | undefined, field: string): FieldError[] {
  return (items ?? []).flatMap(({ key, path, mode }, index) => {
    const base = at(`${field}.items`, index);
    return [...checkPresent(key, `${base}.key`), ...checkFilePath(path, `${base}.path`), ...checkMode(mode, `${base}.mode`)];
  });
}

const checkFilePath = (path: string | undefined, field: string): FieldError[] => (path ? checkLocalNonReservedPath(path, field) : [required(field)]);

function checkDownwardFile({ path, fieldRef, resourceFieldRef, mode }: DownwardAPIVolumeFile, field: string): FieldError[] {
  const errors = checkFilePath(path, `${field}.path`);
  if (fieldRef) {
    errors.push(...checkFieldRef(fieldRef, `${field}.fieldRef`, { volume: true }));
    if (resourceFieldRef) errors.push(invalid(field, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'));
  } else if (resourceFieldRef) errors.push(...checkResourceFieldRef(resourceFieldRef, `${field}.resourceFieldRef`, { volume: true }));
  else errors.push(required(field, 'one of fieldRef and resourceFieldRef is required'));
  return [...errors, ...checkMode(mode, `${field}.mode`)];
}

type TokenProjection = NonNullable<VolumeProjection['serviceAccountToken']>;

/** The path's faults stand on the volume, not on the token, as upstream puts them. */
function checkToken({ expirationSeconds: seconds = 3600, path }: TokenProjection, field: string, volumeField: string): FieldError[] {
  const place = `${field}.expirationSeconds`;
  return [
    ...(seconds < 600 ? [invalid(place, seconds, 'may not specify a duration less than 10 minutes')] : []),
    ...(seconds > 2 ** 32 ? [invalid(place, seconds, 'may not specify a duration larger than 2^32 seconds')] : []),
    ...checkFilePath(path, `${volumeField}.path`),
  ];
}

const SOURCES = ['secret', 'configMap', 'downwardAPI', 'serviceAccountToken', 'clusterTrustBundle', 'podCertificate'] as const;

/** What is projected, and that no two files have one path. */
function checkProjected({ sources, defaultMode }: NonNullable<Volume['projected']>, field: string): FieldError[] {
  const taken = new Set<string>();
  /** @param shown what upstream names instead of the path, of some sources */
  const checkTaken = (path: string, shown = path): FieldError[] => {
    const errors = path && taken.has(path) ? [invalid(field, shown, 'conflicting duplicate paths')] : [];
    taken.add(path);
    return errors;
  };
  const checkFiles = (source: { name?: string; items?: KeyToPath[] }, path: string): FieldError[] => [
    ...checkPresent(source.name, `${path}.name`),
    ...(source.items ?? []).flatMap((item, index) => [
      ...checkItems([item], path).map((error) => ({ ...error, field: error.field.replace('.items[0]', at('.items', index)) })),
      ...checkTaken(item.path, source.name),
    ]),
  ];
  const checkSource = (source: VolumeProjection, path: string): FieldError[] => [
    ...(source.secret ? checkFiles(source.secret, `${path}.secret`) : []),
    ...(source.configMap ? checkFiles(source.configMap, `${path}.configMap`) : []),
    ...(source.downwardAPI?.items ?? []).flatMap((file) => [...checkDownwardFile(file, `${path}.downwardAPI`), ...checkTaken(file.path)]),
    ...(source.serviceAccountToken ? checkToken(source.serviceAccountToken, `${path}.serviceAccountToken`, field) : []),
    ...(SOURCES.filter((name) => source[name]).length > 1 ? [forbidden(path, 'may not specify more than 1 volume type per source')] : []),
  ];
  return [...checkMode(defaultMode, `${field}.defaultMode`), ...(sources ?? []).flatMap((source, index) => checkSource(source, at(`${field}.sources`, index)))];
}

const ALLOWED_METADATA = ['annotations', 'labels'];

/** Upstream: ValidatePersistentVolumeClaimTemplate: of metadata only labels and annotations are used. */
function checkClaimTemplate({ metadata = {}, spec }: PersistentVolumeClaimTemplate, field: string): FieldError[] {
  return [
    ...validateAnnotations(metadata.annotations, `${field}.metadata.annotations`),
    ...validateLabels(metadata.labels, `${field}.metadata.labels`),
    ...METADATA_FIELDS.filter((name) => !ALLOWED_METADATA.includes(name) && metadata[name]).map((name) =>
      forbidden(`${field}.metadata.${name === 'uid' ? 'uID' : name}`, 'cannot be set'),
    ),
    ...validateClaimSpec(spec, `${field}.spec`),
  ];
}

interface VolumeContext {
  isPod: boolean;
  metadata?: ObjectMeta | undefined;
}

const { hostPath, gitRepo, gcePersistentDisk, awsElasticBlockStore, nfs, iscsi, glusterfs, flocker, persistentVolumeClaim, rbd, cinder, cephfs } = OF_PODS;
const { quobyte, fc, flexVolume, azureFile, vsphereVolume, photonPersistentDisk, portworxVolume, azureDisk, storageos, scaleIO, csi } = OF_PODS;

function checksOf(name: string, { isPod, metadata }: VolumeContext): SourceChecks<Volume> {
  return {
    emptyDir: ({ sizeLimit }, field) =>
      sizeLimit !== undefined && parseQuantity(sizeLimit).nano < 0n
        ? [forbidden(`${field}.sizeLimit`, 'SizeLimit field must be a valid resource quantity')]
        : [],
    hostPath,
    gitRepo,
    gcePersistentDisk,
    awsElasticBlockStore,
    secret: ({ secretName, defaultMode, items }, field) => [
      ...checkPresent(secretName, `${field}.secretName`),
      ...checkMode(defaultMode, `${field}.defaultMode`),
      ...checkItems(items, field),
    ],
    nfs,
    iscsi,
    glusterfs,
    flocker,
    persistentVolumeClaim,
    rbd,
    cinder,
    cephfs,
    quobyte,
    downwardAPI: ({ defaultMode, items }, field) => [
      ...checkMode(defaultMode, `${field}.defaultMode`),
      ...(items ?? []).flatMap((file) => checkDownwardFile(file, field)),
    ],
    fc,
    flexVolume,
    configMap: (source, field) => [
      ...checkPresent(source.name, `${field}.name`),
      ...checkMode(source.defaultMode, `${field}.defaultMode`),
      ...checkItems(source.items, field),
    ],
    azureFile,
    vsphereVolume,
    photonPersistentDisk,
    portworxVolume,
    azureDisk,
    storageos,
    projected: checkProjected,
    scaleIO,
    csi,
    ephemeral: ({ volumeClaimTemplate: template }, field) => [
      ...(template ? checkClaimTemplate(template, `${field}.volumeClaimTemplate`) : [required(`${field}.volumeClaimTemplate`)]),
      ...(metadata?.name ? checkClaimName(`${metadata.name}-${name}`, name, field.replace(/\.ephemeral$/, '.name')) : []),
    ],
    image: ({ reference, pullPolicy }, field) => [
      ...(reference || !isPod ? [] : [required(`${field}.reference`)]),
      ...checkOptionalOneOf(pullPolicy, ['Always', 'IfNotPresent', 'Never'], `${field}.pullPolicy`),
    ],
  };
}

const checkClaimName = (claimName: string, name: string, field: string): FieldError[] =>
  dns1123SubdomainFaults(claimName).map((fault) => invalid(field, name, `PVC name ${JSON.stringify(claimName)}: ${fault}`));

/** As upstream has them, with their slips. */
const PLACES: SourcePlaces<Volume> = {
  inside: { gcePersistentDisk: 'persistentDisk' },
  excess: { cephfs: 'cephFS', downwardAPI: 'downwarAPI' },
};

function checkVolume(volume: Volume, field: string, context: VolumeContext): FieldError[] {
  const errors = checkSources(volume, field, checksOf(volume.name ?? '', context), PLACES);
  const tooLong = volume.iscsi && isIscsiTooLong(volume.iscsi, volume.name ?? '');
  if (tooLong) errors.push(invalid(`${field}.name`, volume.name ?? '', ISCSI_TOO_LONG));
  return [...errors, ...(volume.name ? checkLabelName(volume.name, `${field}.name`) : [required(`${field}.name`)])];
}

/** Upstream: ValidateVolumes. `sound` are the volumes that may be mounted. */
export function checkVolumes(
  volumes: readonly Volume[] | undefined,
  field: string,
  context: VolumeContext,
): { errors: FieldError[]; sound: Map<string, Volume> } {
  const sound = new Map<string, Volume>();
  const { metadata } = context;
  const created = new Set(metadata?.name ? (volumes ?? []).filter(({ ephemeral }) => ephemeral).map(({ name }) => `${metadata.name}-${name}`) : []);
  const errors = (volumes ?? []).flatMap((volume, index) => {
    const path = at(field, index);
    const found = checkVolume(volume, path, context);
    if (sound.has(volume.name)) found.push(duplicate(`${path}.name`, volume.name));
    if (found.length === 0) sound.set(volume.name, volume);
    const claim = volume.persistentVolumeClaim?.claimName;
    if (claim !== undefined && created.has(claim)) {
      found.push(invalid(`${path}.persistentVolumeClaim.claimName`, claim, 'must not reference a PVC that gets created for an ephemeral volume'));
    }
    return found;
  });
  return { errors, sound };
}
