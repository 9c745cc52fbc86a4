import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { openEmbeddedStore } from '../../src/store/embedded/embedded-store.ts';
import { DirectoryInUseError } from '../../src/store/embedded/lock.ts';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import { CompactedError, type Store, type StoreEvent, type Value } from '../../src/store/store.ts';

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

const backends: Record<string, (options?: { historyLimit?: number }) => Store> = {
  memory: (options) => new MemoryStore(options),
  embedded: (options) => openEmbeddedStore(temporaryDirectory(), options),
};

for (const [name, open] of Object.entries(backends)) {
  const start = (options?: { historyLimit?: number }): Store => {
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

    it('lists a prefix in order, in pages, and as it was at an earlier revision', async () => {
      const store = start();
      for (const key of ['/x/c', '/x/a', '/y/a', '/x/b']) await store.put(key, value(key), 0);
      await store.put('/x/a', value('changed'), 2);
      await store.delete('/x/b', 4);
      expect((await store.list('/x/')).items.map((i) => i.key)).toEqual(['/x/a', '/x/c']);
      const past = await store.list('/x/', { revision: 4 });
      expect(past.items.map((i) => text(i.value))).toEqual(['/x/a', '/x/b', '/x/c']);
      const page = await store.list('/x/', { revision: 4, limit: 2 });
      expect(page).toMatchObject({ more: true, revision: 4 });
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
        { numRuns: name === 'memory' ? 200 : 10 },
      );
    });
  });
}

describe('embedded store', () => {
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
