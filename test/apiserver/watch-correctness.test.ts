import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { ConfigMap } from '../../src/api/generated/types/core.v1.ts';
import type { WatchEvent } from '../../src/api/request.ts';
import { ConfigMaps } from '../../src/api/resources.ts';
import { hasReason, StatusError } from '../../src/api/status.ts';
import { Client } from '../../src/client/client.ts';
import { HttpsTransport } from '../../src/client/https-transport.ts';
import { readKubeconfig } from '../../src/client/kubeconfig.ts';
import { Cluster } from '../../src/cluster/cluster.ts';
import { Rng } from '../../src/lib/rng.ts';

const NAMESPACE = 'default';
const NAMES = Array.from({ length: 12 }, (_, i) => `watched-${i}`);
const labelSelector = 'watched=yes';
const user = { name: 'checker', groups: [] };

/** One watcher's picture of the world; every event is held against it. */
class Watcher {
  readonly faults: string[] = [];
  readonly seen = new Map<string, number>();
  lastVersion = 0;
  events = 0;
  relists = 0;
  readonly #client: () => Client;
  readonly #rng: Rng;
  #stopped = false;

  constructor(client: () => Client, rng: Rng) {
    this.#client = client;
    this.#rng = rng;
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Lists, then watches, cutting its own connection now and then; begins anew when the past is gone. */
  async run(): Promise<void> {
    while (!this.#stopped) {
      try {
        if (this.lastVersion === 0) await this.#list();
        await this.#watch();
      } catch (error) {
        if (error instanceof StatusError && error.code === 410) this.lastVersion = 0;
        // The server is away for a moment.
        else await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }

  async #list(): Promise<void> {
    const { items, metadata } = await this.#client().resource(ConfigMaps).list({ namespace: NAMESPACE, labelSelector });
    this.seen.clear();
    for (const item of items) this.seen.set(item.metadata.name!, counter(item));
    this.lastVersion = Number(metadata.resourceVersion);
    this.relists++;
  }

  async #watch(): Promise<void> {
    const cut = new AbortController();
    const left = 1 + this.#rng.integer(60);
    const watch = await this.#client()
      .resource(ConfigMaps)
      .watch({ namespace: NAMESPACE, labelSelector, resourceVersion: String(this.lastVersion), allowWatchBookmarks: true, signal: cut.signal });
    let taken = 0;
    for await (const event of watch) {
      if (event.type === 'ERROR') throw StatusError.from(event.object as unknown as Parameters<typeof StatusError.from>[0]);
      this.#take(event as WatchEvent<ConfigMap>);
      if (this.#stopped || ++taken === left) break;
    }
    cut.abort();
  }

  #take({ type, object }: WatchEvent<ConfigMap>): void {
    const version = Number(object.metadata.resourceVersion);
    if (type === 'BOOKMARK') {
      if (version < this.lastVersion) this.faults.push(`a bookmark of the past: ${version} after ${this.lastVersion}`);
      this.lastVersion = version;
      return;
    }
    this.events++;
    const name = object.metadata.name!;
    const before = this.seen.get(name);
    const now = counter(object);
    if (version <= this.lastVersion) this.faults.push(`${type} ${name}: version ${version} after ${this.lastVersion}`);
    this.lastVersion = version;
    if (type === 'ADDED') {
      if (before !== undefined) this.faults.push(`${name} added twice`);
      this.seen.set(name, now);
    } else if (type === 'MODIFIED') {
      // Writers count in steps of one, so a step of more is a gap.
      if (before === undefined || now !== before + 1) this.faults.push(`${name} modified from ${before} to ${now}`);
      this.seen.set(name, now);
    } else {
      if (before === undefined) this.faults.push(`${name} deleted, but was not there`);
      this.seen.delete(name);
    }
  }
}

const counter = (object: ConfigMap): number => Number(object.data?.['n']);

describe('watches over the embedded store', () => {
  const cleanUp: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const step of cleanUp.splice(0).reverse()) await step();
  });

  it('show no gap, no duplicate, no disorder and nothing from the future, over cuts and restarts', { timeout: 120_000 }, async () => {
    const rng = new Rng(7);
    const directory = mkdtempSync(join(tmpdir(), 'watch-'));
    cleanUp.push(() => rmSync(directory, { recursive: true, force: true }));
    const options = { dataDir: join(directory, 'data'), nodes: 0, freeze: true };
    let cluster = await Cluster.start(options);
    cleanUp.push(() => cluster.stop());
    const port = Number(new URL(cluster.server).port);
    const kubeconfig = join(directory, 'kubeconfig');
    writeFileSync(kubeconfig, cluster.kubeconfig);
    const transport = new HttpsTransport(readKubeconfig(kubeconfig).connection);
    const client = new Client(transport, user, 'checker');

    const watchers = Array.from({ length: 10 }, (_, i) => new Watcher(() => client, rng.fork(`watcher ${i}`)));
    const watching = watchers.map((watcher) => watcher.run());
    const faults: string[] = [];
    let acknowledged = 0;
    let writing = true;
    const until = async (reached: () => boolean): Promise<void> => {
      while (!reached()) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    /** One name's writer: it alone writes it, so it knows what stands there. */
    const write = async (name: string): Promise<void> => {
      const draw = rng.fork(name);
      const maps = client.resource(ConfigMaps);
      for (let n = 0; writing; ) {
        try {
          const current = await maps.get(NAMESPACE, name).catch((error: unknown) => {
            if (hasReason(error, 'NotFound')) return undefined;
            throw error;
          });
          if (!current) await maps.create({ metadata: { name, namespace: NAMESPACE, labels: { watched: 'yes' } }, data: { n: String(n) } });
          else if (draw.chance(0.1)) await maps.delete(NAMESPACE, name);
          else {
            n = counter(current) + 1;
            const written = await maps.update({ ...current, data: { n: String(n) } });
            // What an answer shows, a read after it shows too.
            const read = await maps.list({ namespace: NAMESPACE, fieldSelector: `metadata.name=${name}` });
            if (Number(read.metadata.resourceVersion) < Number(written.metadata.resourceVersion)) faults.push(`${name}: a list of the past after a write`);
            if (counter(read.items[0]!) !== n) faults.push(`${name}: wrote ${n}, read ${counter(read.items[0]!)}`);
          }
          acknowledged++;
        } catch (error) {
          if (error instanceof StatusError && error.code < 500) throw error;
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }
    };
    const writers = NAMES.map(write);
    for (let restart = 1; restart <= 3; restart++) {
      await until(() => acknowledged >= restart * 200);
      await cluster.stop();
      cluster = await Cluster.start({ ...options, port });
    }
    await until(() => acknowledged >= 800);
    writing = false;
    await Promise.all(writers);

    const final = await client.resource(ConfigMaps).list({ namespace: NAMESPACE, labelSelector });
    const truth = new Map(final.items.map((item) => [item.metadata.name, counter(item)]));
    const caughtUp = (): boolean => watchers.every(({ seen }) => seen.size === truth.size && [...truth].every(([name, n]) => seen.get(name!) === n));
    await until(caughtUp);
    for (const watcher of watchers) watcher.stop();
    // One more write lets every watcher notice that it is to stop.
    await client.resource(ConfigMaps).create({ metadata: { name: 'last', namespace: NAMESPACE, labels: { watched: 'yes' } }, data: { n: '0' } });
    await Promise.all(watching);

    expect([...faults, ...watchers.flatMap((watcher) => watcher.faults)]).toEqual([]);
    for (const { events } of watchers) expect(events).toBeGreaterThan(50);
  });
});
