import { age } from '../../duration.ts';
import { deepEqual } from '../../equality.ts';
import { at, duplicate, type FieldError, invalid, notSupported } from '../../field-error.ts';
import type { CSIDriver, CSIDriverSpec, TokenRequest } from '../../generated/types/storage.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { checkImmutable, checkOptionalOneOf } from '../../validation.ts';

const LEAST_TOKEN_SECONDS = 600;
const MOST_TOKEN_SECONDS = 2 ** 32;
const LIFECYCLE_MODES = ['Persistent', 'Ephemeral'];

/** Upstream: pkg/apis/storage/v1/defaults.go, SetDefaults_CSIDriver. */
function setDefaults({ spec }: CSIDriver): void {
  spec.attachRequired ??= true;
  spec.podInfoOnMount ??= false;
  spec.storageCapacity ??= false;
  spec.fsGroupPolicy ??= 'ReadWriteOnceWithFSType';
  if (!spec.volumeLifecycleModes?.length) spec.volumeLifecycleModes = ['Persistent'];
  spec.requiresRepublish ??= false;
  spec.seLinuxMount ??= false;
}

/** One token an audience, for ten minutes at least (upstream: validateTokenRequests). */
function checkTokenRequests(requests: readonly TokenRequest[], field: string): FieldError[] {
  const audiences = new Set<string>();
  return requests.flatMap(({ audience = '', expirationSeconds: seconds }, index) => {
    const path = at(field, index);
    if (audiences.has(audience)) return [duplicate(`${path}.audience`, audience)];
    audiences.add(audience);
    if (seconds === undefined) return [];
    if (seconds < LEAST_TOKEN_SECONDS) return [invalid(`${path}.expirationSeconds`, seconds, 'may not specify a duration less than 10 minutes')];
    return seconds > MOST_TOKEN_SECONDS ? [invalid(`${path}.expirationSeconds`, seconds, 'may not specify a duration larger than 2^32 seconds')] : [];
  });
}

/** Upstream: pkg/apis/storage/validation, validateCSIDriverSpec. */
const checkSpec = ({ fsGroupPolicy, tokenRequests, volumeLifecycleModes }: CSIDriverSpec): FieldError[] => [
  ...checkOptionalOneOf(fsGroupPolicy, ['File', 'None', 'ReadWriteOnceWithFSType'], 'spec.fsGroupPolicy'),
  ...checkTokenRequests(tokenRequests ?? [], 'spec.tokenRequests'),
  ...(volumeLifecycleModes ?? []).flatMap((mode) => (LIFECYCLE_MODES.includes(mode) ? [] : [notSupported('spec.volumeLifecycleModes', mode, LIFECYCLE_MODES)])),
];

/** Upstream: pkg/registry/storage/csidriver/strategy.go; the feature MutableCSINodeAllocatableCount is off. */
function dropDisabledFields({ spec }: CSIDriver): void {
  delete spec.nodeAllocatableUpdatePeriodSeconds;
}

export const csiDriver: KindBehaviour<CSIDriver> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSIDriver',
  returnsDeleted: true,
  allowUnconditionalUpdate: false,
  setDefaults,
  prepareForCreate: dropDisabledFields,
  prepareForUpdate: (object, old) => {
    dropDisabledFields(object);
    // Counts changes, but not the creation.
    if (!deepEqual(object.spec, old.spec)) object.metadata.generation = (old.metadata.generation ?? 0) + 1;
  },
  validate: ({ spec }) => checkSpec(spec),
  validateUpdate: ({ spec }, { spec: old }) => [
    ...checkSpec(spec),
    // The path is upstream's.
    ...checkImmutable(spec.attachRequired, old.attachRequired, 'spec.attachedRequired'),
    ...checkImmutable(spec.volumeLifecycleModes, old.volumeLifecycleModes, 'spec.volumeLifecycleModes'),
  ],
  row: ({ metadata, spec }, nowMs) => [
    metadata.name ?? '',
    spec.attachRequired ?? true,
    spec.podInfoOnMount ?? false,
    spec.storageCapacity ?? false,
    spec.tokenRequests?.map(({ audience }) => audience).join() ?? '<unset>',
    spec.requiresRepublish ?? false,
    spec.volumeLifecycleModes?.join() || '<none>',
    age(metadata.creationTimestamp, nowMs),
  ],
};
