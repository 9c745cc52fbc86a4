import { isDeepStrictEqual } from 'node:util';
import type { Pod, PodCondition, PodStatus } from '../api/generated/types/core.v1.ts';
import { hasReason } from '../api/status.ts';
import type { ResourceClient } from '../client/client.ts';

type Patch = Record<string, unknown>;

/** Merged by a key on the server: everything that is there must go first. */
const REPLACED = ['podIPs', 'hostIPs'];

function conditionPatch(condition: PodCondition, old: PodCondition | undefined): Patch {
  const patch: Patch = { ...condition };
  for (const key of ['reason', 'message'] as const) if (old?.[key] !== undefined && condition[key] === undefined) patch[key] = null;
  return patch;
}

/** The strategic merge patch that leads from one status to the other; undefined: nothing to do. Conditions of others are left alone. */
export function statusPatch(old: PodStatus, status: PodStatus): Patch | undefined {
  const patch: Patch = {};
  const before = old as Readonly<Record<string, unknown>>;
  for (const [key, value] of Object.entries(status)) {
    if (key === 'conditions' || isDeepStrictEqual(before[key], value)) continue;
    patch[key] = REPLACED.includes(key) && Array.isArray(before[key]) ? [...(value as unknown[]), { $patch: 'replace' }] : value;
  }
  for (const key of ['reason', 'message', 'initContainerStatuses'] as const) if (old[key] !== undefined && status[key] === undefined) patch[key] = null;
  const conditions = (status.conditions ?? []).flatMap((condition) => {
    const previous = old.conditions?.find(({ type }) => type === condition.type);
    return isDeepStrictEqual(previous, condition) ? [] : [conditionPatch(condition, previous)];
  });
  if (conditions.length) patch['conditions'] = conditions;
  return Object.keys(patch).length ? patch : undefined;
}

/**
 * Writes the difference between the pod's stored status and `status`.
 * @returns the pod as stored now; undefined where it is gone or another of the same name
 */
export async function writeStatus(pods: ResourceClient<Pod>, pod: Pod, status: PodStatus): Promise<Pod | undefined> {
  const patch = statusPatch(pod.status, status);
  if (!patch) return pod;
  const { namespace = '', name = '', uid } = pod.metadata;
  try {
    return await pods.patch(namespace, name, { metadata: { uid }, status: patch }, 'application/strategic-merge-patch+json', { subresource: 'status' });
  } catch (error) {
    if (hasReason(error, 'NotFound') || hasReason(error, 'Conflict') || hasReason(error, 'Invalid')) return undefined;
    throw error;
  }
}
