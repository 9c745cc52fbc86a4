import type { Schedule } from '../../api/batch/v1/cron-schedule.ts';
import { timeZoneFault } from '../../api/batch/v1/time-zone.ts';
import type { CronJob, CronJobStatus, Job } from '../../api/generated/types/batch.v1.ts';
import type { ObjectReference } from '../../api/generated/types/core.v1.ts';
import type { Draft } from '../../api/object.ts';
import { CronJobs, Jobs } from '../../api/resources.ts';
import { hasReason } from '../../api/status.ts';
import type { EventType } from '../../client/event-recorder.ts';
import { parseTime, timestamp } from '../../lib/clock.ts';
import { finishedCondition } from '../job/conditions.ts';
import { compareText, controllerOf, controllerReference } from '../ownership.ts';
import { namespaceIsTerminating } from '../runtime/execute.ts';
import { type Action, NOTHING_TO_DO, type Outcome, type Plan, target } from '../runtime/plan.ts';
import { due, nextLookInMs, scheduleOf, zonedTime } from './schedule.ts';

/** What is known of a CronJob when it is looked at. */
export interface CronJobSnapshot {
  now: number;
  cronJob: CronJob;
  /** The Jobs that it controls. */
  jobs: readonly Job[];
  /** Uids of active Jobs that neither the cache nor the API server has. */
  missing: ReadonlySet<string>;
  /** Uids of active Jobs as the API server has them now, where the cache shows a Job that is not among them. */
  liveActive: readonly ObjectReference[] | undefined;
  /** What was seen at the last look. */
  memory: CronJobMemory | undefined;
}

/** The schedule of a CronJob when it was looked at last. */
export interface CronJobMemory {
  uid: string;
  schedule: string;
  timeZone: string | undefined;
}

/** What a look at a CronJob has come to so far. */
interface Progress {
  snapshot: CronJobSnapshot;
  cronJob: CronJob;
  active: readonly ObjectReference[];
  status: CronJobStatus;
  changed: boolean;
}

/** What to do about a CronJob now. The rules, numbered: SPEC.md. Upstream: cronjob_controllerv2.go (sync). */
export function planCronJob(snapshot: CronJobSnapshot): Plan {
  const { metadata, spec } = snapshot.cronJob;
  const remember: CronJobMemory = { uid: metadata.uid!, schedule: spec.schedule, timeZone: spec.timeZone };
  return { ...(isRescheduled(snapshot) ? planNewSchedule(snapshot) : planLook(snapshot)), remember };
}

function isRescheduled({ cronJob, memory }: CronJobSnapshot): boolean {
  const { metadata, spec } = cronJob;
  return memory?.uid === metadata.uid && (memory?.schedule !== spec.schedule || memory.timeZone !== spec.timeZone);
}

