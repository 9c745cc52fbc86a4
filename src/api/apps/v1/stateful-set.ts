import { claimSpecWarnings, validateClaimSpec } from '../../core/v1/claim-spec.ts';
import { setTemplateDefaults } from '../../core/v1/pod/defaults.ts';
import { dropGatedFields } from '../../core/v1/pod/gated-fields.ts';
import { templateCells } from '../../core/v1/pod/template-cells.ts';
import { checkPodAnnotations, validatePodTemplate } from '../../core/v1/pod/validation/pod-spec.ts';
import { templateWarnings } from '../../core/v1/pod/warnings.ts';
import { age } from '../../duration.ts';
import { deepEqual } from '../../equality.ts';
import { at, type FieldError, forbidden, invalid, required } from '../../field-error.ts';
import type { StatefulSet } from '../../generated/types/apps.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { validateLabels } from '../../label-validation.ts';
import { type Selector, selectorText } from '../../labels.ts';
import { nameCheck, validateAnnotations } from '../../meta/validation.ts';
import { dns1123LabelFaults } from '../../names.ts';
import { checkLabelName, checkNonNegative, checkOptionalOneOf } from '../../validation.ts';
import {
  checkCollisionCount,
  checkCounts,
  checkIntOrPercent,
  checkMatches,
  checkNotAbove100Percent,
  checkPodSelector,
  checkRunsForever,
  isZero,
  usableSelector,
} from './replica-validation.ts';

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
    claim.apiVersion = 'v1';
    claim.kind = 'PersistentVolumeClaim';
    claim.metadata ??= {};
    claim.spec.volumeMode ??= 'Filesystem';
    claim.status ??= {};
    claim.status.phase ||= 'Pending';
  }
}

