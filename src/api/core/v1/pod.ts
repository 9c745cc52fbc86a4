import type { Pod } from '../../generated/types/core.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { setPodOnlyDefaults, setPodSpecDefaults } from './pod/defaults.ts';
import { dropGatedFields } from './pod/gated-fields.ts';
import { mergeLabelKeys } from './pod/label-keys.ts';
import { qosClass } from './pod/quality-of-service.ts';
import { podRow, podRowConditions } from './pod/row.ts';
import { mergeEphemeralContainers, validateEphemeralContainersUpdate } from './pod/validation/ephemeral-containers.ts';
import { mergeResize, validatePodResize } from './pod/validation/resize.ts';
import { validatePod, validatePodUpdate } from './pod/validation/update.ts';
import { podWarnings } from './pod/warnings.ts';

/** Upstream: pkg/registry/core/pod/strategy.go. */
export const pod: KindBehaviour<Pod> = {
  group: '',
  version: 'v1',
  kind: 'Pod',
  returnsDeleted: true,
  hasGeneration: true,
  hasStatus: true,
  setDefaults: ({ spec }) => {
    setPodSpecDefaults(spec);
    setPodOnlyDefaults(spec);
    // Of a template it is kept.
    if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
  },
  prepareForCreate: (object) => {
    dropGatedFields(object.spec);
    mergeLabelKeys(object);
    object.status = { phase: 'Pending', qosClass: qosClass(object.spec) };
    if (object.spec.schedulingGates?.length) {
      object.status.conditions = [
        { type: 'PodScheduled', status: 'False', reason: 'SchedulingGated', message: 'Scheduling is blocked due to non-empty scheduling gates' },
      ];
    }
  },
  prepareForUpdate: ({ spec }, old) => dropGatedFields(spec, old.spec),
  prepareForStatusUpdate: (object, old) => {
    if (old.metadata.deletionTimestamp) object.metadata.deletionTimestamp = old.metadata.deletionTimestamp;
    else delete object.metadata.deletionTimestamp;
    if (old.metadata.ownerReferences) object.metadata.ownerReferences = old.metadata.ownerReferences;
    else delete object.metadata.ownerReferences;
    object.status = { ...object.status, qosClass: old.status.qosClass ?? qosClass(old.spec) };
  },
  validate: validatePod,
  validateUpdate: validatePodUpdate,
  updateOrder: ['metadata', 'whole', 'change'],
  parts: {
    resize: { merge: mergeResize, validateUpdate: validatePodResize },
    ephemeralcontainers: { merge: mergeEphemeralContainers, validateUpdate: validateEphemeralContainersUpdate },
  },
  statusResetFields: [
    ['metadata', 'deletionTimestamp'],
    ['metadata', 'ownerReferences'],
  ],
  warnings: podWarnings,
  row: podRow,
  rowConditions: podRowConditions,
  selectableFields: {
    'spec.nodeName': ({ spec }) => spec.nodeName ?? '',
    'spec.restartPolicy': ({ spec }) => spec.restartPolicy ?? '',
    'spec.schedulerName': ({ spec }) => spec.schedulerName ?? '',
    'spec.serviceAccountName': ({ spec }) => spec.serviceAccountName ?? '',
    'spec.hostNetwork': ({ spec }) => String(spec.hostNetwork ?? false),
    'status.phase': ({ status }) => status.phase ?? '',
    'status.podIP': ({ status }) => status.podIPs?.[0]?.ip ?? status.podIP ?? '',
    'status.nominatedNodeName': ({ status }) => status.nominatedNodeName ?? '',
  },
  deletionGracePeriodSeconds: ({ spec, status }, requested) => {
    if (!spec.nodeName || status.phase === 'Failed' || status.phase === 'Succeeded') return 0;
    const seconds = requested ?? spec.terminationGracePeriodSeconds ?? 30;
    return seconds < 0 ? 1 : seconds;
  },
};
