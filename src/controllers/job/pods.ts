import type { Job } from '../../api/generated/types/batch.v1.ts';
import type { Container, Pod, PodTemplateSpec } from '../../api/generated/types/core.v1.ts';
import type { Draft } from '../../api/object.ts';
import { Jobs, Pods } from '../../api/resources.ts';
import { podCreation, podDeletion, podFromTemplate } from '../pod-control.ts';
import { isPodTerminating } from '../pod-state.ts';
import { podsToDelete } from '../replicaset/ranking.ts';
import { type Action, type Because, inSequence, type PatchAction, target } from '../runtime/plan.ts';
import { finishedAt, remainingWaitMs } from './back-off.ts';
import { COMPLETION_INDEX, completionIndex, firstFree, indexesOf, union } from './indexes.ts';
import {
  allFailures,
  failureAnnotations,
  hasLimitPerIndex,
  isSuspended,
  isTracked,
  type JobState,
  replacesFailedOnly,
  TRACKING_FINALIZER,
} from './job-state.ts';

/** At most so many pods are created or deleted at once. */
const BURST = 500;
const MAX_GENERATE_NAME = 58;
const INDEX_VARIABLE = 'JOB_COMPLETION_INDEX';

/** What is to be done about the number of pods. */
export type PodChange =
  | { type: 'none' }
  /** Pods may be made again only then. */
  | { type: 'wait'; forMs: number }
  | { type: 'delete'; pods: Pod[] }
  | { type: 'create'; indexes: (number | undefined)[] };

/** Upstream: job_controller.go (manageJob). */
export function podChange(state: JobState): PodChange {
  const { job, active, snapshot } = state;
  if (isSuspended(job)) return active.length > 0 ? { type: 'delete', pods: tooMany(state, active.length) } : { type: 'none' };
  const wanted = wantedActive(state);
  const surplus = tooMany(state, Math.max(active.length - wanted, 0)).slice(0, BURST);
  if (surplus.length > 0) return { type: 'delete', pods: surplus };
  const missing = wanted - active.length - (replacesFailedOnly(job) ? state.terminating : 0);
  if (missing <= 0) return { type: 'none' };
  const forMs = hasLimitPerIndex(job) ? 0 : remainingWaitMs(state.failures, snapshot.now);
  if (forMs > 0) return { type: 'wait', forMs };
  const count = Math.min(missing, BURST);
  return state.indexes ? indexesToCreate(state, count) : { type: 'create', indexes: Array.from({ length: count }, () => undefined) };
}

function wantedActive({ job, active, succeeded }: JobState): number {
  const { parallelism = 1, completions } = job.spec;
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(Math.min(completions - succeeded, parallelism), 0);
}

/** Upstream: firstPendingIndexes, getPodCreationInfoForIndependentIndexes. */
function indexesToCreate(state: JobState, count: number): PodChange {
  const { job, active, pods, snapshot } = state;
  const { completions, succeeded, failed = [], delayed } = state.indexes!;
  const standing = [...active, ...(replacesFailedOnly(job) ? pods.filter(isPodTerminating) : [])];
  const taken = union(union(succeeded, failed), indexesOf(standing.flatMap((pod) => completionIndex(pod) ?? [])));
  const free = firstFree(taken, { count, completions });
  if (!hasLimitPerIndex(job)) return { type: 'create', indexes: free };
  const waits = free.map((index) => {
    const last = delayed.get(index);
    return last ? remainingWaitMs({ failures: allFailures(last) + 1, lastAt: finishedAt(last) }, snapshot.now) : 0;
  });
  const indexes = free.filter((_, at) => waits[at] === 0);
  if (indexes.length > 0) return { type: 'create', indexes };
  return waits.length > 0 ? { type: 'wait', forMs: Math.min(...waits) } : { type: 'none' };
}

/** Of an index one pod stays, and pods without a valid one go in any case. Upstream: activePodsForRemoval. */
function tooMany({ active, indexes, snapshot }: JobState, count: number): Pod[] {
  const ranked = (pods: readonly Pod[], most: number): Pod[] => podsToDelete(pods, [], { count: most, now: snapshot.now });
  if (!indexes) return ranked(active, count);
  const byIndex = new Map<number | undefined, Pod[]>();
  for (const pod of active) {
    const index = completionIndex(pod);
    const key = index !== undefined && index < indexes.completions ? index : undefined;
    byIndex.set(key, [...(byIndex.get(key) ?? []), pod]);
  }
  const removed = [...byIndex].flatMap(([index, pods]) => (index === undefined ? pods : ranked(pods, pods.length - 1)));
  const left = active.filter((pod) => !removed.includes(pod));
  return removed.length < count ? [...removed, ...ranked(left, count - removed.length)] : removed;
}

/** The removal of the finalizer by which a pod waits to be counted. */
export function untracking(pod: Pod, because: Because): PatchAction {
  const body = { metadata: { '$deleteFromPrimitiveList/finalizers': [TRACKING_FINALIZER] } };
  return { type: 'patch', ...target(Pods, pod), body, patchType: 'application/strategic-merge-patch+json', ignore: ['NotFound'], because };
}

/** Deletes pods that are not wanted any more and do not count. Upstream: deleteJobPods. */
export function removals(job: Job, pods: readonly Pod[], because: Because): Action[] {
  return pods.flatMap((pod) => inSequence([...(isTracked(pod) ? [untracking(pod, because)] : []), podDeletion(job, pod, because)]));
}

export function creations({ job, indexes }: JobState, wanted: readonly (number | undefined)[], because: Because): Action[] {
  const owner = { object: job, resource: Jobs };
  return wanted.map((index) => {
    const pod = podFromTemplate(templateFor(job, index, index === undefined ? undefined : indexes?.delayed.get(index)), owner);
    const named = index === undefined ? pod : { ...pod, metadata: { ...pod.metadata, generateName: generateName(job, index) } };
    return podCreation(owner, named as Draft<Pod>, because);
  });
}

function templateFor(job: Job, index: number | undefined, replaced: Pod | undefined): PodTemplateSpec {
  const { metadata = {}, spec } = job.spec.template;
  const finalizers = [...new Set([...(metadata.finalizers ?? []), TRACKING_FINALIZER])];
  if (index === undefined) return { metadata: { ...metadata, finalizers }, spec };
  const own = { [COMPLETION_INDEX]: String(index) };
  const annotations = { ...metadata.annotations, ...own, ...(hasLimitPerIndex(job) ? failureAnnotations(job, replaced) : {}) };
  const { initContainers, containers } = spec;
  return {
    metadata: { ...metadata, finalizers, annotations, labels: { ...metadata.labels, ...own } },
    spec: {
      ...spec,
      hostname: `${job.metadata.name}-${index}`,
      containers: containers.map(withIndexVariable),
      ...(initContainers ? { initContainers: initContainers.map(withIndexVariable) } : {}),
    },
  };
}

function withIndexVariable(container: Container): Container {
  if (container.env?.some(({ name }) => name === INDEX_VARIABLE)) return container;
  const fieldRef = { fieldPath: `metadata.labels['${COMPLETION_INDEX}']` };
  return { ...container, env: [...(container.env ?? []), { name: INDEX_VARIABLE, valueFrom: { fieldRef } }] } as Container;
}

/** Upstream: podGenerateNameWithIndex. */
function generateName({ metadata }: Job, index: number): string {
  const end = `-${index}-`;
  return metadata.name!.slice(0, MAX_GENERATE_NAME - end.length) + end;
}
