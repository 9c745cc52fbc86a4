import type { CronJob, Job } from '../../api/generated/types/batch.v1.ts';
import { type KubeObject, keyOf, type Resource } from '../../api/object.ts';
import { CronJobs, Jobs } from '../../api/resources.ts';
import { hasReason } from '../../api/status.ts';
import type { Client } from '../../client/client.ts';
import type { InformerFactory } from '../../client/informer.ts';
import { indexByController, ownedBy } from '../adoption-index.ts';
import { finishedCondition } from '../job/conditions.ts';
import { controllerOf } from '../ownership.ts';
import { byKey, type Controller, watchRule } from '../runtime/controller.ts';
import { type CronJobMemory, type CronJobSnapshot, planCronJob } from './plan.ts';

/** Makes Jobs at set times. Upstream: pkg/controller/cronjob. */
export function cronJobController(informers: InformerFactory, client: Client): Controller<CronJobSnapshot> {
  const cronJobs = informers.lister(CronJobs);
  const jobs = informers.informer(Jobs);
  indexByController(jobs);
  return {
    name: 'cronjob-controller',
    watches: [
      watchRule(CronJobs, ({ object }) => [keyOf(object)]),
      watchRule(Jobs, ({ object }) => {
        const owner = controllerOf(object);
        const cronJob = owner?.kind === 'CronJob' ? cronJobs.get(object.metadata.namespace ?? '', owner.name) : undefined;
        return cronJob && cronJob.metadata.uid === owner?.uid ? [keyOf(cronJob)] : [];
      }),
    ],
    observe: async (key, { now, memory }) => {
      const cronJob = byKey(cronJobs, key);
      if (!cronJob) return undefined;
      const owned = ownedBy(jobs.lister, cronJob.metadata.uid!);
      const [missing, active] = [await missingOf(cronJob, owned, client), await liveActive(cronJob, owned, client)];
      return { now, cronJob, jobs: owned, missing, liveActive: active, memory: memory as CronJobMemory | undefined };
    },
    plan: planCronJob,
  };
}

async function live<T extends KubeObject>(client: Client, resource: Resource<T>, namespace: string, name: string): Promise<T | undefined> {
  try {
    return await client.resource(resource).get(namespace, name);
  } catch (error) {
    if (hasReason(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** The cache may be behind: what it does not show is asked for. */
async function missingOf({ status }: CronJob, jobs: readonly Job[], client: Client): Promise<Set<string>> {
  const missing = new Set<string>();
  for (const { uid = '', namespace = '', name = '' } of status?.active ?? []) {
    if (!jobs.some(({ metadata }) => metadata.uid === uid) && !(await live(client, Jobs, namespace, name))) missing.add(uid);
  }
  return missing;
}

/** A Job that is not among the active ones may be there already in a status that the cache does not show yet. */
async function liveActive({ metadata, status }: CronJob, jobs: readonly Job[], client: Client): Promise<CronJobSnapshot['liveActive']> {
  const known = status?.active ?? [];
  const isUnexpected = jobs.some((job) => !finishedCondition(job) && !known.some(({ uid }) => uid === job.metadata.uid));
  if (!isUnexpected) return undefined;
  return (await live(client, CronJobs, metadata.namespace ?? '', metadata.name ?? ''))?.status?.active ?? [];
}
