import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../lib/virtual-clock.ts';
import { WorkQueue } from './work-queue.ts';

describe('WorkQueue', () => {
  it('hands out a key once, and again after done() if it was added meanwhile', async () => {
    const queue = new WorkQueue({ clock: new VirtualClock() });
    queue.add('a');
    queue.add('a');
    queue.add('b');
    expect(await queue.get()).toBe('a');
    queue.add('a');
    expect(await queue.get()).toBe('b');
    expect(queue.length).toBe(0);
    queue.done('a');
    expect(await queue.get()).toBe('a');
  });

  it('waits longer after each failure, up to the limit, until the key is forgotten', async () => {
    const clock = new VirtualClock();
    const queue = new WorkQueue({ clock });
    const waits: number[] = [];
    for (let failure = 0; failure < 4; failure++) {
      const since = clock.now();
      queue.addRateLimited('a');
      await clock.runUntil(() => queue.length > 0, 10_000);
      waits.push(clock.now() - since);
      queue.done((await queue.get())!);
    }
    expect(waits).toEqual([5, 10, 20, 40]);
    queue.forget('a');
    expect(queue.failuresOf('a')).toBe(0);
  });

  it('of several delays the earliest counts', async () => {
    const clock = new VirtualClock();
    const queue = new WorkQueue({ clock });
    queue.addAfter('a', 5000);
    queue.addAfter('a', 1000);
    queue.addAfter('a', 3000);
    await clock.advance(1000);
    expect(queue.length).toBe(1);
    queue.done((await queue.get())!);
    await clock.advance(10_000);
    expect(queue.length).toBe(0);
  });

  it('lets everybody go at its end', async () => {
    const queue = new WorkQueue({ clock: new VirtualClock() });
    const waiting = queue.get();
    queue.shutDown();
    expect(await waiting).toBeUndefined();
    queue.add('a');
    expect(await queue.get()).toBeUndefined();
  });
});