/** Another schedule holds from now on: what it would have been due for is not made up for. Upstream: updateCronJob. */
function planNewSchedule({ cronJob, now }: CronJobSnapshot): Plan {
  try {
    const requeueAfterMs = nextLookInMs(cronJob, scheduleOf(cronJob), now);
    return { actions: [], ...(requeueAfterMs === undefined ? {} : { requeueAfterMs }) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { actions: [note(cronJob, 'Warning', 'UnParseableCronJobSchedule', `unparseable schedule for cronjob: ${cronJob.spec.schedule}`)] };
  }
}

function planLook(snapshot: CronJobSnapshot): Plan {
  const { progress, events } = takeUpJobs(snapshot);
  const schedule = planSchedule(progress);
  return events.length === 0 ? schedule : { actions: events, next: () => schedule };
}

/** Jobs that have ended or are gone are active no more; the last success is noted. */
function takeUpJobs(snapshot: CronJobSnapshot): { progress: Progress; events: Action[] } {
  const { cronJob, jobs, missing } = snapshot;
  const status = { ...cronJob.status };
  const events: Action[] = [];
  let active: readonly ObjectReference[] = snapshot.liveActive ?? cronJob.status?.active ?? [];
  let changed = false;
  for (const job of jobs) {
    const { uid, name } = job.metadata;
    const isActive = active.some((reference) => reference.uid === uid);
    const finished = finishedCondition(job);
    if (!finished) {
      if (!isActive) events.push(note(cronJob, 'Warning', 'UnexpectedJob', `Saw a job that the controller did not create or forgot: ${name}`));
      continue;
    }
    if (isActive) {
      active = active.filter((reference) => reference.uid !== uid);
      events.push(note(cronJob, 'Normal', 'SawCompletedJob', `Saw completed job: ${name}, condition: ${finished.type}`));
      changed = true;
    }
    const completed = finished.type === 'Complete' ? job.status?.completionTime : undefined;
    if (completed !== undefined && (parseTime(status.lastSuccessfulTime) ?? 0) < parseTime(completed)) {
      status.lastSuccessfulTime = completed;
      changed = true;
    }
  }
  for (const { uid = '', name } of active.filter((reference) => missing.has(reference.uid ?? ''))) {
    active = active.filter((reference) => reference.uid !== uid);
    events.push(note(cronJob, 'Normal', 'MissingJob', `Active job went missing: ${name}`));
    changed = true;
  }
  return { progress: { snapshot, cronJob, active, status, changed }, events };
}

function note(about: CronJob, type: EventType, reason: string, message: string): Action {
  return { type: 'event', about, note: { type, reason, message }, because: { rule: 'CJ-20' } };
}

/** Upstream: syncCronJob, its second half. */
function planSchedule(progress: Progress): Plan {
  const { cronJob, snapshot } = progress;
  const { spec, metadata } = cronJob;
  const told = (type: EventType, reason: string, message: string): Plan => finish(progress, { notes: [note(cronJob, type, reason, message)] });
  if (metadata.deletionTimestamp !== undefined) return finish(progress);
  const zoneFault = spec.timeZone === undefined ? undefined : timeZoneFault(spec.timeZone);
  if (zoneFault !== undefined) return told('Warning', 'UnknownTimeZone', `invalid timeZone: ${JSON.stringify(spec.timeZone)}: ${zoneFault}`);
  if (spec.suspend) return finish(progress);
  let schedule: Schedule;
  try {
    schedule = scheduleOf(cronJob);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return told('Warning', 'UnparseableSchedule', `unparseable schedule: ${JSON.stringify(spec.schedule)} : ${error.message}`);
  }
  try {
    const { at, missed } = due(cronJob, schedule, { now: snapshot.now, withDeadline: true });
    const tooMany = 'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew';
    const notes = at !== undefined && missed === 'many' ? [note(cronJob, 'Warning', 'TooManyMissedTimes', tooMany)] : [];
    const plan = at === undefined ? finish(progress, { schedule }) : planRun(progress, schedule, at);
    return notes.length === 0 ? plan : { actions: notes, next: () => plan };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return told('Warning', 'InvalidSchedule', `invalid schedule: ${spec.schedule} : ${error.message}`);
  }
}

/** A run is due at this time; it may be too late, have been already, or be in the way of another. */
function planRun(progress: Progress, schedule: Schedule, at: number): Plan {
  const { cronJob, active, snapshot } = progress;
  const { startingDeadlineSeconds, concurrencyPolicy } = cronJob.spec;
  const skip = (...notes: Action[]): Plan => finish(progress, { schedule, notes });
  if (startingDeadlineSeconds !== undefined && at + startingDeadlineSeconds * 1000 < snapshot.now) {
    return skip(note(cronJob, 'Warning', 'MissSchedule', `Missed scheduled time to start a job: ${new Date(at).toUTCString().replace('GMT', 'UTC')}`));
  }
  const name = jobName(cronJob, at);
  if (active.some((reference) => reference.name === name) || parseTime(cronJob.status?.lastScheduleTime) === at) return skip();
  if (concurrencyPolicy === 'Forbid' && active.length > 0) {
    return skip(note(cronJob, 'Normal', 'JobAlreadyActive', 'Not starting job because prior execution is running and concurrency policy is Forbid'));
  }
  const create = planCreation({ ...progress, active: concurrencyPolicy === 'Replace' ? [] : active }, schedule, at);
  if (concurrencyPolicy !== 'Replace' || active.length === 0) return create;
  const replaced = active.map(
    ({ uid = '', name: job = '', namespace = '' }): Action => ({
      type: 'delete',
      resource: Jobs,
      namespace,
      name: job,
      uid,
      propagationPolicy: 'Background',
      events: deletionEvents(cronJob, job),
      because: { rule: 'CJ-13' },
    }),
  );
  return { actions: replaced, next: (outcomes) => (outcomes.every(({ ok }) => ok) ? create : NOTHING_TO_DO) };
}

function deletionEvents(
  about: CronJob,
  name: string,
): { about: CronJob; success: { reason: string; message: string }; failure: { reason: string; prefix: string } } {
  return {
    about,
    success: { reason: 'SuccessfulDelete', message: `Deleted job ${name}` },
    failure: { reason: 'FailedDelete', prefix: 'Deleted job' },
  };
}

/** Named after the minute, so that no time has two. */
function jobName({ metadata }: CronJob, at: number): string {
  return `${metadata.name}-${Math.floor(at / 60_000)}`;
}

/** Upstream: getJobFromTemplate2. */
function jobFor(cronJob: CronJob, at: number): Draft<Job> {
  const { metadata = {}, spec } = cronJob.spec.jobTemplate;
  return {
    metadata: {
      name: jobName(cronJob, at),
      namespace: cronJob.metadata.namespace,
      ...(metadata.labels ? { labels: metadata.labels } : {}),
      annotations: { ...metadata.annotations, 'batch.kubernetes.io/cronjob-scheduled-timestamp': zonedTime(cronJob, at) },
      ownerReferences: [controllerReference(CronJobs, cronJob)],
    },
    spec,
  } as Draft<Job>;
}

function planCreation(progress: Progress, schedule: Schedule, at: number): Plan {
  const { cronJob, active, status } = progress;
  const because = { rule: 'CJ-10', facts: { at: timestamp(at), active: active.length } };
  return {
    actions: [{ type: 'create', resource: Jobs, object: jobFor(cronJob, at), ifExists: 'get', because }],
    next: ([outcome]: Outcome[]) => {
      if (!outcome?.ok) return { actions: failureNotes(cronJob, outcome?.error) };
      const job = outcome.object as Job;
      if (outcome.existed && (controllerOf(job)?.uid !== cronJob.metadata.uid || active.some(({ uid }) => uid === job.metadata.uid))) {
        return finish(progress);
      }
      const notes = outcome.existed ? [] : [note(cronJob, 'Normal', 'SuccessfulCreate', `Created job ${job.metadata.name}`)];
      const started = { ...status, lastScheduleTime: timestamp(at) };
      return finish({ ...progress, active: [...active, referenceTo(job)], status: started, changed: true }, { schedule, notes });
    },
  };
}

function failureNotes(cronJob: CronJob, error: Error | undefined): Action[] {
  if (!error || namespaceIsTerminating(error)) return [];
  const message = hasReason(error, 'AlreadyExists') ? undefined : `Error creating job: ${error.message}`;
  return message === undefined ? [] : [note(cronJob, 'Warning', 'FailedCreate', message)];
}

function referenceTo({ metadata }: Job): ObjectReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return { kind: 'Job', namespace: namespace!, name: name!, uid: uid!, apiVersion: 'batch/v1', resourceVersion: resourceVersion! };
}

