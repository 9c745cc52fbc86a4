import { setLegacyVolumeDefaults } from '../../core/v1/pod/volume-defaults.ts';
import { age } from '../../duration.ts';
import { deepEqual } from '../../equality.ts';
import { type FieldError, forbidden, invalid, required, tooLong } from '../../field-error.ts';
import type { VolumeAttachment, VolumeAttachmentSource, VolumeError } from '../../generated/types/storage.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { byteLength, inclusiveRange } from '../../names.ts';
import { checkSubdomain } from '../../validation.ts';
import { checkInlineVolume } from './inline-volume.ts';
import { internalSpec } from './internal-names.ts';
import { bytesOf, checkDriverName } from './parameters.ts';

const MOST_METADATA_BYTES = 256 * 1024;
const LONGEST_MESSAGE = 1024;

function checkSource({ inlineVolumeSpec, persistentVolumeName }: VolumeAttachmentSource, field: string): FieldError[] {
  const oneOf = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (inlineVolumeSpec && persistentVolumeName !== undefined) return [forbidden(field, oneOf)];
  if (inlineVolumeSpec) return checkInlineVolume(inlineVolumeSpec, `${field}.inlineVolumeSpec`);
  if (persistentVolumeName === undefined) return [required(field, oneOf)];
  return persistentVolumeName ? [] : [required(`${field}.persistentVolumeName`, 'must specify non empty persistentVolumeName')];
}

function checkError(error: VolumeError | undefined, field: string): FieldError[] {
  if (!error) return [];
  const { message = '', errorCode } = error;
  return [
    // The length that is named is upstream's.
    ...(byteLength(message) > LONGEST_MESSAGE ? [tooLong(`${field}.message`, MOST_METADATA_BYTES)] : []),
    ...((errorCode ?? 0) < 0 ? [invalid(`${field}.errorCode`, errorCode, inclusiveRange(0, 2147483647))] : []),
  ];
}

/** Upstream: pkg/apis/storage/validation, ValidateVolumeAttachment. */
const validate = ({ spec, status }: VolumeAttachment): FieldError[] => [
  ...(spec.attacher ? [] : [required('spec.attacher')]),
  ...checkSource(spec.source ?? {}, 'spec.source'),
  ...checkSubdomain(spec.nodeName ?? '', 'spec.nodeName'),
  ...(bytesOf(status?.attachmentMetadata) > MOST_METADATA_BYTES ? [tooLong('status.attachmentMetadata', MOST_METADATA_BYTES)] : []),
  ...checkError(status?.attachError, 'status.attachError'),
  ...checkError(status?.detachError, 'status.detachError'),
];

/** What is asked of new attachments alone (upstream: ValidateVolumeAttachmentV1). */
const validateNew = ({ spec }: VolumeAttachment): FieldError[] => [
  ...checkDriverName(spec.attacher ?? '', 'spec.attacher'),
  ...(spec.source?.persistentVolumeName === undefined ? [] : checkSubdomain(spec.source.persistentVolumeName, 'spec.source.persistentVolumeName')),
];

/** Upstream: ValidateVolumeAttachmentUpdate. */
const validateUpdate = (object: VolumeAttachment, old: VolumeAttachment): FieldError[] =>
  deepEqual(object.spec, old.spec) ? [] : [invalid('spec', internalSpec(object.spec), 'field is immutable')];

/** Upstream: pkg/registry/storage/volumeattachment/strategy.go. */
export const volumeAttachment: KindBehaviour<VolumeAttachment> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'VolumeAttachment',
  returnsDeleted: true,
  allowUnconditionalUpdate: false,
  setDefaults: ({ spec }) => {
    if (spec.source?.inlineVolumeSpec) setLegacyVolumeDefaults(spec.source.inlineVolumeSpec);
  },
  prepareForCreate: (object) => {
    object.status = { attached: false };
  },
  prepareForStatusUpdate: ({ status }, { status: old }) => {
    // The feature MutableCSINodeAllocatableCount is off.
    for (const key of ['attachError', 'detachError'] as const) {
      if (status?.[key] && old?.[key]?.errorCode === undefined) delete status[key].errorCode;
    }
  },
  validate,
  validateNew,
  updateOrder: ['whole', 'whole', 'change'],
  validateUpdate,
  validateStatusUpdate: validate,
  row: ({ metadata, spec, status }, nowMs) => [
    metadata.name ?? '',
    spec.attacher,
    spec.source?.persistentVolumeName ?? '',
    spec.nodeName,
    status?.attached ?? false,
    age(metadata.creationTimestamp, nowMs),
  ],
};
