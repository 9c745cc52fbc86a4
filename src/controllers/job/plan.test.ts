import { describe, expect, it } from 'vitest';
import type { Job, JobStatus } from '../../api/generated/types/batch.v1.ts';
import type { Pod } from '../../api/generated/types/core.v1.ts';
import { timestamp } from '../../lib/clock.ts';
import type { Action } from '../runtime/plan.ts';
import { actionsOf, says, writtenStatus } from '../runtime/played-plan.ts';
import { NO_FAILURES, recordAfter, remainingWaitMs } from './back-off.ts';
import { planOrphan } from './controller.ts';
import { firstFree, indexesText, parseIndexes, union } from './indexes.ts';
import { type JobSnapshot, TRACKING_FINALIZER } from './job-state.ts';
import { planJob } from './plan.ts';

const NOW = Date.UTC(2026, 0, 1);

function job(spec: Partial<Job['spec']> = {}, status: Partial<JobStatus> = {}, metadata: Job['metadata'] = {}): Job {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'web', namespace: 't', uid: 'job', ...metadata },
    spec: {
      parallelism: 1,
      completions: 1,
      backoffLimit: 6,
      completionMode: 'NonIndexed',
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
      ...spec,
    } as unknown as Job['spec'],
    status: { startTime: timestamp(NOW - 60_000), ...status },
  };
}

interface PodParts {
  phase?: string;
  index?: number;
  going?: boolean;
  counted?: boolean;
  orphan?: boolean;
  exitCode?: number;
  failures?: number;
  ready?: boolean;
  restarts?: number;
  endedAt?: number;
  labels?: Record<string, string>;
}

function pod(name: string, parts: PodParts = {}): Pod {
  const { phase = 'Running', index, going, counted, orphan, exitCode, failures, ready = false, restarts = 0, endedAt = NOW - 30_000, labels } = parts;
  const terminated = exitCode === undefined ? undefined : { exitCode, finishedAt: timestamp(endedAt) };
  const annotations = {
    ...(index === undefined ? {} : { 'batch.kubernetes.io/job-completion-index': String(index) }),
    ...(failures === undefined ? {} : { 'batch.kubernetes.io/job-index-failure-count': String(failures) }),
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 't',
      uid: name,
      creationTimestamp: timestamp(endedAt),
      labels: { app: 'web', ...labels },
      annotations,
      ...(counted ? {} : { finalizers: [TRACKING_FINALIZER] }),
      ...(orphan ? {} : { ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'web', uid: 'job', controller: true }] }),
      ...(going ? { deletionTimestamp: timestamp(NOW), deletionGracePeriodSeconds: 0 } : {}),
    },
    spec: { containers: [] },
    status: {
      phase,
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
      containerStatuses: [{ name: 'c', restartCount: restarts, image: '', imageID: '', ready, ...(terminated ? { state: { terminated } } : {}) }],
    },
  } as unknown as Pod;
}

function snapshot(of: Job, pods: Pod[], parts: Partial<JobSnapshot> = {}): JobSnapshot {
  return { now: NOW, job: of, pods, expectationsMet: true, failures: NO_FAILURES, ...parts };
}

const actions = (of: Job, pods: Pod[], parts: Partial<JobSnapshot> = {}): Action[] => actionsOf(planJob(snapshot(of, pods, parts)));
const done = (of: Job, pods: Pod[], parts: Partial<JobSnapshot> = {}): string[] =>
  actions(of, pods, parts)
    .map(says)
    .filter((text) => !text.endsWith(' status'));
const statusOf = (of: Job, pods: Pod[], parts: Partial<JobSnapshot> = {}): JobStatus => writtenStatus(planJob(snapshot(of, pods, parts))) as JobStatus;
const typesOf = (status: JobStatus): string[] => (status.conditions ?? []).map(({ type, reason }) => `${type} ${reason}`);

