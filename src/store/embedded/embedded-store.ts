import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import { LogStore, type StoreOptions } from '../log-store.ts';
import { type Change, type KeyValue, revisionOf, type Store } from '../store.ts';
import type { Journal } from '../write-log.ts';
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
export function openEmbeddedStore(directory: string, options: StoreOptions = {}): Store {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const lock = lockDirectory(directory);
  // The answer waits for `flushed`, so the commit may overlap with the flush of the one before.
  const root: RootDatabase = open({
    path: join(directory, 'data.mdb'),
    noSubdir: true,
    maxDbs: 2,
    overlappingSync: false,
    eventTurnBatching: false,
    permissions: 0o600,
  } as Parameters<typeof open>[0]);
  const data = root.openDB<Buffer, string>({ name: 'data', encoding: 'binary' });
  const meta = root.openDB<number, string>({ name: 'meta', encoding: 'json' });
  const journal: Journal = {
    async append(changes) {
      const commits: Promise<boolean>[] = [];
      commits.push(root.batch(() => commits.push(...write(data, meta, changes))));
      try {
        await Promise.all(commits);
      } catch (error) {
        throw await causeOf(error);
      }
    },
    async close() {
      await root.close();
      lock.release();
    },
  };
  return new LogStore(options, { journal, snapshot: { revision: meta.get(REVISION_KEY) ?? 0, items: read(data) } });
}

function write(data: Database<Buffer, string>, meta: Database<number, string>, changes: readonly Change[]): Promise<boolean>[] {
  const commits = changes.map((change) => {
    if (change.type === 'delete') return data.remove(change.key);
    const { key, value, revision, createRevision } = change.item;
    const record = Buffer.allocUnsafe(HEADER_BYTES + value.bytes.length);
    record.writeBigUInt64BE(BigInt(revision), 0);
    record.writeBigUInt64BE(BigInt(createRevision), 8);
    record.set(value.bytes, HEADER_BYTES);
    return data.put(key, record);
  });
  return [...commits, meta.put(REVISION_KEY, revisionOf(changes.at(-1)!))];
}

/** lmdb keeps the reason of a failed commit in a promise beside the error, which comes to nothing if nobody asks. */
async function causeOf(error: unknown): Promise<unknown> {
  const { commitError } = error as { commitError?: Promise<never> };
  return commitError ? commitError.catch((cause: unknown) => cause) : error;
}

function* read(data: Database<Buffer, string>): Generator<KeyValue> {
  for (const { key, value } of data.getRange()) {
    const bytes = Buffer.from(value.subarray(HEADER_BYTES));
    yield { key, value: { bytes }, revision: Number(value.readBigUInt64BE(0)), createRevision: Number(value.readBigUInt64BE(8)) };
  }
}
