import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import { type Journal, LogStore } from '../log-store.ts';
import type { KeyValue, Store, StoreEvent } from '../store.ts';
import { lockDirectory } from './lock.ts';

/** Two 64-bit revisions (last write, creation) before the value's bytes. */
const HEADER_BYTES = 16;
const REVISION_KEY = 'revision';

/**
 * A store in one directory, on LMDB: each batch of writes is one transaction, answered after it has been flushed, off the
 * event loop. History is kept in memory only, so a watch from before a restart finds its revision compacted.
 *
 * @throws DirectoryInUseError when another process holds the directory.
 */
export function openEmbeddedStore(directory: string, options: { historyLimit?: number } = {}): Store {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const lock = lockDirectory(directory);
  // The answer waits for `flushed`, so the commit may overlap with the flush of the one before.
  const root: RootDatabase = open({ path: join(directory, 'data.mdb'), noSubdir: true, maxDbs: 2, overlappingSync: true, permissions: 0o600 } as Parameters<
    typeof open
  >[0]);
  const data = root.openDB<Buffer, string>({ name: 'data', encoding: 'binary' });
  const meta = root.openDB<number, string>({ name: 'meta', encoding: 'json' });
  const revision = meta.get(REVISION_KEY) ?? 0;
  const journal: Journal = {
    async append(events) {
      void root.batch(() => write(data, meta, events));
      await root.flushed;
    },
    async close() {
      await root.close();
      lock.release();
    },
  };
  return new LogStore({ ...options, journal, initial: { revision, items: read(data) } });
}

function write(data: Database<Buffer, string>, meta: Database<number, string>, events: readonly StoreEvent[]): void {
  for (const event of events) {
    if (event.type === 'delete') {
      void data.remove(event.key);
      continue;
    }
    const { bytes } = event.value;
    const record = Buffer.allocUnsafe(HEADER_BYTES + bytes.length);
    record.writeBigUInt64BE(BigInt(event.revision), 0);
    record.writeBigUInt64BE(BigInt(event.previous?.createRevision ?? event.revision), 8);
    record.set(bytes, HEADER_BYTES);
    void data.put(event.key, record);
  }
  void meta.put(REVISION_KEY, events.at(-1)!.revision);
}

function* read(data: Database<Buffer, string>): Generator<KeyValue> {
  for (const { key, value } of data.getRange()) {
    const bytes = Buffer.from(value.subarray(HEADER_BYTES));
    yield { key, value: { bytes }, revision: Number(value.readBigUInt64BE(0)), createRevision: Number(value.readBigUInt64BE(8)) };
  }
}
