import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { openEmbeddedStore } from '../../src/store/embedded/embedded-store.ts';
import { DirectoryInUseError } from '../../src/store/embedded/lock.ts';
import { LogStore, type StoreOptions } from '../../src/store/log-store.ts';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import { type Change, CompactedError, type Store, type StoreEvent, StoreFailedError, type Value } from '../../src/store/store.ts';
import type { Journal } from '../../src/store/write-log.ts';

const value = (text: string): Value => ({ bytes: Buffer.from(text) });
const text = (v: Value): string => Buffer.from(v.bytes).toString();

const cleanUp: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'store-'));
  cleanUp.push(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A medium that takes what it is given, a turn of the event loop later. */
const slowJournal = (): Journal => ({ append: () => new Promise((resolve) => setImmediate(resolve)), close: async () => {} });

const backends: Record<string, (options?: StoreOptions) => Store> = {
  memory: (options) => new MemoryStore(options),
  journalled: (options) => new LogStore(options, { journal: slowJournal(), snapshot: { revision: 0, items: [] } }),
  embedded: (options) => openEmbeddedStore(temporaryDirectory(), options),
};

for (const [name, open] of Object.entries(backends)) {
  const start = (options?: StoreOptions): Store => {
    const store = open(options);
    cleanUp.push(() => store.close());
    return store;
  };

  describe(`store contract: ${name}`, () => {
    it('gives each write a revision of its own, higher than all before', async () => {
      const store = start();
      const revisions: number[] = [];
      for (const key of ['/a', '/b', '/c']) {
        const result = await store.put(key, value(key), 0);
        if (result.ok) revisions.push(result.revision);
      }
      expect(revisions).toEqual([1, 2, 3]);
      expect(store.revision).toBe(3);
      expect(await store.get('/b')).toMatchObject({ key: '/b', revision: 2, createRevision: 2 });
    });

    it('refuses a write that expects another revision, and says what is there', async () => {
      const store = start();
      await store.put('/a', value('1'), 0);
      const create = await store.put('/a', value('2'), 0);
      expect(create).toMatchObject({ ok: false, current: { revision: 1 } });
      expect(await store.put('/a', value('2'), 7)).toMatchObject({ ok: false });
      expect(await store.put('/a', value('2'), 1)).toEqual({ ok: true, revision: 2 });
      expect(await store.delete('/a', 1)).toMatchObject({ ok: false, current: { revision: 2 } });
      expect(await store.delete('/missing', 0)).toEqual({ ok: false, current: undefined });
      expect(text((await store.get('/a'))!.value)).toBe('2');
    });

    it('lets exactly one of many writers of one revision win', async () => {
      const store = start();
      await store.put('/a', value('0'), 0);
      const results = await Promise.all(Array.from({ length: 20 }, (_, i) => store.put('/a', value(String(i)), 1)));
      expect(results.filter((r) => r.ok)).toHaveLength(1);
      for (const result of results) if (!result.ok) expect(result.current!.revision).toBe(2);
    });

    it('lists a prefix in order, after a key, and as it was at an earlier revision', async () => {
      const store = start();
      for (const key of ['/x/c', '/x/a', '/y/a', '/x/b']) await store.put(key, value(key), 0);
      await store.put('/x/a', value('changed'), 2);
      await store.delete('/x/b', 4);
      expect((await store.list('/x/')).items.map((i) => i.key)).toEqual(['/x/a', '/x/c']);
      const past = await store.list('/x/', { revision: 4 });
      expect(past.items.map((i) => text(i.value))).toEqual(['/x/a', '/x/b', '/x/c']);
      expect(past.revision).toBe(4);
      expect((await store.list('/x/', { revision: 4, startAfter: '/x/b' })).items.map((i) => i.key)).toEqual(['/x/c']);
    });

    it('watches from a revision without gap, duplicate or disorder', async () => {
      const store = start();
      await store.put('/x/a', value('1'), 0);
      await store.put('/x/a', value('2'), 1);
      const seen: StoreEvent[] = [];
      const watch = store.watch('/x/', 1, (event) => seen.push(event));
      await store.put('/y/a', value('3'), 0);
      await store.delete('/x/a', 2);
      watch.stop();
      await store.put('/x/b', value('4'), 0);
      expect(seen.map((e) => [e.type, e.key, e.revision])).toEqual([
        ['put', '/x/a', 2],
        ['delete', '/x/a', 4],
      ]);
      expect(text(seen[1]!.value)).toBe('2');
      expect(seen[0]!.previous).toMatchObject({ revision: 1 });
    });

    it('says "compacted" for a past that is gone, and keeps its history bounded', async () => {
      const store = start({ historyLimit: 10 });
      let revision = 0;
      for (let i = 0; i < 50; i++) {
        const result = await store.put('/a', value(String(i)), revision);
        if (result.ok) revision = result.revision;
      }
      expect(() => store.watch('/', 1, () => {})).toThrow(CompactedError);
      await expect(store.list('/', { revision: 1 })).rejects.toThrow(CompactedError);
      await store.compact(store.revision);
      expect(() => store.watch('/', store.revision - 1, () => {})).toThrow(CompactedError);
      store.watch('/', store.revision, () => {}).stop();
    });

    it('shows watchers a write no later than its answer, and never before it can be read', async () => {
      const store = start();
      const seen: number[] = [];
      store.watch('/', 0, (event) => {
        expect(store.revision).toBe(event.revision);
        seen.push(event.revision);
      });
      await Promise.all(
        Array.from({ length: 30 }, async (_, i) => {
          const result = await store.put(`/k${i}`, value('v'), 0);
          expect(result.ok && seen.includes(result.revision)).toBe(true);
        }),
      );
      expect(seen).toEqual([...seen].sort((a, b) => a - b));
    });

    it('goes on without a watcher that throws, and says so', async () => {
      const reported: Error[] = [];
      const store = start({ report: (error) => reported.push(error) });
      const seen: number[] = [];
      let stopped = 0;
      const fail = (): void => {
        throw new Error('cannot take it');
      };
      store.watch('/', 0, fail, () => stopped++);
      store.watch('/', 0, ({ revision }) => seen.push(revision));
      for (const key of ['/a', '/b']) expect(await store.put(key, value(key), 0)).toMatchObject({ ok: true });
      expect(seen).toEqual([1, 2]);
      expect(stopped).toBe(1);
      expect(reported.map(({ message, cause }) => [message, (cause as Error).message])).toEqual([
        ['a watch of / has failed at revision 1 and is over', 'cannot take it'],
      ]);
    });

    it('tells every watcher of every write in order, though one of them writes and watches upon what it is told', async () => {
      const store = start();
      const [first, second, third]: [number[], number[], number[]] = [[], [], []];
      const written: Promise<unknown>[] = [];
      store.watch('/', 0, ({ revision }) => {
        first.push(revision);
        if (revision > 3) return;
        written.push(store.put(`/more-${revision}`, value(''), 0));
        if (revision === 2) store.watch('/', 1, (event) => third.push(event.revision));
      });
      store.watch('/', 0, ({ revision }) => second.push(revision));
      await store.put('/a', value(''), 0);
      while (written.length > 0) await written.shift();
      expect([first, second, third]).toEqual([
        [1, 2, 3, 4],
        [1, 2, 3, 4],
        [2, 3, 4],
      ]);
    });

    it('agrees with a plain model under random writes', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.record({ key: fc.constantFrom('/a', '/b', '/c'), remove: fc.boolean(), stale: fc.boolean() }), { maxLength: 30 }),
          async (steps) => {
            const store = open();
            const model = new Map<string, number>();
            let revision = 0;
            for (const { key, remove, stale } of steps) {
              const expected = stale ? (model.get(key) ?? 0) + 1000 : (model.get(key) ?? 0);
              const result = remove ? await store.delete(key, expected) : await store.put(key, value(key), expected);
              const should = !stale && (!remove || model.has(key));
              expect(result.ok).toBe(should);
              if (!should) continue;
              revision++;
              if (remove) model.delete(key);
              else model.set(key, revision);
            }
            expect((await store.list('/')).items.map((i) => [i.key, i.revision])).toEqual([...model].sort(([a], [b]) => (a < b ? -1 : 1)));
            await store.close();
          },
        ),
        { numRuns: name === 'embedded' ? 10 : 200 },
      );
    });
  });
}