describe('what belongs to a Job', () => {
  it('JOB-1 and JOB-2: adopts what matches, to be counted, and lets go of what does not', () => {
    const [verify, adopt, release] = actions(job(), [pod('a', { orphan: true, counted: true }), pod('b', { labels: { app: 'x' } })]);
    expect([verify, adopt, release].map((action) => says(action!))).toEqual(['verifyLive Job web', 'patch Pod a', 'patch Pod b']);
    expect(adopt).toMatchObject({ body: { metadata: { finalizers: [TRACKING_FINALIZER] } } });
    expect(release).toMatchObject({ body: { metadata: { '$deleteFromPrimitiveList/finalizers': [TRACKING_FINALIZER] } } });
  });

  it('JOB-3: leaves alone what is finished, and what others manage', () => {
    const complete = { type: 'Complete', status: 'True' } as NonNullable<JobStatus['conditions']>[number];
    expect(done(job({}, { conditions: [complete] }), [])).toEqual([]);
    expect(done(job({ managedBy: 'example.com/me' }), [])).toEqual([]);
  });
});

describe('how pods are counted', () => {
  it('JOB-10: by uid, then without finalizer, then by number', () => {
    const all = actions(job({ completions: 2, parallelism: 2 }), [pod('a', { phase: 'Succeeded' }), pod('b')]);
    expect(all.map(says)).toEqual(['update Job web status', 'patch Pod a', 'update Job web status']);
    expect(all[0]).toMatchObject({ object: { status: { uncountedTerminatedPods: { succeeded: ['a'] } } } });
    expect(all[2]).toMatchObject({ object: { status: { succeeded: 1, uncountedTerminatedPods: {} } } });
  });

  it('JOB-10: goes on where it was broken off', () => {
    const uncounted = { uncountedTerminatedPods: { succeeded: ['a'] }, active: 1, ready: 0, terminating: 0 };
    const status = statusOf(job({ completions: 2, parallelism: 2 }, uncounted), [pod('a', { phase: 'Succeeded', counted: true }), pod('b')]);
    expect(status).toMatchObject({ succeeded: 1, uncountedTerminatedPods: {} });
    const again = statusOf(job({ completions: 2, parallelism: 2 }, uncounted), [pod('a', { phase: 'Succeeded' }), pod('b')]);
    expect(again.succeeded).toBe(1);
  });

  it('JOB-10: indexes say what has succeeded', () => {
    const indexed = job({ completionMode: 'Indexed', completions: 4, parallelism: 4 }, { completedIndexes: '0' });
    const pods = [pod('c', { index: 2, phase: 'Succeeded' }), pod('b', { index: 1, phase: 'Succeeded' }), pod('d', { index: 3 })];
    expect(statusOf(indexed, pods)).toMatchObject({ completedIndexes: '0-2', succeeded: 3 });
  });

  it('JOB-11: a failed pod waits for who takes its place in the index', () => {
    const limited = job({ completionMode: 'Indexed', completions: 1, backoffLimitPerIndex: 2, backoffLimit: 100 });
    const failed = pod('a', { index: 0, phase: 'Failed', exitCode: 1, failures: 0, endedAt: NOW - 20_000 });
    expect(done(limited, [failed])).toEqual(['create Pod web-0-']);
    expect(done(limited, [failed, pod('b', { index: 0, failures: 1 })])).toEqual(['patch Pod a']);
  });

  it('JOB-12: a pod that is going counts at once, or when it has ended', () => {
    expect(statusOf(job({ parallelism: 0 }), [pod('a', { going: true })]).failed).toBe(1);
    expect(statusOf(job({ podReplacementPolicy: 'Failed' }), [pod('a', { going: true })]).failed).toBeUndefined();
    expect(done(job({ podReplacementPolicy: 'Failed' }), [pod('a', { going: true })])).toEqual([]);
  });

  it('JOB-13: first what it will end with, then the end, then the event', () => {
    const all = actions(job({}, { ready: 0, terminating: 0 }), [pod('a', { phase: 'Succeeded' })]);
    expect(all.map(says)).toEqual(['update Job web status', 'patch Pod a', 'update Job web status', 'event Completed']);
    expect(all[0]).toMatchObject({ object: { status: { conditions: [{ type: 'SuccessCriteriaMet', reason: 'CompletionsReached' }] } } });
    expect(all[2]).toMatchObject({ object: { status: { completionTime: timestamp(NOW), conditions: [{}, { type: 'Complete' }] } } });
    const waiting = statusOf(job({ backoffLimit: 0, podReplacementPolicy: 'Failed' }), [pod('a', { phase: 'Failed' }), pod('b', { going: true })]);
    expect(typesOf(waiting)).toEqual(['FailureTarget BackoffLimitExceeded']);
  });

  it('JOB-14: nobody waits for a Job that is gone', () => {
    expect(actionsOf(planOrphan(pod('a', { orphan: true }))).map(says)).toEqual(['patch Pod a']);
    expect(planOrphan(pod('a', { counted: true })).actions).toEqual([]);
  });
});

