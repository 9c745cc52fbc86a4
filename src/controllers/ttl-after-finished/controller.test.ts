import { expect, it } from 'vitest';
import type { Job } from '../../api/generated/types/batch.v1.ts';
import { timestamp } from '../../lib/clock.ts';
import { planFinishedJob } from './controller.ts';

const NOW = Date.UTC(2026, 0, 1);

const finished = (ttlSecondsAfterFinished: number | undefined, secondsAgo: number): Job =>
  ({
    metadata: { name: 'web', namespace: 't', uid: 'u', resourceVersion: '7' },
    spec: ttlSecondsAfterFinished === undefined ? {} : { ttlSecondsAfterFinished },
    status: { conditions: [{ type: 'Failed', status: 'True', lastTransitionTime: timestamp(NOW - secondsAgo * 1000) }] },
  }) as unknown as Job;

it('a finished Job goes when its time has passed, with its pods', () => {
  expect(planFinishedJob({ now: NOW, job: finished(10, 10) }).actions).toMatchObject([
    { type: 'delete', name: 'web', uid: 'u', resourceVersion: '7', propagationPolicy: 'Foreground' },
  ]);
  expect(planFinishedJob({ now: NOW, job: finished(10, 4) })).toEqual({ actions: [], requeueAfterMs: 6000 });
  expect(planFinishedJob({ now: NOW, job: finished(undefined, 100) }).actions).toEqual([]);
});
