import { asGiven } from '../../../../emptied.ts';
import { deepEqual } from '../../../../equality.ts';
import { at, type FieldError, forbidden, invalid, required } from '../../../../field-error.ts';
import type { Affinity, Container, NodeAffinity, NodeSelectorTerm, Pod, PodSpec, Toleration } from '../../../../generated/types/core.v1.ts';
import { inclusiveRange } from '../../../../names.ts';
import { sortedEntries } from '../../../../validation.ts';
import { internalDifference } from '../../internal-difference.ts';
import { asInternal, internalPodSpec } from '../../internal-types.ts';
import { checkPodAnnotations, checkPodOnly, validatePodSpec } from './pod-spec.ts';
import { checkTolerations } from './scheduling.ts';

const CHANGEABLE =
  '`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/** Everything wrong with a pod as it is, and with a new one (upstream: ValidatePodCreate, validatePodMetadataAndSpec). */
export function validatePod({ metadata, spec }: Pod, old?: Pod): FieldError[] {
  const errors = [
    ...checkPodAnnotations({ metadata, spec }, 'metadata.annotations'),
    ...validatePodSpec(spec, 'spec', { isPod: true, metadata }),
    ...checkPodOnly(spec, 'spec'),
  ];
  if (old) return errors;
  if (spec.ephemeralContainers?.length) errors.push(forbidden('spec.ephemeralContainers', 'cannot be set on create'));
  if (spec.nodeName && spec.schedulingGates?.length) errors.push(forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'));
  return errors;
}

const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/';
const MIRROR = 'kubernetes.io/config.mirror';

/** Annotations that stay as they were at the pod's creation (upstream: ValidatePodSpecificAnnotationUpdates). */
function checkAnnotationUpdates(now: Readonly<Record<string, string>>, before: Readonly<Record<string, string>>): FieldError[] {
  const fault = (key: string, verb: string): FieldError[] => {
    const words = key.startsWith(APP_ARMOR) ? 'AppArmor annotations' : key === MIRROR ? 'mirror pod annotation' : undefined;
    return words ? [forbidden(at('metadata.annotations', key), `may not ${verb} ${words}`)] : [];
  };
  return [
    ...sortedEntries(before).flatMap(([key, value]) => (now[key] === value ? [] : fault(key, 'remove or update'))),
    ...sortedEntries(now).flatMap(([key]) => (before[key] === undefined ? fault(key, 'add') : [])),
  ];
}

interface Findings {
  errors: FieldError[];
  /** Nothing more can be told. */
  stop: boolean;
}

function checkContainers(now: readonly Container[] = [], before: readonly Container[] = [], field: string): Findings {
  if (now.length !== before.length) return { errors: [forbidden(field, 'pod updates may not add or remove containers')], stop: true };
  const errors = now.flatMap(({ image = '' }, index) => {
    const path = `${at(field, index)}.image`;
    if (!image) return [required(path)];
    return image.trim() === image ? [] : [invalid(path, image, 'must not have leading or trailing whitespace')];
  });
  return { errors, stop: false };
}

const MAX_INT32 = 0x7fffffff;

function checkDeadline(now: number | undefined, before: number | undefined): Findings {
  const field = 'spec.activeDeadlineSeconds';
  if (now === undefined)
    return { errors: before === undefined ? [] : [invalid(field, null, 'must not update from a positive integer to nil value')], stop: false };
  if (now < 0 || now > MAX_INT32) return { errors: [invalid(field, now, inclusiveRange(0, MAX_INT32))], stop: true };
  const isMore = before !== undefined && before < now;
  return { errors: isMore ? [invalid(field, now, 'must be less than or equal to previous value')] : [], stop: isMore };
}

function checkAddedTolerations(now: readonly Toleration[] = [], before: readonly Toleration[] = []): FieldError[] {
  const kept = before.every((old) => now.some((toleration) => deepEqual(withoutSeconds(old), withoutSeconds(toleration))));
  return kept
    ? checkTolerations(now, 'spec.tolerations')
    : [forbidden('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds')];
}

function withoutSeconds({ tolerationSeconds: _, ...rest }: Toleration): Omit<Toleration, 'tolerationSeconds'> {
  return rest;
}

function checkGates(spec: PodSpec, old: PodSpec): FieldError[] {
  const before = (old.schedulingGates ?? []).map(({ name }) => name);
  const gates = spec.schedulingGates ?? [];
  return gates.flatMap(({ name }, index) => {
    const isLast = gates.findLastIndex((gate) => gate.name === name) === index;
    if (before.includes(name) || !isLast) return [];
    return [forbidden(`${at('spec.schedulingGates', index)}.name`, `only deletion is allowed, but found new scheduling gate '${name}'`)];
  });
}

/** The new spec with all that may change put back as it was. */
function munged(spec: PodSpec, old: PodSpec): PodSpec {
  const images = (now: readonly Container[] | undefined, before: readonly Container[] | undefined): Container[] =>
    (now ?? []).map((container, index) => ({ ...container, image: before?.[index]?.image ?? '' }));
  const result: PodSpec = { ...spec, containers: images(spec.containers, old.containers) };
  if (spec.initContainers) result.initContainers = images(spec.initContainers, old.initContainers);
  const keep = <K extends keyof PodSpec>(key: K): void => {
    if (old[key] === undefined) delete result[key];
    else result[key] = old[key];
  };
  for (const key of ['activeDeadlineSeconds', 'schedulingGates', 'tolerations'] as const) keep(key);
  if ((old.terminationGracePeriodSeconds ?? 0) < 0 && spec.terminationGracePeriodSeconds === 1) keep('terminationGracePeriodSeconds');
  return old.schedulingGates?.length ? withPlacementOf(result, old) : result;
}

/** Where a pod may run that still waits at gates is not held against it here. */
function withPlacementOf({ nodeSelector: _n, affinity, ...spec }: PodSpec, old: PodSpec): PodSpec {
  const { nodeAffinity, ...pods } = affinity ?? {};
  const kept: Affinity = { ...pods, ...(old.affinity?.nodeAffinity && { nodeAffinity: old.affinity.nodeAffinity }) };
  const hasAffinity = Object.keys(kept).length > 0 || (affinity && (old.affinity || !nodeAffinity));
  return { ...spec, ...(old.nodeSelector && { nodeSelector: old.nodeSelector }), ...(hasAffinity && { affinity: kept }) };
}

/** A pod that waits at gates may be told more closely where to run (upstream: validateNodeSelectorMutation). */
function checkNodeSelectorAdded(now: PodSpec['nodeSelector'], before: PodSpec['nodeSelector']): FieldError[] {
  const field = 'spec.nodeSelector';
  const kept = Object.entries(before ?? {}).every(([key, value]) => now?.[key] === value);
  return kept ? [] : [invalid(field, now ?? null, 'only additions to spec.nodeSelector are allowed (no mutations or deletions)')];
}

/** Upstream: validateNodeAffinityMutation. */
function checkNodeAffinityAdded(now: NodeAffinity | undefined, before: NodeAffinity | undefined): FieldError[] {
  const field = 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms';
  const required = now?.requiredDuringSchedulingIgnoredDuringExecution;
  const terms = required?.nodeSelectorTerms ?? [];
  const old = before?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  if (deepEqual(now, before) || old.length === 0) return [];
  if (old.length !== terms.length) {
    const shown = asGiven(required, 'nodeSelectorTerms')?.map((term) => asInternal('NodeSelectorTerm', term)) ?? null;
    return [invalid(field, shown, 'no additions/deletions to non-empty NodeSelectorTerms list are allowed')];
  }
  return terms.flatMap((term, index) =>
    hasOnlyAdditions(term, old[index]!)
      ? []
      : [invalid(at(field, index), asInternal('NodeSelectorTerm', term), 'only additions are allowed (no mutations or deletions)')],
  );
}

function hasOnlyAdditions(now: NodeSelectorTerm, before: NodeSelectorTerm): boolean {
  const size = ({ matchExpressions, matchFields }: NodeSelectorTerm): number => (matchExpressions ?? []).length + (matchFields ?? []).length;
  if (size(before) === 0) return size(now) === 0;
  return (['matchExpressions', 'matchFields'] as const).every((key) => {
    const old = before[key] ?? [];
    return deepEqual((now[key] ?? []).slice(0, old.length), old);
  });
}

/** Everything wrong with an update of a pod, which is held against the rules of a pod before (upstream: ValidatePodUpdate). */
export function validatePodUpdate({ metadata, spec }: Pod, old: Pod): FieldError[] {
  const errors = [
    ...checkAnnotationUpdates(metadata.annotations ?? {}, old.metadata.annotations ?? {}),
    ...checkPodAnnotations({ metadata, spec }, 'metadata.annotations'),
  ];
  for (const findings of [
    () => checkContainers(spec.containers, old.spec.containers, 'spec.containers'),
    () => checkContainers(spec.initContainers, old.spec.initContainers, 'spec.initContainers'),
    () => checkDeadline(spec.activeDeadlineSeconds, old.spec.activeDeadlineSeconds),
  ]) {
    const { errors: found, stop } = findings();
    errors.push(...found);
    if (stop) return errors;
  }
  errors.push(...checkAddedTolerations(spec.tolerations, old.spec.tolerations), ...checkGates(spec, old.spec));
  if (old.spec.schedulingGates?.length) {
    errors.push(
      ...checkNodeSelectorAdded(spec.nodeSelector, old.spec.nodeSelector),
      ...checkNodeAffinityAdded(spec.affinity?.nodeAffinity, old.spec.affinity?.nodeAffinity),
    );
  }
  const comparable = munged(spec, old.spec);
  if (deepEqual(comparable, old.spec)) return errors;
  const difference = internalDifference(internalPodSpec(old.spec), internalPodSpec(comparable));
  return [...errors, forbidden('spec', `pod updates may not change fields other than ${CHANGEABLE}\n${difference}`)];
}