describe('how a Job ends', () => {
  it('JOB-20: deletes its active pods', () => {
    expect(done(job({ backoffLimit: 0, parallelism: 2, completions: 2 }), [pod('a', { phase: 'Failed' }), pod('b')])).toContain('delete Pod b');
  });

  const exits = (action: string, values: number[]) => ({ rules: [{ action, onExitCodes: { operator: 'In', values } }] });
  it.each([
    ['JOB-21: backoff limit', job({ backoffLimit: 0 }), [pod('a', { phase: 'Failed' })], 'BackoffLimitExceeded'],
    ['JOB-21: deadline', job({ activeDeadlineSeconds: 60 }), [], 'DeadlineExceeded'],
    [
      'JOB-21: policy before limit',
      job({ backoffLimit: 0, podFailurePolicy: exits('FailJob', [3]) }),
      [pod('a', { phase: 'Failed', exitCode: 3 })],
      'PodFailurePolicy',
    ],
    [
      'JOB-21: failed indexes',
      job({ completionMode: 'Indexed', completions: 1, backoffLimitPerIndex: 0, backoffLimit: 99 }),
      [pod('a', { phase: 'Failed', index: 0, exitCode: 1 })],
      'FailedIndexes',
    ],
    [
      'JOB-21: too many failed indexes',
      job({ completionMode: 'Indexed', completions: 3, backoffLimitPerIndex: 0, backoffLimit: 99, maxFailedIndexes: 0 }),
      [pod('a', { phase: 'Failed', index: 0, exitCode: 1 })],
      'MaxFailedIndexesExceeded',
    ],
    [
      'JOB-22: FailIndex',
      job({ completionMode: 'Indexed', completions: 1, backoffLimitPerIndex: 5, backoffLimit: 99, podFailurePolicy: exits('FailIndex', [3]) }),
      [pod('a', { phase: 'Failed', index: 0, exitCode: 3 })],
      'FailedIndexes',
    ],
  ])('%s', (_, of, pods, reason) => {
    expect(typesOf(statusOf(of, pods))).toEqual([`FailureTarget ${reason}`, `Failed ${reason}`]);
  });

  it('JOB-21: restarts count where pods restart themselves', () => {
    const onFailure = job({ backoffLimit: 3 });
    onFailure.spec.template.spec.restartPolicy = 'OnFailure';
    expect(done(onFailure, [pod('a', { restarts: 2 })])).toEqual([]);
    expect(done(onFailure, [pod('a', { restarts: 3 })])).toContain('delete Pod a');
  });

  it('JOB-22: what is ignored counts not', () => {
    const ignoring = job({ backoffLimit: 0, podFailurePolicy: exits('Ignore', [3]) });
    expect(statusOf(ignoring, [pod('a', { phase: 'Failed', exitCode: 3 })]).failed).toBeUndefined();
    expect(done(ignoring, [pod('a', { phase: 'Failed', exitCode: 3 })])).toContain('patch Pod a');
  });

  it.each([
    ['JOB-23: by its indexes', { rules: [{ succeededIndexes: '0-1' }] }, true],
    ['JOB-23: by a number of them', { rules: [{ succeededIndexes: '0-3', succeededCount: 2 }] }, true],
    ['JOB-23: by a number of any', { rules: [{ succeededCount: 2 }] }, true],
    ['JOB-23: not yet', { rules: [{ succeededIndexes: '0-2' }] }, false],
  ])('%s', (_, successPolicy, met) => {
    const of = job({ completionMode: 'Indexed', completions: 5, parallelism: 5, successPolicy }, { completedIndexes: '0,1' });
    expect(typesOf(statusOf(of, []))).toEqual(met ? ['SuccessCriteriaMet SuccessPolicy', 'Complete SuccessPolicy'] : []);
  });
});

