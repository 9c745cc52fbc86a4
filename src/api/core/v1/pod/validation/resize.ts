import { deepEqual } from '../../../../equality.ts';
import { at, type FieldError, forbidden, invalid } from '../../../../field-error.ts';
import type { Container, Pod, PodSpec, ResourceRequirements } from '../../../../generated/types/core.v1.ts';
import { internalDifference } from '../../internal-difference.ts';
import { internalPodSpec } from '../../internal-types.ts';
import { setPodOnlyDefaults, setPodSpecDefaults } from '../defaults.ts';
import { qosClass } from '../quality-of-service.ts';
import { validatePod } from './update.ts';

const RESIZABLE = ['cpu', 'memory'];
const LISTS = ['containers', 'initContainers'] as const;
const MIRROR = 'kubernetes.io/config.mirror';

/** The pod as it is, with the resources that the client wants (upstream: pkg/registry/core/pod, dropNonResizeUpdates). */
export function mergeResize(submitted: Pod, old: Pod): Pod {
  const wanted = structuredClone(submitted.spec);
  setPodSpecDefaults(wanted);
  setPodOnlyDefaults(wanted);
  const spec: PodSpec = { ...old.spec };
  for (const list of LISTS) {
    const before = old.spec[list];
    const after = wanted[list];
    if (!before || !after) continue;
    // Containers that have changed places or names are left to validation.
    const same = before.length === after.length && before.every(({ name }, index) => after[index]!.name === name);
    spec[list] = same ? before.map((container, index) => resized(container, after[index]!)) : after;
  }
  const { resourceVersion } = submitted.metadata;
  return { ...old, metadata: { ...old.metadata, ...(resourceVersion ? { resourceVersion } : {}) }, spec };
}

function resized(container: Container, { resources, resizePolicy }: Container): Container {
  return { ...container, resources, ...(resizePolicy ? { resizePolicy } : {}) };
}

function checkOrder(spec: PodSpec, old: PodSpec): FieldError[] {
  return LISTS.flatMap((list) => {
    const before = old[list] ?? [];
    const after = spec[list] ?? [];
    const field = `spec.${list}`;
    if (before.length !== after.length) return [forbidden(field, `${list} may not be added or removed on resize`)];
    return before.flatMap(({ name }, index) =>
      after[index]!.name === name ? [] : [forbidden(`${at(field, index)}.name`, `${list} may not be renamed or reordered on resize`)],
    );
  });
}

function checkRemoved(now: ResourceRequirements, before: ResourceRequirements, field: string): FieldError[] {
  return (['limits', 'requests'] as const).flatMap((key) => {
    const removed = Object.keys(before[key] ?? {}).some((name) => now[key]?.[name] === undefined);
    return removed ? [forbidden(`${field}.${key}`, `resource ${key} cannot be removed`)] : [];
  });
}

/** The spec with cpu and memory put back as they were. */
function withOldAmounts(spec: PodSpec, old: PodSpec): PodSpec {
  const result = { ...spec };
  for (const list of LISTS) {
    const before = old[list];
    if (!before || !spec[list]) continue;
    result[list] = spec[list].map((container, index) => ({ ...container, resources: restored(container.resources, before[index]!.resources) }));
  }
  return result;
}

function restored(now: ResourceRequirements, before: ResourceRequirements): ResourceRequirements {
  const result: ResourceRequirements = now.claims ? { claims: now.claims } : {};
  for (const key of ['limits', 'requests'] as const) {
    const others = Object.entries(now[key] ?? {}).filter(([name]) => !RESIZABLE.includes(name));
    const kept = Object.entries(before[key] ?? {}).filter(([name]) => RESIZABLE.includes(name));
    if (others.length + kept.length) result[key] = Object.fromEntries([...others, ...kept]);
  }
  return result;
}

/** A node whose kubelet tells no resources of what runs cannot resize it. */
function nodeCanResize({ status }: Pod): boolean {
  const running = (status.containerStatuses ?? []).find(({ state }) => state?.running);
  return !running || running.resources !== undefined;
}

/** Everything wrong with a change through pods/resize (upstream: pkg/apis/core/validation, ValidatePodResize). */
export function validatePodResize(pod: Pod, old: Pod): FieldError[] {
  const errors = validatePod(pod);
  if (old.metadata.annotations?.[MIRROR] !== undefined) return [...errors, forbidden('', 'static pods cannot be resized')];
  if (old.spec.os?.name === 'windows') return [...errors, forbidden('', 'windows pods cannot be resized')];
  const before = old.status.qosClass ?? qosClass(old.spec);
  if (before !== qosClass(pod.spec)) errors.push(invalid('spec', pod.status.qosClass ?? '', 'Pod QOS Class may not change as a result of resizing'));
  if (!nodeCanResize(old)) errors.push(forbidden('spec', 'Pod running on node without support for resize'));
  const order = checkOrder(pod.spec, old.spec);
  if (order.length) return [...errors, ...order];
  for (const list of LISTS) {
    (pod.spec[list] ?? []).forEach(({ resources }, index) => {
      errors.push(...checkRemoved(resources ?? {}, old.spec[list]![index]!.resources ?? {}, `${at(`spec.${list}`, index)}.resources`));
    });
  }
  const comparable = withOldAmounts(pod.spec, old.spec);
  if (!deepEqual(comparable, old.spec))
    errors.push(forbidden('spec', `only cpu and memory resources are mutable\n${internalDifference(internalPodSpec(old.spec), internalPodSpec(comparable))}`));
  return errors;
}
