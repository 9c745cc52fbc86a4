import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigMaps } from '../../src/api/resources.ts';
import { Client } from '../../src/client/client.ts';
import { HttpsTransport } from '../../src/client/https-transport.ts';
import { readKubeconfig } from '../../src/client/kubeconfig.ts';
import { Rng } from '../../src/lib/rng.ts';

/** `KILLS=100 npx vitest run test/apiserver/durability.test.ts` for the longer run. */
const KILLS = Number(process.env['KILLS'] ?? 3);
const WRITERS = 8;
const coracle = join(import.meta.dirname, '../../bin/coracle');

describe('what has been acknowledged', () => {
  let directory: string;
  let child: ChildProcess | undefined;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'durable-'));
  });
  afterAll(() => {
    child?.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  });

  async function boot(): Promise<Client> {
    const kubeconfig = join(directory, 'kubeconfig');
    rmSync(kubeconfig, { force: true });
    const started = spawn(
      process.execPath,
      [coracle, 'up', '--port', '0', '--nodes', '0', '--quiet', '--data-dir', join(directory, 'data'), '--kubeconfig', kubeconfig],
      { stdio: 'ignore' },
    );
    child = started;
    while (!existsSync(kubeconfig)) {
      if (started.exitCode !== null) throw new Error(`coracle up ended with ${started.exitCode}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return new Client(new HttpsTransport(readKubeconfig(kubeconfig).connection), { name: 'x', groups: [] }, 'durability');
  }

  it(`is there after kill -9 (${KILLS} kills)`, { timeout: 60_000 + KILLS * 10_000 }, async () => {
    const rng = new Rng(11);
    /** By name: the data that was acknowledged last, or undefined for a deletion. */
    const acknowledged = new Map<string, string | undefined>();
    /** By name: a write that was under way at the kill may have happened or not. */
    let unanswered = new Map<string, string | undefined>();
    for (let kill = 0; kill <= KILLS; kill++) {
      const maps = (await boot()).resource(ConfigMaps);
      const found = new Map((await maps.list({ namespace: 'default' })).items.map((item) => [item.metadata.name!, item.data?.['v']]));
      for (const [name, value] of acknowledged) {
        const actual = found.get(name);
        if (unanswered.has(name) && actual === unanswered.get(name)) acknowledged.set(name, actual);
        else expect(actual, `${name} after kill ${kill}`).toBe(value);
      }
      unanswered = new Map();
      if (kill === KILLS) break;
      const died = new Promise<void>((resolve) => child!.once('close', () => resolve()));
      const writers = Array.from({ length: WRITERS }, async (_, writer) => {
        for (let i = 0; ; i++) {
          const name = `w${writer}-${rng.integer(5)}`;
          const value = `${kill}-${writer}-${i}`;
          const exists = acknowledged.get(name) !== undefined;
          const remove = exists && rng.chance(0.2);
          unanswered.set(name, remove ? undefined : value);
          try {
            if (remove) await maps.delete('default', name);
            else if (exists) await maps.patch('default', name, { data: { v: value } }, 'application/merge-patch+json');
            else await maps.create({ metadata: { name, namespace: 'default' }, data: { v: value } });
          } catch {
            return;
          }
          acknowledged.set(name, remove ? undefined : value);
          unanswered.delete(name);
        }
      });
      await new Promise((resolve) => setTimeout(resolve, 50 + rng.integer(300)));
      child!.kill('SIGKILL');
      await Promise.all([died, ...writers]);
    }
    child?.kill('SIGTERM');
    expect(acknowledged.size).toBeGreaterThan(10);
  });
});