/** Old Jobs beyond the limits go; then the status, and the next look. */
function finish(progress: Progress, { schedule, notes = [] }: { schedule?: Schedule; notes?: Action[] } = {}): Plan {
  const { cronJob, snapshot } = progress;
  const victims = beyondLimits(snapshot);
  const deletions = victims.map(
    (job): Action => ({
      type: 'delete',
      ...target(Jobs, job),
      uid: job.metadata.uid!,
      propagationPolicy: 'Background',
      events: deletionEvents(cronJob, job.metadata.name!),
      because: { rule: 'CJ-14' },
    }),
  );
  const { active: _, ...rest } = progress.status;
  const status: CronJobStatus = { ...rest, ...(progress.active.length > 0 ? { active: [...progress.active] } : {}) };
  const update: Action = { type: 'update', resource: CronJobs, subresource: 'status', object: { ...cronJob, status } as CronJob, because: { rule: 'CJ-21' } };
  const looked = { ...cronJob, status } as CronJob;
  const requeueAfterMs = schedule && nextLookInMs(looked, schedule, snapshot.now);
  return {
    actions: notes,
    ...(requeueAfterMs === undefined ? {} : { requeueAfterMs }),
    next: () => ({ actions: deletions, next: () => ({ actions: progress.changed || victims.length > 0 ? [update] : [] }) }),
  };
}

/** The eldest of the successful and of the failed ones. Upstream: cleanupFinishedJobs. */
function beyondLimits({ cronJob, jobs }: CronJobSnapshot): Job[] {
  const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = cronJob.spec;
  const beyond = (type: string, limit: number | undefined): Job[] => {
    const finished = jobs.filter((job) => finishedCondition(job)?.type === type).sort(byStart);
    return limit === undefined ? [] : finished.slice(0, Math.max(finished.length - limit, 0));
  };
  return [...beyond('Complete', successfulJobsHistoryLimit), ...beyond('Failed', failedJobsHistoryLimit)];
}

function byStart(a: Job, b: Job): number {
  const [first, second] = [a.status?.startTime, b.status?.startTime];
  if (first === undefined || second === undefined) return first === second ? compareText(a.metadata.name!, b.metadata.name!) : first === undefined ? 1 : -1;
  return compareText(first, second) || compareText(a.metadata.name!, b.metadata.name!);
}
