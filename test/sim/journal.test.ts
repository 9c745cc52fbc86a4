import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Rng } from '../../src/lib/rng.ts';
import { VirtualClock } from '../../src/lib/virtual-clock.ts';
import { whatIsLost } from '../../src/sim/durability.ts';
import { SimulatedMedium } from '../../src/sim/simulated-journal.ts';
import { simulate } from '../../src/sim/simulation.ts';
import { LogStore } from '../../src/store/log-store.ts';
import type { Journal } from '../../src/store/write-log.ts';

const value = { bytes: Buffer.from('x') };

/** A store upon a medium that takes up to 20 ms over each batch. */
function slowStore(seed: number, throughJournal: (journal: Journal) => Journal = (journal) => journal) {
  const clock = new VirtualClock();
  const medium = new SimulatedMedium(clock, new Rng(seed));
  const open = (): LogStore => {
    const { snapshot } = medium;
    return new LogStore({}, { journal: throughJournal(medium.open()), snapshot });
  };
  const store = open();
  medium.slow({ ms: 20, forMs: 60_000 });
  return { clock, medium, store, open };
}

describe('a store upon a journal that is slow, fails and is cut off', () => {
  it('keeps what it answered; of the rest, one batch, whole or not at all', async () => {
    const step = fc.record({ key: fc.constantFrom('/a', '/b', '/c', '/d'), remove: fc.boolean(), waitMs: fc.integer({ min: 0, max: 15 }) });
    await fc.assert(
      fc.asyncProperty(
        fc.integer(),
        fc.array(step, { minLength: 1, maxLength: 25 }),
        fc.boolean(),
        fc.integer({ min: 0, max: 250 }),
        async (seed, steps, fail, endMs) => {
          const { clock, medium, store, open } = slowStore(seed);
          /** By key: the revision that was answered last; of a removal, below 0. */
          const answered = new Map<string, number>();
          let refused = 0;
          const write = async (key: string, remove: boolean): Promise<void> => {
            const revision = (await store.get(key))?.revision ?? 0;
            const result = await (remove ? store.delete(key, revision) : store.put(key, value, revision));
            if (result.ok && result.revision > Math.abs(answered.get(key) ?? 0)) answered.set(key, remove ? -result.revision : result.revision);
          };
          let atMs = 0;
          for (const { key, remove, waitMs } of steps) {
            atMs += waitMs;
            clock.schedule(atMs, () => void write(key, remove).catch(() => refused++));
          }
          clock.schedule(endMs, () => (fail ? medium.fail() : medium.cut()));
          await clock.advance(1000);
          medium.cut();
          const { unanswered } = medium;
          const again = open();
          expect(await whatIsLost(store, again, unanswered)).toBeUndefined();
          const found = new Map((await again.list('/')).items.map((item) => [item.key, item.revision]));
          const late = new Set(unanswered?.kept ? unanswered.changes.map((change) => (change.type === 'put' ? change.item.key : change.key)) : []);
          for (const [key, revision] of answered) if (!late.has(key)) expect(found.get(key), key).toBe(revision > 0 ? revision : undefined);
          const next = again.put('/new', value, 0);
          await clock.advance(100);
          expect(await next).toEqual({ ok: true, revision: again.revision });
          if (refused > 0) expect((await store.failed).message).toContain('input/output error');
        },
      ),
      { numRuns: 150 },
    );
  });

  it('that answers before it has kept is found out', async () => {
    const hasty = (journal: Journal): Journal => ({
      ...journal,
      append: (changes) => {
        void journal.append(changes);
        return Promise.resolve();
      },
      close: () => journal.close(),
    });
    const { clock, medium, store, open } = slowStore(1, hasty);
    await store.put('/a', value, 0);
    await clock.advance(100);
    await store.put('/b', value, 0);
    medium.cut();
    const again = open();
    const lost = await whatIsLost(store, again, { changes: [], kept: false });
    expect(lost).toBe('/b of revision 2 is not there any more');
  });

  it('whole clusters come back upon it, and break no rule', async () => {
    const ends = new Set<string>();
    for (const seed of [2, 5, 12]) {
      const { violation, log } = await simulate(seed, { journal: true });
      expect(violation, `npm run sim -- --seed ${seed} --journal`).toBeUndefined();
      for (const line of log) for (const end of ['the power is cut', 'the journal fails']) if (line.endsWith(end)) ends.add(end);
    }
    expect(ends.size).toBe(2);
  });

  it('the same seed twice gives the same log upon it, line by line', async () => {
    const runs = [await simulate(2, { journal: true }), await simulate(2, { journal: true })];
    expect(runs[0]!.log).toEqual(runs[1]!.log);
  });
});
