import type { Job, JobStatus } from '../../api/generated/types/batch.v1.ts';
import type { Pod } from '../../api/generated/types/core.v1.ts';
import { selectorFrom } from '../../api/labels.ts';
import { Jobs, Pods } from '../../api/resources.ts';
import { timestamp } from '../../lib/clock.ts';
import { claim } from '../ownership.ts';
import { podDeletion } from '../pod-control.ts';
import { isPodReady } from '../pod-state.ts';
import { type Action, inParallel, NOTHING_TO_DO, type Outcome, type Plan } from '../runtime/plan.ts';
import { finishedCondition, withCondition } from './conditions.ts';
import { COMPLETED, deadlineInMs, endingNow } from './ending.ts';
import { isSuspended, type JobSnapshot, type JobState, stateOf, TRACKING_FINALIZER } from './job-state.ts';
import { creations, podChange, removals } from './pods.ts';
import { planTracking } from './tracking.ts';

const CONTROLLER = 'kubernetes.io/job-controller';

/** Somebody else looks after the Job. */
export function isManagedElsewhere({ spec }: Job): boolean {
  return spec.managedBy !== undefined && spec.managedBy !== CONTROLLER;
}

/** What to do about a Job now. The rules, numbered: SPEC.md. Upstream: job_controller.go (syncJob). */
export function planJob(snapshot: JobSnapshot): Plan {
  const { job, pods } = snapshot;
  if (isManagedElsewhere(job) || finishedCondition(job)) return NOTHING_TO_DO;
  const owner = { owner: job, ownerResource: Jobs, selector: selectorFrom(job.spec.selector), rules: { adoption: 'JOB-1', release: 'JOB-2' } };
  return claim({ ...owner, resource: Pods, candidates: pods, finalizers: [TRACKING_FINALIZER] }, (claimed) => planClaimed(started(snapshot), claimed));
}

/** The Job with the time of its first start. */
function started(snapshot: JobSnapshot): JobSnapshot {
  const { job, now } = snapshot;
  if (job.status?.startTime !== undefined || isSuspended(job)) return snapshot;
  return { ...snapshot, job: { ...job, status: { ...job.status, startTime: timestamp(now) } } as Job };
}

function planClaimed(snapshot: JobSnapshot, pods: readonly Pod[]): Plan {
  const state = stateOf(snapshot, pods);
  const ending = endingNow(state);
  if (ending) return planEnding(state, ending);
  const plan = snapshot.expectationsMet && state.job.metadata.deletionTimestamp === undefined ? planPods(state) : planRunning(state, unchanged(state));
  const deadline = deadlineInMs(state.job, snapshot.now);
  return deadline === undefined ? plan : { ...plan, requeueAfterMs: Math.min(deadline, plan.requeueAfterMs ?? Number.POSITIVE_INFINITY) };
}

/** Active pods go; the Job has ended only when all of them do, and none is left that the cache does not show. */
function planEnding(state: JobState, ending: NonNullable<ReturnType<typeof endingNow>>): Plan {
  const { active, job, snapshot } = state;
  const because = { rule: 'JOB-20', facts: { ending: ending.reason, active: active.length } };
  const report = (outcomes: Outcome[]): Plan => {
    const gone = deleted(active, outcomes);
    const all = gone.length === active.length && snapshot.expectationsMet;
    const counts = { active: active.length - gone.length, ready: state.ready - gone.filter(isPodReady).length, terminating: state.terminating + gone.length };
    return planStatus(state, { ...counts, ending: all ? ending : undefined, conditions: undefined });
  };
  const actions = inParallel(active.map((pod) => podDeletion(job, pod, because)));
  return actions.length > 0 ? { actions, next: report } : report([]);
}

function deleted(pods: readonly Pod[], [batch]: Outcome[]): Pod[] {
  return pods.filter((_, index) => batch?.parts?.[index]?.ok);
}

/** The pods as they are after this look. */
interface Counts {
  active: number;
  ready: number;
  terminating: number;
  /** Whether this look decided about pods. */
  decided: boolean;
}

