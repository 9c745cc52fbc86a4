import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Change, CompactedError, type KeyValue, type StoreEvent, type Value } from '../../src/store/store.ts';
import { WatchCache } from '../../src/store/watch-cache.ts';

// The half of a store that is read, fed by hand: as by an etcd that somebody else writes to.

const value = (text: string): Value => ({ bytes: Buffer.from(text) });
const item = (key: string, revision: number, createRevision = revision): KeyValue => ({ key, value: value(`${key}@${revision}`), revision, createRevision });
const put = (key: string, revision: number, createRevision = revision): Change => ({ type: 'put', item: item(key, revision, createRevision) });
const remove = (key: string, revision: number): Change => ({ type: 'delete', key, revision });
const face = ({ key, revision }: { key: string; revision: number }): string => `${key}@${revision}`;

describe('a watch cache fed by hand', () => {
  it('starts from a snapshot, and knows no past before it', () => {
    const cache = new WatchCache({ snapshot: { revision: 70, items: [item('/x/b', 12, 3), item('/x/a', 70), item('/y/a', 4)] } });
    expect(cache.revision).toBe(70);
    expect(cache.list('/x/').items.map(face)).toEqual(['/x/a@70', '/x/b@12']);
    expect(cache.get('/x/b')).toMatchObject({ createRevision: 3 });
    expect(() => cache.list('/x/', { revision: 69 })).toThrow(CompactedError);
    expect(() => cache.watch('/x/', 69, () => {})).toThrow(CompactedError);
    cache.watch('/x/', 70, () => {}).stop();
  });

  it('takes revisions with gaps, as of a store that others write to as well', () => {
    const cache = new WatchCache({ snapshot: { revision: 100, items: [item('/x/a', 90)] } });
    const seen: StoreEvent[] = [];
    cache.watch('/x/', 100, (event) => seen.push(event));
    for (const change of [put('/x/b', 104), put('/x/a', 110, 90), remove('/x/b', 250)]) cache.take(change);
    expect(seen.map(({ type, key, revision, previous }) => [type, key, revision, previous?.revision])).toEqual([
      ['put', '/x/b', 104, undefined],
      ['put', '/x/a', 110, 90],
      ['delete', '/x/b', 250, 104],
    ]);
    expect(cache.list('/x/', { revision: 109 }).items.map(face)).toEqual(['/x/a@90', '/x/b@104']);
    expect(cache.revision).toBe(250);
  });

  it('crashes at a stream that is out of order, or has a gap', () => {
    const cache = new WatchCache({ snapshot: { revision: 5, items: [] } });
    expect(() => cache.take(put('/a', 5))).toThrow('invariant broken');
    expect(() => cache.take(remove('/never-seen', 6))).toThrow('invariant broken');
  });

  it('lets a watcher of the past bear its own error', () => {
    const cache = new WatchCache();
    cache.take(put('/a', 1));
    const fail = (): void => {
      throw new Error('cannot take it');
    };
    expect(() => cache.watch('/', 0, fail)).toThrow('cannot take it');
    cache.take(put('/b', 2));
  });

  it('keeps no more history than it is told, and what it keeps is whole', () => {
    const cache = new WatchCache({ historyLimit: 8 });
    for (let revision = 1; revision <= 100; revision++) cache.take(put('/a', revision, 1));
    const oldest = Array.from({ length: 100 }, (_, index) => index + 1).find((after) => {
      try {
        cache.watch('/', after, () => {}).stop();
        return true;
      } catch (error) {
        if (error instanceof CompactedError) return false;
        throw error;
      }
    })!;
    expect(100 - oldest).toBeGreaterThanOrEqual(4);
    expect(100 - oldest).toBeLessThanOrEqual(8);
    const seen: number[] = [];
    cache.watch('/', oldest, ({ revision }) => seen.push(revision));
    expect(seen).toEqual(Array.from({ length: 100 - oldest }, (_, index) => oldest + 1 + index));
  });

  it('shows at every revision what a plain model shows, in order, whole or after any key', () => {
    const key = fc.integer({ min: 0, max: 1200 }).map((number) => `/${number % 2 ? 'x' : 'y'}/${number}`);
    fc.assert(
      fc.property(fc.array(fc.record({ key, remove: fc.boolean() }), { maxLength: 200 }), key, (steps, startAfter) => {
        const start = Array.from({ length: 900 }, (_, index) => item(`/${index % 2 ? 'x' : 'y'}/${index}`, index + 1));
        const cache = new WatchCache({ snapshot: { revision: 900, items: start } });
        const model = new Map(start.map((one) => [one.key, one.revision]));
        const faces = (): string[] => [...model].map(([name, revision]) => face({ key: name, revision })).filter((one) => one.startsWith('/x/'));
        const past = new Map([[900, faces().sort()]]);
        let revision = 900;
        for (const step of steps) {
          if (step.remove && !model.has(step.key)) continue;
          revision++;
          cache.take(step.remove ? remove(step.key, revision) : put(step.key, revision));
          if (step.remove) model.delete(step.key);
          else model.set(step.key, revision);
          past.set(revision, faces().sort());
        }
        const byKey = (one: { key: string; revision: number }[]): string[] => one.map(face);
        for (const [at, wanted] of past) expect(byKey(cache.list('/x/', { revision: at }).items).toSorted()).toEqual(wanted);
        const all = cache.list('/x/').items;
        expect(all.map((one) => one.key)).toEqual(all.map((one) => one.key).toSorted());
        expect(cache.list('/x/', { startAfter }).items).toEqual(all.filter((one) => one.key > startAfter));
      }),
      { numRuns: 30 },
    );
  });
});
