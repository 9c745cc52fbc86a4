import type { Job } from '../../api/generated/types/batch.v1.ts';
import type { Pod } from '../../api/generated/types/core.v1.ts';
import { type Selector, selectorFrom } from '../../api/labels.ts';
import { keyOf } from '../../api/object.ts';
import { Jobs, Pods } from '../../api/resources.ts';
import type { InformerFactory } from '../../client/informer.ts';
import { indexByController, indexBySelector, keysOfOwners, orphansFor, ownedBy } from '../adoption-index.ts';
import { controllerOf } from '../ownership.ts';
import { byKey, type Controller, watchRule } from '../runtime/controller.ts';
import { NOTHING_TO_DO, type Plan } from '../runtime/plan.ts';
import { NO_FAILURES } from './back-off.ts';
import { finishedCondition } from './conditions.ts';
import { isTracked, type JobMemory, type JobSnapshot } from './job-state.ts';
import { isManagedElsewhere, planJob } from './plan.ts';
import { untracking } from './pods.ts';

/** Runs pods to their end, and counts each once. Upstream: pkg/controller/job. */
export function jobController(informers: InformerFactory): Controller<JobSnapshot> {
  const jobs = indexBySelector(informers.informer(Jobs), Jobs, selectorOf);
  const pods = informers.informer(Pods);
  indexByController(pods);
  return {
    name: 'job-controller',
    watches: [watchRule(Jobs, ({ object }) => [keyOf(object)]), watchRule(Pods, (change) => keysOfOwners(jobs, change))],
    expects: { resource: Pods, ownerOf: (key) => byKey(jobs.lister, key)?.metadata.uid },
    observe: async (key, { now, expectationsMet, memory, latest }) => {
      const job = byKey(jobs.lister, key);
      if (!job) return undefined;
      const { namespace = '', uid = '' } = job.metadata;
      const found = [...ownedBy(pods.lister, uid), ...orphansFor(pods.lister, namespace, selectorOf(job))];
      const known = memory as JobMemory | undefined;
      return { now, job, pods: found.map(latest), expectationsMet, failures: known?.uid === uid ? known.failures : NO_FAILURES };
    },
    plan: planJob,
  };
}

function selectorOf({ spec }: Job): Selector {
  return selectorFrom(spec.selector);
}

/** Frees pods that wait to be counted by a Job that does not exist, has ended, or let them go. Upstream: syncOrphanPod. */
export function orphanPodController(informers: InformerFactory): Controller<Pod> {
  const jobs = informers.lister(Jobs);
  const pods = informers.informer(Pods);
  indexByController(pods);
  return {
    name: 'job-controller-orphans',
    watches: [
      watchRule(Pods, ({ type, object }) => (type !== 'deleted' && isTracked(object) ? [keyOf(object)] : [])),
      watchRule(Jobs, ({ type, object }) => (type === 'deleted' || finishedCondition(object) ? ownedBy(pods.lister, object.metadata.uid!).map(keyOf) : [])),
    ],
    observe: async (key) => {
      const pod = byKey(pods.lister, key);
      if (!pod || !isTracked(pod)) return undefined;
      const owner = controllerOf(pod);
      if (owner && (owner.kind !== 'Job' || owner.apiVersion !== 'batch/v1')) return undefined;
      const found = owner && jobs.get(pod.metadata.namespace ?? '', owner.name);
      const job = found?.metadata.uid === owner?.uid ? found : undefined;
      return job && (isManagedElsewhere(job) || !finishedCondition(job)) ? undefined : pod;
    },
    plan: planOrphan,
  };
}

export function planOrphan(pod: Pod): Plan {
  return isTracked(pod) ? { actions: [untracking(pod, { rule: 'JOB-14' })] } : NOTHING_TO_DO;
}
