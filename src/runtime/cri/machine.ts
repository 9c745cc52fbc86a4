import { statfsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import os from 'node:os';
import type { Machine } from '../runtime.ts';

/** As many pods as upstream's kubelet takes by default. */
const MAX_PODS = '110';

/** The machine that this process runs on. @param directory whose disk pods write to */
export async function thisMachine(directory: string): Promise<Machine> {
  const [memory, release, resolver, machineId, bootId] = await Promise.all(
    ['/proc/meminfo', '/etc/os-release', '/etc/resolv.conf', '/etc/machine-id', '/proc/sys/kernel/random/boot_id'].map(text),
  );
  const { blocks, bsize } = statfsSync(directory);
  return {
    capacity: {
      cpu: String(os.cpus().length),
      'ephemeral-storage': `${Math.floor((blocks * bsize) / 1024)}Ki`,
      'hugepages-1Gi': '0',
      'hugepages-2Mi': '0',
      memory: `${/^MemTotal:\s+(\d+)/m.exec(memory!)?.[1] ?? Math.floor(os.totalmem() / 1024)}Ki`,
      pods: MAX_PODS,
    },
    kernelVersion: os.release(),
    osImage: /^PRETTY_NAME="?([^"\n]*)/m.exec(release!)?.[1] ?? os.type(),
    architecture: os.arch() === 'x64' ? 'amd64' : os.arch(),
    ...(machineId!.trim() ? { machineId: machineId!.trim() } : {}),
    ...(bootId!.trim() ? { bootId: bootId!.trim() } : {}),
    dns: parseResolver(resolver!),
  };
}

/** What a resolv.conf says; the last `search` counts. */
export function parseResolver(content: string): Machine['dns'] {
  const words = content.split('\n').map((line) => line.trim().split(/\s+/));
  const of = (key: string): string[][] => words.filter(([first]) => first === key).map(([, ...rest]) => rest);
  return {
    servers: of('nameserver').flatMap((rest) => rest.slice(0, 1)),
    searches: of('search').at(-1) ?? [],
    options: of('options').at(-1) ?? [],
  };
}

/** Empty where there is no such file. */
const text = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');
