import { isDeepStrictEqual } from 'node:util';
import { setTemplateDefaults } from '../../core/v1/pod/defaults.ts';
import { templateCells } from '../../core/v1/pod/template-cells.ts';
import { templateWarnings } from '../../core/v1/pod/warnings.ts';
import { age } from '../../duration.ts';
import { type FieldError, forbidden, invalid, required } from '../../field-error.ts';
import type { StatefulSet } from '../../generated/types/apps.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { selectorText } from '../../labels.ts';
import { checkNonNegative, checkOptionalOneOf } from '../../validation.ts';
import { checkCollisionCount, checkCounts, checkIntOrPercent, checkNotAbove100Percent, isZero, validateSelectorAndTemplate } from './replica-validation.ts';

const MUTABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
] as const;

function setDefaults({ spec }: StatefulSet): void {
  setTemplateDefaults(spec.template);
  spec.podManagementPolicy ||= 'OrderedReady';
  spec.updateStrategy ??= {};
  spec.updateStrategy.type ||= 'RollingUpdate';
  if (spec.updateStrategy.type === 'RollingUpdate') {
    spec.updateStrategy.rollingUpdate ??= {};
    spec.updateStrategy.rollingUpdate.partition ??= 0;
  }
  spec.persistentVolumeClaimRetentionPolicy ??= {};
  spec.persistentVolumeClaimRetentionPolicy.whenDeleted ||= 'Retain';
  spec.persistentVolumeClaimRetentionPolicy.whenScaled ||= 'Retain';
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
  for (const claim of spec.volumeClaimTemplates ?? []) {
    claim.apiVersion ||= 'v1';
    claim.kind ||= 'PersistentVolumeClaim';
    claim.spec.volumeMode ??= 'Filesystem';
    claim.status ??= {};
    claim.status.phase ||= 'Pending';
  }
}

type RollingUpdate = NonNullable<NonNullable<StatefulSet['spec']['updateStrategy']>['rollingUpdate']>;

function checkRollingUpdate({ partition, maxUnavailable }: RollingUpdate = {}): FieldError[] {
  const path = 'spec.updateStrategy.rollingUpdate';
  const errors = checkNonNegative(partition, `${path}.partition`);
  if (maxUnavailable === undefined) return errors;
  errors.push(...checkIntOrPercent(maxUnavailable, `${path}.maxUnavailable`));
  if (isZero(maxUnavailable)) errors.push(invalid(`${path}.maxUnavailable`, maxUnavailable, 'cannot be 0'));
  return [...errors, ...checkNotAbove100Percent(maxUnavailable, `${path}.maxUnavailable`)];
}

/** Upstream: ValidateStatefulSetSpec. */
function validate({ spec }: StatefulSet): FieldError[] {
  const errors: FieldError[] = [];
  const { podManagementPolicy, updateStrategy } = spec;
  if (!podManagementPolicy) errors.push(required('spec.podManagementPolicy'));
  else if (podManagementPolicy !== 'OrderedReady' && podManagementPolicy !== 'Parallel') {
    errors.push(invalid('spec.podManagementPolicy', podManagementPolicy, "must be 'OrderedReady' or 'Parallel'"));
  }
  if (updateStrategy?.type !== 'RollingUpdate' && updateStrategy?.type !== 'OnDelete') {
    errors.push(invalid('spec.updateStrategy', { Type: updateStrategy?.type, RollingUpdate: null }, "must be 'RollingUpdate' or 'OnDelete'"));
  } else if (updateStrategy.type === 'RollingUpdate') errors.push(...checkRollingUpdate(updateStrategy.rollingUpdate));
  else if (updateStrategy.rollingUpdate) {
    const { partition = null } = updateStrategy.rollingUpdate;
    errors.push(
      invalid('spec.updateStrategy.rollingUpdate', { Partition: partition, MaxUnavailable: null }, "only allowed for updateStrategy 'RollingUpdate'"),
    );
  }
  for (const key of ['whenDeleted', 'whenScaled'] as const) {
    errors.push(
      ...checkOptionalOneOf(spec.persistentVolumeClaimRetentionPolicy?.[key], ['Retain', 'Delete'], `spec.persistentVolumeClaimRetentionPolicy.${key}`),
    );
  }
  return [
    ...errors,
    ...checkNonNegative(spec.replicas, 'spec.replicas'),
    ...checkNonNegative(spec.minReadySeconds, 'spec.minReadySeconds'),
    ...checkNonNegative(spec.ordinals?.start, 'spec.ordinals.start'),
    // Claims made from templates may be mounted like volumes.
    ...validateSelectorAndTemplate({ selector: spec.selector, template: withClaims(spec) }, 'spec', 'empty selector is invalid for statefulset', 'StatefulSet'),
  ];
}

function withClaims({ template, volumeClaimTemplates }: StatefulSet['spec']): StatefulSet['spec']['template'] {
  const names = (volumeClaimTemplates ?? []).map((claim) => claim.metadata.name ?? '');
  const own = (template.spec.volumes ?? []).filter(({ name }) => !names.includes(name));
  const claims = names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  return { ...template, spec: { ...template.spec, volumes: [...own, ...claims] } };
}

function validateUpdate(object: StatefulSet, old: StatefulSet): FieldError[] {
  const before: Record<string, unknown> = { ...old.spec };
  const after: Record<string, unknown> = { ...object.spec };
  for (const key of MUTABLE) {
    delete before[key];
    delete after[key];
  }
  const words = `updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden`;
  return [...validate(object), ...(isDeepStrictEqual(before, after) ? [] : [forbidden('spec', words)])];
}

const COUNTS = ['replicas', 'readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas', 'observedGeneration', 'collisionCount'];

/** Upstream: ValidateStatefulSetStatus. */
function validateStatusUpdate({ status }: StatefulSet, old: StatefulSet): FieldError[] {
  const errors = checkCounts({ ...status }, COUNTS, [
    ['readyReplicas', 'replicas', 'status.replicas'],
    ['currentReplicas', 'replicas', 'status.replicas'],
    ['updatedReplicas', 'replicas', 'status.replicas'],
    ['availableReplicas', 'replicas', 'status.replicas'],
    ['availableReplicas', 'readyReplicas', 'status.readyReplicas'],
  ]);
  return [...errors, ...checkCollisionCount(status, old.status)];
}

/** Upstream: pkg/apis/apps/v1/defaults.go, pkg/registry/apps/statefulset/strategy.go. */
export const statefulSet: KindBehaviour<StatefulSet> = {
  group: 'apps',
  version: 'v1',
  kind: 'StatefulSet',
  hasGeneration: true,
  hasStatus: true,
  setDefaults,
  prepareForCreate: (object) => {
    object.status = { replicas: 0, availableReplicas: 0 };
  },
  validate,
  validateUpdate,
  validateStatusUpdate,
  warnings: (object, old) => {
    if (old && object.metadata.generation === old.metadata.generation) return [];
    return templateWarnings(object.spec.template, 'spec.template');
  },
  row: ({ metadata, spec, status }, nowMs) => [
    metadata.name ?? '',
    `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
    age(metadata.creationTimestamp, nowMs),
    ...templateCells(spec.template?.spec),
  ],
  scale: {
    specReplicas: ({ spec }) => spec.replicas ?? 0,
    withSpecReplicas: (object, replicas) => ({ ...object, spec: { ...object.spec, replicas } }),
    statusReplicas: ({ status }) => status.replicas ?? 0,
    selector: ({ spec }) => selectorText(spec.selector),
  },
};