/** A journal of which a test decides what becomes of each append. */
class HeldJournal implements Journal {
  readonly appended: number[] = [];
  readonly outcomes: { resolve: () => void; reject: (error: Error) => void }[] = [];
  closed = false;

  append(changes: readonly Change[]): Promise<void> {
    this.appended.push(changes.length);
    return new Promise((resolve, reject) => this.outcomes.push({ resolve, reject }));
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}

describe('a store over a journal', () => {
  const start = (): { journal: HeldJournal; store: Store; seen: number[] } => {
    const journal = new HeldJournal();
    const store = new LogStore({}, { journal, snapshot: { revision: 0, items: [] } });
    const seen: number[] = [];
    store.watch('/', 0, ({ revision }) => seen.push(revision));
    return { journal, store, seen };
  };
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('shows nothing before it is durable, and takes together what comes in the meantime', async () => {
    const { journal, store, seen } = start();
    const writes = [store.put('/a', value('1'), 0), store.put('/b', value('2'), 0)];
    await turn();
    writes.push(store.put('/a', value('3'), 1), store.delete('/b', 2), store.put('/c', value('4'), 0));
    await turn();
    expect([journal.appended, seen, store.revision]).toEqual([[2], [], 0]);
    expect(await store.get('/a')).toBeUndefined();
    journal.outcomes.shift()!.resolve();
    await turn();
    expect([journal.appended, seen, store.revision]).toEqual([[2, 3], [1, 2], 2]);
    journal.outcomes.shift()!.resolve();
    expect(await Promise.all(writes)).toEqual([1, 2, 3, 4, 5].map((revision) => ({ ok: true, revision })));
    expect(seen).toEqual([1, 2, 3, 4, 5]);
  });

  it('answers a refused write only once what stands in its way can be read', async () => {
    const { journal, store } = start();
    const first = store.put('/a', value('1'), 0);
    let answered = false;
    const second = store.put('/a', value('2'), 0).finally(() => {
      answered = true;
    });
    await turn();
    expect(answered).toBe(false);
    journal.outcomes.shift()!.resolve();
    expect(await first).toEqual({ ok: true, revision: 1 });
    expect(await second).toMatchObject({ ok: false, current: { revision: 1 } });
  });

  it('that fails: refuses all writes from then on, loudly, shows none of them, and can still be read', async () => {
    const { journal, store, seen } = start();
    const kept = store.put('/a', value('1'), 0);
    await turn();
    journal.outcomes.shift()!.resolve();
    await kept;
    const lost = [store.put('/a', value('2'), 1), store.put('/b', value('2'), 0)];
    await turn();
    lost.push(store.put('/c', value('3'), 0), store.put('/a', value('3'), 1));
    journal.outcomes.shift()!.reject(new Error('no space left on device'));
    for (const result of await Promise.allSettled(lost)) expect(result).toMatchObject({ status: 'rejected', reason: expect.any(StoreFailedError) });
    expect((await store.failed).message).toContain('no space left on device');
    for (const write of [store.put('/d', value(''), 0), store.put('/a', value(''), 7), store.delete('/a', 1), store.delete('/d', 1)])
      await expect(write).rejects.toThrow(StoreFailedError);
    expect([seen, journal.appended]).toEqual([[1], [1, 2]]);
    expect(text((await store.get('/a'))!.value)).toBe('1');
    await store.close();
    expect(journal.closed).toBe(true);
  });
});

describe('embedded store', () => {
  it('fails, and says so, when its medium does', async () => {
    // A file may not grow beyond 2,000 blocks there, as if the disk were full.
    const script = join(import.meta.dirname, 'full-disk.mjs');
    const { status, stdout } = spawnSync('sh', ['-c', `ulimit -f 2000; exec "${process.execPath}" "${script}" "${temporaryDirectory()}"`], {
      encoding: 'utf8',
    });
    expect(JSON.parse(stdout)).toEqual({ failed: 'StoreFailedError', refused: ['StoreFailedError', 'StoreFailedError'], readable: true });
    expect(status).toBe(0);
  });

  it('finds everything as it was after a restart', async () => {
    const directory = temporaryDirectory();
    const first = openEmbeddedStore(directory);
    await first.put('/a', value('one'), 0);
    await first.put('/b', value('two'), 0);
    await first.put('/a', value('three'), 1);
    await first.delete('/b', 2);
    await first.close();
    const second = openEmbeddedStore(directory);
    cleanUp.push(() => second.close());
    expect(second.revision).toBe(4);
    const { items } = await second.list('/');
    expect(items).toMatchObject([{ key: '/a', revision: 3, createRevision: 1 }]);
    expect(text(items[0]!.value)).toBe('three');
  });

  it('refuses a directory that is in use', async () => {
    const directory = temporaryDirectory();
    const store = openEmbeddedStore(directory);
    cleanUp.push(() => store.close());
    expect(() => openEmbeddedStore(directory)).toThrow(DirectoryInUseError);
  });
});