/** The field is behind a feature gate that is off in v1.34 (MaxUnavailableStatefulSet). */
function dropMaxUnavailable({ spec }: StatefulSet): void {
  delete spec.updateStrategy?.rollingUpdate?.maxUnavailable;
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

type UpdateStrategy = NonNullable<StatefulSet['spec']['updateStrategy']>;

/** With Go's names, as messages print it. */
const internalRollingUpdate = ({ partition = 0, maxUnavailable }: RollingUpdate): object => ({ Partition: partition, MaxUnavailable: maxUnavailable ?? null });

function checkUpdateStrategy({ type, rollingUpdate }: UpdateStrategy): FieldError[] {
  const field = 'spec.updateStrategy';
  const shown = rollingUpdate ? internalRollingUpdate(rollingUpdate) : null;
  switch (type) {
    case undefined:
    case '':
      return [required(field)];
    case 'RollingUpdate':
      return checkRollingUpdate(rollingUpdate);
    case 'OnDelete':
      return rollingUpdate ? [invalid(`${field}.rollingUpdate`, shown, "only allowed for updateStrategy 'RollingUpdate'")] : [];
    default:
      return [invalid(field, { Type: type, RollingUpdate: shown }, "must be 'RollingUpdate' or 'OnDelete'")];
  }
}

function checkRetention(policy: StatefulSet['spec']['persistentVolumeClaimRetentionPolicy']): FieldError[] {
  const keys = ['whenDeleted', 'whenScaled'] as const;
  return keys.flatMap((key) => checkOptionalOneOf(policy?.[key], ['Retain', 'Delete'], `spec.persistentVolumeClaimRetentionPolicy.${key}`));
}

/** Labels and annotations are looked at twice, as upstream does (ValidatePodTemplateSpecForStatefulSet). */
function validateTemplate(template: StatefulSet['spec']['template'], selector: Selector): FieldError[] {
  const { metadata = {} } = template;
  const field = 'spec.template';
  return [
    ...checkMatches(template, selector),
    ...validatePodTemplate(template, field),
    ...validateLabels(metadata.labels, `${field}.labels`),
    ...validateAnnotations(metadata.annotations, `${field}.annotations`),
    ...checkPodAnnotations(template, `${field}.annotations`),
  ];
}

/** Upstream: ValidateStatefulSetSpec. What cannot be changed is looked at once, in a new one. */
function validateSpec(spec: StatefulSet['spec'], { isNew }: { isNew: boolean }): FieldError[] {
  const { podManagementPolicy, updateStrategy, volumeClaimTemplates = [], serviceName, selector, template } = spec;
  const errors: FieldError[] = [];
  if (!podManagementPolicy) errors.push(required('spec.podManagementPolicy'));
  else if (podManagementPolicy !== 'OrderedReady' && podManagementPolicy !== 'Parallel') {
    errors.push(invalid('spec.podManagementPolicy', podManagementPolicy, "must be 'OrderedReady' or 'Parallel'"));
  }
  errors.push(...checkUpdateStrategy(updateStrategy ?? {}), ...checkRetention(spec.persistentVolumeClaimRetentionPolicy));
  if (isNew) errors.push(...volumeClaimTemplates.flatMap((claim, index) => validateClaimSpec(claim.spec, `${at('spec.volumeClaimTemplates', index)}.spec`)));
  errors.push(...checkNonNegative(spec.replicas, 'spec.replicas'), ...checkNonNegative(spec.minReadySeconds, 'spec.minReadySeconds'));
  errors.push(...checkNonNegative(spec.ordinals?.start, 'spec.ordinals.start'));
  if (isNew && serviceName) errors.push(...checkLabelName(serviceName, 'spec.serviceName'));
  errors.push(...checkPodSelector(selector, 'spec.selector', 'empty selector is invalid for statefulset'));
  const matcher = usableSelector(selector);
  errors.push(...(matcher ? validateTemplate(asInPod(spec), matcher) : [invalid('spec.selector', selector, '')]));
  return [...errors, ...checkRunsForever(template, 'StatefulSet')];
}

/** The template with what the controller makes of it: names of its own, and claims that may be mounted like volumes. */
function asInPod({ template, volumeClaimTemplates }: StatefulSet['spec']): StatefulSet['spec']['template'] {
  const { hostname: _h, subdomain: _s, ...spec } = template.spec;
  // Of several with one name, the last counts.
  const names = [...new Set((volumeClaimTemplates ?? []).map((claim) => claim.metadata.name ?? ''))];
  const own = (spec.volumes ?? []).filter(({ name }) => !names.includes(name));
  const claims = names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  return { ...template, spec: { ...spec, ...(claims.length ? { volumes: [...claims, ...own] } : {}) } };
}

function validateUpdate(object: StatefulSet, old: StatefulSet): FieldError[] {
  const before: Record<string, unknown> = { ...old.spec };
  const after: Record<string, unknown> = { ...object.spec };
  for (const key of MUTABLE) {
    delete before[key];
    delete after[key];
  }
  const words = `updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden`;
  return [...validateSpec(object.spec, { isNew: false }), ...(deepEqual(before, after) ? [] : [forbidden('spec', words)])];
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

const KEEPS_ALL = 'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended';

/** Upstream: pkg/apis/apps/v1/defaults.go, pkg/registry/apps/statefulset/strategy.go. */
export const statefulSet: KindBehaviour<StatefulSet> = {
  group: 'apps',
  version: 'v1',
  kind: 'StatefulSet',
  hasGeneration: true,
  hasStatus: true,
  validateName: nameCheck(dns1123LabelFaults),
  setDefaults,
  prepareForCreate: (object) => {
    object.status = { replicas: 0, availableReplicas: 0 };
    dropMaxUnavailable(object);
    dropGatedFields(object.spec.template?.spec);
  },
  prepareForUpdate: (object, old) => {
    if (old.spec.updateStrategy?.rollingUpdate?.maxUnavailable === undefined) dropMaxUnavailable(object);
    dropGatedFields(object.spec.template?.spec, old.spec.template?.spec);
  },
  validate: ({ spec }) => validateSpec(spec, { isNew: true }),
  validateUpdate,
  validateStatusUpdate,
  warnings: ({ metadata, spec }, old) => {
    const isSame = old && metadata.generation === old.metadata.generation;
    const path = old ? 'Spec' : undefined;
    const claims = spec.volumeClaimTemplates ?? [];
    return [
      ...(isSame ? [] : templateWarnings(spec.template, 'spec.template')),
      ...claims.flatMap((claim, index) => claimSpecWarnings(claim.spec, [at('spec.volumeClaimTemplates', index), path].filter(Boolean).join('.'))),
      ...((spec.revisionHistoryLimit ?? 0) < 0 ? [KEEPS_ALL] : []),
    ];
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
