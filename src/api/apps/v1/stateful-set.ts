import { isDeepStrictEqual } from 'node:util';
import { setTemplateDefaults } from '../../core/v1/pod/defaults.ts';
import { templateCells } from '../../core/v1/pod/template-cells.ts';
import { templateWarnings } from '../../core/v1/pod/warnings.ts';
import { age } from '../../duration.ts';
import { type FieldError, forbidden, invalid } from '../../field-error.ts';
import type { StatefulSet } from '../../generated/types/apps.v1.ts';
import { selectorText } from '../../labels.ts';
import type { KindBehaviour } from '../../resource.ts';
import { checkNonNegative } from '../../validation.ts';
import { validateSelectorAndTemplate } from './replica-validation.ts';

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

/** Upstream: ValidateStatefulSetSpec. */
function validate({ spec }: StatefulSet): FieldError[] {
  const errors: FieldError[] = [];
  const { podManagementPolicy, updateStrategy } = spec;
  if (podManagementPolicy !== 'OrderedReady' && podManagementPolicy !== 'Parallel') {
    errors.push(invalid('spec.podManagementPolicy', podManagementPolicy, "must be 'OrderedReady' or 'Parallel'"));
  }
  if (updateStrategy?.type !== 'RollingUpdate' && updateStrategy?.type !== 'OnDelete') {
    errors.push(invalid('spec.updateStrategy', { Type: updateStrategy?.type, RollingUpdate: null }, "must be 'RollingUpdate' or 'OnDelete'"));
  } else if (updateStrategy.type === 'RollingUpdate') {
    errors.push(...checkNonNegative(updateStrategy.rollingUpdate?.partition, 'spec.updateStrategy.rollingUpdate.partition'));
  }
  return [
    ...errors,
    ...checkNonNegative(spec.replicas, 'spec.replicas'),
    ...checkNonNegative(spec.minReadySeconds, 'spec.minReadySeconds'),
    // Claims made from templates may be mounted like volumes.
    ...validateSelectorAndTemplate({ selector: spec.selector, template: withClaims(spec) }, 'spec', 'empty selector is invalid for statefulset'),
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
