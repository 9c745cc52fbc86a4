import { expect, test } from 'vitest';
import type { Pod } from '../api/generated/types/core.v1.ts';
import { VirtualClock } from '../lib/virtual-clock.ts';
import { SchedulingQueue } from './scheduling-queue.ts';

const pod = (name: string, priority = 0, generation = 1): Pod =>
  ({ metadata: { name, namespace: 'n', uid: name, generation }, spec: { priority }, status: {} }) as unknown as Pod;

/** Takes everything that is there to take. */
function takeAll(queue: SchedulingQueue): (string | undefined)[] {
  const taken: (string | undefined)[] = [];
  for (let next = queue.take(); next; next = queue.take()) taken.push(next.metadata.name);
  return taken;
}

test('SCH-6: the more important pod first, then the one that came first', () => {
  const queue = new SchedulingQueue(new VirtualClock(), () => {});
  for (const one of [pod('a'), pod('b', 5), pod('c'), pod('d', 5)]) queue.put(one);
  queue.remove(pod('c'));
  expect(takeAll(queue)).toEqual(['b', 'd', 'a']);
});

test('SCH-10: a pod that fits nowhere waits for a change, then for what is left of 1, 2, 4, 8, 10 seconds', async () => {
  const clock = new VirtualClock();
  const queue = new SchedulingQueue(clock, () => {});
  queue.put(pod('a'));
  for (const delay of [1, 2, 4, 8, 10, 10]) {
    expect(takeAll(queue)).toEqual(['a']);
    queue.failed(pod('a'), { movesBefore: queue.moves });
    await clock.advance(500);
    expect(takeAll(queue)).toEqual([]);
    queue.moveAll();
    await clock.advance(delay * 1000 - 501);
    expect(takeAll(queue)).toEqual([]);
    await clock.advance(1);
  }
});

test('SCH-10: without a change it is tried again after five minutes; where the change came meanwhile, after the delay', async () => {
  const clock = new VirtualClock();
  const queue = new SchedulingQueue(clock, () => {});
  queue.put(pod('a'));
  takeAll(queue);
  queue.failed(pod('a'), { movesBefore: queue.moves });
  await clock.advance(299_999);
  expect(takeAll(queue)).toEqual([]);
  await clock.advance(1);
  expect(takeAll(queue)).toEqual(['a']);
  const movesBefore = queue.moves;
  queue.moveAll();
  queue.failed(pod('a'), { movesBefore });
  await clock.advance(2000);
  expect(takeAll(queue)).toEqual(['a']);
});

test('SCH-10: a pod whose own spec changes is tried at once', () => {
  const queue = new SchedulingQueue(new VirtualClock(), () => {});
  queue.put(pod('a'));
  takeAll(queue);
  queue.failed(pod('a'), { movesBefore: queue.moves });
  queue.put(pod('a'));
  expect(takeAll(queue)).toEqual([]);
  queue.put(pod('a', 0, 2));
  expect(takeAll(queue)).toEqual(['a']);
});
