import { deepEqual } from '../../../../equality.ts';
import { type FieldError, forbidden } from '../../../../field-error.ts';
import type { Pod } from '../../../../generated/types/core.v1.ts';
import { setPodSpecDefaults } from '../defaults.ts';
import { checkPodSpecEphemeralContainers } from './pod-spec.ts';

const FIELD = 'spec.ephemeralContainers';
const MIRROR = 'kubernetes.io/config.mirror';

/** The pod as it is, with the ephemeral containers that the client wants (upstream: dropNonEphemeralContainerUpdates). */
export function mergeEphemeralContainers(submitted: Pod, old: Pod): Pod {
  const wanted = structuredClone(submitted.spec);
  setPodSpecDefaults(wanted);
  const { ephemeralContainers: _, ...spec } = old.spec;
  const { resourceVersion } = submitted.metadata;
  return {
    ...old,
    metadata: { ...old.metadata, ...(resourceVersion ? { resourceVersion } : {}) },
    spec: wanted.ephemeralContainers ? { ...spec, ephemeralContainers: wanted.ephemeralContainers } : spec,
  };
}

/** Ephemeral containers are only ever added. */
export function checkKept({ spec }: Pod, old: Pod): FieldError[] {
  return (old.spec.ephemeralContainers ?? []).flatMap((before) => {
    const now = (spec.ephemeralContainers ?? []).find(({ name }) => name === before.name);
    if (!now) return [forbidden(FIELD, `existing ephemeral containers "${before.name}" may not be removed\n`)];
    return deepEqual(now, before) ? [] : [forbidden(FIELD, `existing ephemeral containers "${before.name}" may not be changed\n`)];
  });
}

/** Upstream: pkg/apis/core/validation, ValidatePodEphemeralContainersUpdate. */
export function validateEphemeralContainersUpdate(pod: Pod, old: Pod): FieldError[] {
  if (old.metadata.annotations?.[MIRROR] !== undefined) return [forbidden('', 'static pods do not support ephemeral containers')];
  return [...checkPodSpecEphemeralContainers(pod.spec, FIELD), ...checkKept(pod, old)];
}
