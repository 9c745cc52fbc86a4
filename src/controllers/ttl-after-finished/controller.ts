import type { Job } from '../../api/generated/types/batch.v1.ts';
import { keyOf } from '../../api/object.ts';
import { Jobs } from '../../api/resources.ts';
import type { InformerFactory } from '../../client/informer.ts';
import { parseTime } from '../../lib/clock.ts';
import { finishedCondition } from '../job/conditions.ts';
import { byKey, type Controller, watchRule } from '../runtime/controller.ts';
import { deletionOf, NOTHING_TO_DO, type Plan } from '../runtime/plan.ts';

export interface FinishedJobSnapshot {
  now: number;
  job: Job;
}

/** Deletes Jobs that have been finished for as long as they want to be kept. Upstream: pkg/controller/ttlafterfinished. */
export function ttlAfterFinishedController(informers: InformerFactory): Controller<FinishedJobSnapshot> {
  const jobs = informers.lister(Jobs);
  return {
    name: 'ttl-after-finished-controller',
    watches: [watchRule(Jobs, ({ type, object }) => (type !== 'deleted' && object.spec.ttlSecondsAfterFinished !== undefined ? [keyOf(object)] : []))],
    observe: async (key, { now }) => {
      const job = byKey(jobs, key);
      return job && { now, job };
    },
    plan: planFinishedJob,
  };
}

/** The Job waits for its pods to go; only the very Job that has been looked at is deleted. */
export function planFinishedJob({ now, job }: FinishedJobSnapshot): Plan {
  const { metadata, spec } = job;
  const finished = finishedCondition(job);
  if (!finished || spec.ttlSecondsAfterFinished === undefined || metadata.deletionTimestamp !== undefined) return NOTHING_TO_DO;
  const leftMs = (parseTime(finished.lastTransitionTime) ?? now) + spec.ttlSecondsAfterFinished * 1000 - now;
  if (leftMs > 0) return { actions: [], requeueAfterMs: leftMs };
  return { actions: [{ ...deletionOf(Jobs, job), resourceVersion: metadata.resourceVersion!, propagationPolicy: 'Foreground' }] };
}