function unchanged({ active, ready, terminating }: JobState): Counts {
  return { active: active.length, ready, terminating, decided: false };
}

function planPods(state: JobState): Plan {
  const counts = { ...unchanged(state), decided: true };
  const change = podChange(state);
  switch (change.type) {
    case 'none':
      return planRunning(state, counts);
    case 'wait':
      // Upstream reports no active pods while it waits, whatever there is.
      return { ...planRunning(state, { ...counts, active: 0 }), requeueAfterMs: change.forMs };
    case 'delete': {
      const rule = isSuspended(state.job) ? 'JOB-31' : 'JOB-32';
      const actions = inParallel(removals(state.job, change.pods, { rule, facts: { pods: change.pods.length } }));
      return {
        actions,
        next: (outcomes) => {
          const gone = deleted(change.pods, outcomes);
          const { active, ready, terminating } = counts;
          const left = { active: active - gone.length, ready: ready - gone.filter(isPodReady).length, terminating: terminating + gone.length };
          return planRunning(state, { ...counts, ...left });
        },
      };
    }
    case 'create': {
      const facts = { active: state.active.length, succeeded: state.succeeded, creating: change.indexes.length };
      const actions: Action[] = creations(state, change.indexes, { rule: 'JOB-30', facts });
      if (actions.length === 0) return planRunning(state, counts);
      return {
        actions: [{ type: 'batch', slowStart: true, actions }],
        next: ([batch]) => planRunning(state, { ...counts, active: counts.active + (batch?.parts ?? []).filter(({ ok }) => ok).length }),
      };
    }
  }
}

/** Without a reason to end, a Job is complete when enough pods have succeeded and none is active. */
function planRunning(state: JobState, counts: Counts): Plan {
  const { job, succeeded } = state;
  const { completions } = job.spec;
  const complete = counts.active === 0 && (completions === undefined ? succeeded > 0 : succeeded >= completions);
  if (complete) return planStatus(state, { ...counts, ending: COMPLETED, conditions: undefined });
  return planStatus(state, { ...counts, ending: undefined, conditions: counts.decided ? suspension(state) : undefined });
}

/** The Suspended condition where it changes. */
function suspension({ job, snapshot }: JobState): JobStatus['conditions'] {
  const suspended = { type: 'Suspended' as const, reason: 'JobSuspended', message: 'Job suspended' };
  const resumed = { type: 'Suspended' as const, reason: 'JobResumed', message: 'Job resumed' };
  const conditions = job.status?.conditions ?? [];
  return isSuspended(job) ? withCondition(conditions, suspended, 'True', snapshot.now) : withCondition(conditions, resumed, 'False', snapshot.now);
}

interface Report {
  active: number;
  ready: number;
  terminating: number;
  ending: ReturnType<typeof endingNow>;
  /** Undefined: they stay. */
  conditions: JobStatus['conditions'];
}

function planStatus(state: JobState, { active, ready, terminating, ending, conditions }: Report): Plan {
  const { job, snapshot } = state;
  const { active: _, ...old } = job.status ?? {};
  const changed = conditions !== undefined || active !== (job.status?.active ?? 0) || ready !== job.status?.ready || terminating !== job.status?.terminating;
  const isResumed = conditions !== undefined && !isSuspended(job);
  const status: JobStatus = {
    ...old,
    ...(active > 0 ? { active } : {}),
    ready,
    terminating,
    uncountedTerminatedPods: old.uncountedTerminatedPods ?? {},
    ...(conditions ? { conditions } : {}),
    ...(isResumed ? { startTime: timestamp(snapshot.now) } : {}),
  };
  const event: Action[] = conditions ? [suspensionEvent(job)] : [];
  const tracking = planTracking(state, { status, changed, ending, terminating });
  return event.length === 0 ? tracking : { actions: event, next: () => tracking };
}

function suspensionEvent(job: Job): Action {
  const word = isSuspended(job) ? 'Suspended' : 'Resumed';
  return { type: 'event', about: job, note: { type: 'Normal', reason: word, message: `Job ${word.toLowerCase()}` }, because: { rule: 'JOB-33' } };
}
