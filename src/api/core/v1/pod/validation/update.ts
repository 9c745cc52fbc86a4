import { deepEqual } from '../../../../equality.ts';
import { at, type FieldError, forbidden, invalid, required } from '../../../../field-error.ts';
import type { Container, Pod, PodSpec, Toleration } from '../../../../generated/types/core.v1.ts';
import { internalDifference } from '../../internal-difference.ts';
import { internalPodSpec } from '../../internal-types.ts';
import { checkKept } from './ephemeral-containers.ts';
import { checkPodAnnotations, checkPodOnly, validatePodSpec } from './pod-spec.ts';

const CHANGEABLE =
  '`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/** Everything wrong with a new pod. */
export function validatePod({ metadata, spec }: Pod): FieldError[] {
  return [...checkPodAnnotations(metadata, 'metadata.annotations'), ...validatePodSpec(spec, 'spec', { isPod: true }), ...checkPodOnly(spec, 'spec')];
}

function checkList(now: readonly Container[] | undefined, before: readonly Container[] | undefined, field: string): { errors: FieldError[]; stop: boolean } {
  if ((now ?? []).length !== (before ?? []).length) return { errors: [forbidden(field, 'pod updates may not add or remove containers')], stop: true };
  return { errors: (now ?? []).flatMap(({ image }, index) => (image ? [] : [required(`${at(field, index)}.image`)])), stop: false };
}

function checkDeadline(now: number | undefined, before: number | undefined): FieldError[] {
  const field = 'spec.activeDeadlineSeconds';
  if (now !== undefined) return before !== undefined && before < now ? [invalid(field, now, 'must be less than or equal to previous value')] : [];
  return before === undefined ? [] : [invalid(field, null, 'must not update from a positive integer to nil value')];
}

function checkAddedTolerations(now: readonly Toleration[], before: readonly Toleration[]): FieldError[] {
  const kept = before.every((old) => now.some((toleration) => deepEqual(withoutSeconds(old), withoutSeconds(toleration))));
  return kept ? [] : [forbidden('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds')];
}

function withoutSeconds({ tolerationSeconds: _, ...rest }: Toleration): Omit<Toleration, 'tolerationSeconds'> {
  return rest;
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
  keep('activeDeadlineSeconds');
  keep('tolerations');
  keep('ephemeralContainers');
  if ((old.schedulingGates ?? []).length > 0) for (const key of ['schedulingGates', 'nodeSelector', 'affinity'] as const) keep(key);
  if ((old.terminationGracePeriodSeconds ?? 0) < 0 && spec.terminationGracePeriodSeconds === 1) keep('terminationGracePeriodSeconds');
  return result;
}

function checkGates({ spec }: Pod, old: Pod): FieldError[] {
  const before = (old.spec.schedulingGates ?? []).map(({ name }) => name);
  return (spec.schedulingGates ?? []).flatMap(({ name }, index) =>
    before.includes(name) ? [] : [forbidden(`${at('spec.schedulingGates', index)}.name`, `only deletion is allowed, but found new scheduling gate '${name}'`)],
  );
}

/** Everything wrong with an update of a pod (upstream: ValidatePodUpdate). */
export function validatePodUpdate(pod: Pod, old: Pod): FieldError[] {
  const errors = validatePod(pod);
  const containers = checkList(pod.spec.containers, old.spec.containers, 'spec.containers');
  errors.push(...containers.errors);
  if (containers.stop) return errors;
  const initContainers = checkList(pod.spec.initContainers, old.spec.initContainers, 'spec.initContainers');
  errors.push(...initContainers.errors);
  if (initContainers.stop) return errors;
  errors.push(...checkDeadline(pod.spec.activeDeadlineSeconds, old.spec.activeDeadlineSeconds));
  if (pod.spec.tolerations !== undefined || old.spec.tolerations !== undefined)
    errors.push(...checkAddedTolerations(pod.spec.tolerations ?? [], old.spec.tolerations ?? []));
  errors.push(...checkGates(pod, old), ...checkKept(pod, old));
  const comparable = munged(pod.spec, old.spec);
  if (!deepEqual(comparable, old.spec)) {
    errors.push(
      forbidden(
        'spec',
        `pod updates may not change fields other than ${CHANGEABLE}\n${internalDifference(internalPodSpec(old.spec), internalPodSpec(comparable))}`,
      ),
    );
  }
  return errors;
}
