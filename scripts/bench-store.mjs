#!/usr/bin/env node
// What the store costs with 50,000 keys in it: new keys in no order, changes, lists, and writes that are flushed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Rng } from '../dist/lib/rng.js';
import { openEmbeddedStore } from '../dist/store/embedded/embedded-store.js';
import { MemoryStore } from '../dist/store/memory/memory-store.js';

const KEYS = 50_000;
const NAMESPACES = 100;
const VALUE = { bytes: Buffer.alloc(2048, 'x') };
const OUTSTANDING = 64;
const FLUSHED_WRITES = 20_000;

const print = (what, value) => process.stdout.write(`${what.padEnd(58)}${value}\n`);
const perSecond = (count, ms) => `${Math.round(count / (ms / 1000)).toLocaleString('en')} a second`;

/** @returns milliseconds. */
async function time(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

const rng = new Rng(1);
const keys = Array.from({ length: KEYS }, () => `/registry/pods/namespace-${rng.integer(NAMESPACES)}/pod-${rng.integer(2 ** 31)}`);

const store = new MemoryStore();
const seen = { count: 0 };
store.watch('/registry/pods/', 0, () => seen.count++);
print(
  `memory: ${KEYS.toLocaleString('en')} new keys in no order`,
  perSecond(KEYS, await time(() => keys.reduce((_, key) => store.put(key, VALUE, 0), undefined))),
);
const changes = await time(async () => {
  for (const key of keys) await store.put(key, VALUE, (await store.get(key)).revision);
});
print('memory: a read and a change of each', perSecond(KEYS, changes));
const times = 200;
const list = await time(async () => {
  for (let i = 0; i < times; i++) await store.list(`/registry/pods/namespace-${i % NAMESPACES}/`);
});
print('memory: a list of one namespace of 100', `${((list / times) * 1000).toFixed(0)} µs`);
const past = await time(async () => {
  for (let i = 0; i < times; i++) await store.list(`/registry/pods/namespace-${i % NAMESPACES}/`, { revision: store.revision - 1000 });
});
print('memory: the same as it was 1,000 changes ago', `${((past / times) * 1000).toFixed(0)} µs`);
const removals = await time(async () => {
  for (const key of keys) await store.delete(key, (await store.get(key)).revision);
});
print('memory: a read and a removal of each', perSecond(KEYS, removals));
await store.close();

const directory = mkdtempSync(join(tmpdir(), 'bench-store-'));
try {
  const durable = openEmbeddedStore(directory);
  let next = 0;
  const writer = async () => {
    for (let i = next++; i < FLUSHED_WRITES; i = next++) await durable.put(keys[i], VALUE, 0);
  };
  const flushed = await time(() => Promise.all(Array.from({ length: OUTSTANDING }, writer)));
  print(`embedded: flushed writes, 2 KB, ${OUTSTANDING} outstanding`, perSecond(FLUSHED_WRITES, flushed));
  await durable.close();
} finally {
  rmSync(directory, { recursive: true, force: true });
}