describe('the pods of a Job', () => {
  it.each([
    ['JOB-30: up to parallelism', job({ parallelism: 2, completions: 5 }), [], 2],
    ['JOB-30: up to what is left', job({ parallelism: 5, completions: 3 }, { succeeded: 1 }), [pod('a')], 1],
    ['JOB-30: no more after a success of any', job({ parallelism: 2, completions: undefined as never }, { succeeded: 1 }), [pod('a')], 0],
  ])('%s', (_, of, pods, count) => {
    expect(done(of, pods).filter((text) => text.startsWith('create'))).toHaveLength(count);
  });

  it('JOB-30: waits after failures, and tells of no active pods meanwhile', () => {
    const failed = pod('a', { phase: 'Failed', exitCode: 1, endedAt: NOW - 4000 });
    const plan = planJob(snapshot(job({ parallelism: 2, completions: 2 }), [failed, pod('b')]));
    expect(plan.requeueAfterMs).toBe(6000);
    expect(writtenStatus(plan)).not.toHaveProperty('active');
    expect([1, 2, 3, 20].map((failures) => remainingWaitMs({ failures, lastAt: NOW }, NOW))).toEqual([10_000, 20_000, 40_000, 600_000]);
    const succeeded = [pod('s', { phase: 'Succeeded', exitCode: 0, endedAt: NOW - 5000 })];
    expect(recordAfter({ failures: 3, lastAt: NOW - 9000 }, { succeeded, failed: [failed] })).toEqual({ failures: 1, lastAt: NOW - 4000 });
  });

  it('JOB-31: a suspended Job has none, and they do not count', () => {
    const all = actions(job({ suspend: true, parallelism: 2, completions: 2 }), [pod('a'), pod('b')]);
    expect(all.map(says).filter((text) => text.includes('Pod'))).toEqual(['patch Pod a', 'delete Pod a', 'patch Pod b', 'delete Pod b']);
  });

  it('JOB-32: of too many the one that hurts least, of an index one', () => {
    expect(done(job({ parallelism: 1, completions: 3 }), [pod('a', { ready: true }), pod('b')])).toEqual(['patch Pod b', 'delete Pod b']);
    const indexed = job({ completionMode: 'Indexed', completions: 2, parallelism: 2 });
    const pods = [pod('a', { index: 0, ready: true }), pod('b', { index: 0 }), pod('c', { index: 1 }), pod('d', { index: 7 })];
    expect(done(indexed, pods).filter((text) => text.startsWith('delete'))).toEqual(['delete Pod b', 'delete Pod d']);
  });

  it('JOB-33: suspending and resuming are told of', () => {
    const suspended = statusOf(job({ suspend: true }), []);
    expect(typesOf(suspended)).toEqual(['Suspended JobSuspended']);
    const resumed = actions(job({}, suspended), []);
    expect(resumed.map(says)).toEqual(['create Pod web-', 'event Resumed', 'update Job web status']);
    expect(statusOf(job({}, suspended), [])).toMatchObject({ startTime: timestamp(NOW), conditions: [{ status: 'False', reason: 'JobResumed' }] });
  });

  it('JOB-34: a pod of an Indexed Job knows its index', () => {
    const of = job({ completionMode: 'Indexed', completions: 1, backoffLimitPerIndex: 3, backoffLimit: 99 });
    const replaced = pod('a', { index: 0, phase: 'Failed', exitCode: 1, failures: 1, endedAt: NOW - 60_000 });
    const [create] = actions(of, [replaced]);
    const index = 'batch.kubernetes.io/job-completion-index';
    expect(create).toMatchObject({
      object: {
        metadata: {
          generateName: 'web-0-',
          labels: { [index]: '0' },
          annotations: { [index]: '0', 'batch.kubernetes.io/job-index-failure-count': '2' },
          finalizers: [TRACKING_FINALIZER],
        },
        spec: { hostname: 'web-0', containers: [{ env: [{ name: 'JOB_COMPLETION_INDEX' }] }] },
      },
    });
  });
});

describe('indexes', () => {
  it.each([
    ['', 10, ''],
    ['1,3-5', 10, '1,3-5'],
    ['1,2,4', 10, '1,2,4'],
    ['1,2,3', 10, '1-3'],
    ['0-9', 5, '0-4'],
    ['7', 5, ''],
    ['x,2', 5, '2'],
  ])('%s below %i is %s', (text, completions, wanted) => {
    expect(indexesText(parseIndexes(text, completions))).toBe(wanted);
  });

  it('join, and say what is free', () => {
    const taken = union(parseIndexes('0,4', 10), parseIndexes('1,6-7', 10));
    expect(indexesText(taken)).toBe('0,1,4,6,7');
    expect(firstFree(taken, { count: 4, completions: 9 })).toEqual([2, 3, 5, 8]);
  });
});
