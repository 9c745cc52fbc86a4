import { existsSync } from 'node:fs';
import { mkdir, readdir, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LinuxResources, PodCgroups } from '../runtime.ts';

const MOUNT = '/sys/fs/cgroup';
/** Those of version 1 in which pods are held. */
const CONTROLLERS = [
  'cpu',
  'cpuacct',
  'memory',
  'pids',
  'cpuset',
  'blkio',
  'devices',
  'freezer',
  'hugetlb',
  'net_cls',
  'net_prio',
  'perf_event',
  'systemd',
  'unified',
];
const QOS_CLASSES = ['Guaranteed', 'Burstable', 'BestEffort'];
const SHARES_AT_LEAST = 2;
const RETRIES = 20;
const RETRY_MS = 50;

export interface CgroupFilesOptions {
  /** Below which all pods have theirs; no other kubelet may use it. */
  root: string;
  pause(ms: number): Promise<void>;
}

/** Cgroups as files (the driver `cgroupfs`), version 1 or 2 (upstream: pkg/kubelet/cm). */
export class CgroupFiles implements PodCgroups {
  readonly #root: string;
  readonly #pause: (ms: number) => Promise<void>;
  readonly #isUnified = existsSync(join(MOUNT, 'cgroup.controllers'));

  constructor({ root, pause }: CgroupFilesOptions) {
    this.#root = root;
    this.#pause = pause;
  }

  nameOf(podUid: string, qosClass: string): string {
    const below = qosClass === 'Guaranteed' ? '' : `/${qosClass.toLowerCase()}`;
    return `${this.#root}${below}/pod${podUid}`;
  }

  async create(podUid: string, qosClass: string, resources: LinuxResources): Promise<string> {
    const name = this.nameOf(podUid, qosClass);
    if (this.#isUnified) await this.#createUnified(name, resources);
    else await this.#createSplit(name, resources);
    return name;
  }

  async remove(podUid: string): Promise<void> {
    for (const qosClass of QOS_CLASSES) {
      for (const mount of this.#mounts()) await this.#removeTree(join(mount, this.nameOf(podUid, qosClass)));
    }
  }

  #mounts(): string[] {
    return this.#isUnified ? [MOUNT] : CONTROLLERS.map((controller) => join(MOUNT, controller)).filter((path) => existsSync(path));
  }

  async #createSplit(name: string, { cpuShares, cpuQuota, cpuPeriod, memoryLimitBytes }: LinuxResources): Promise<void> {
    const [cpu, memory] = [join(MOUNT, 'cpu', name), join(MOUNT, 'memory', name)];
    if (existsSync(join(MOUNT, 'cpu'))) {
      await mkdir(cpu, { recursive: true });
      await writeFile(join(cpu, 'cpu.shares'), String(Math.max(cpuShares, SHARES_AT_LEAST)));
      if (cpuQuota > 0) await writeFile(join(cpu, 'cpu.cfs_period_us'), String(cpuPeriod));
      if (cpuQuota > 0) await writeFile(join(cpu, 'cpu.cfs_quota_us'), String(cpuQuota));
    }
    if (existsSync(join(MOUNT, 'memory'))) {
      await mkdir(memory, { recursive: true });
      if (memoryLimitBytes > 0) await writeFile(join(memory, 'memory.limit_in_bytes'), String(memoryLimitBytes));
    }
  }

  async #createUnified(name: string, { cpuShares, cpuQuota, cpuPeriod, memoryLimitBytes }: LinuxResources): Promise<void> {
    let path = MOUNT;
    for (const part of name.split('/').filter(Boolean)) {
      // Controllers are handed down one level at a time; those that this machine has not are done without.
      for (const controller of ['cpu', 'memory', 'pids', 'cpuset'])
        await writeFile(join(path, 'cgroup.subtree_control'), `+${controller}`).catch(() => undefined);
      path = join(path, part);
      await mkdir(path, { recursive: true });
    }
    const shares = Math.max(cpuShares, SHARES_AT_LEAST);
    await writeFile(join(path, 'cpu.weight'), String(Math.floor(1 + ((shares - 2) * 9999) / 262_142)));
    if (cpuQuota > 0) await writeFile(join(path, 'cpu.max'), `${cpuQuota} ${cpuPeriod}`);
    if (memoryLimitBytes > 0) await writeFile(join(path, 'memory.max'), String(memoryLimitBytes));
  }

  /** The innermost first; processes that are being killed hold theirs for a moment. */
  async #removeTree(path: string): Promise<void> {
    const below = await readdir(path, { withFileTypes: true }).catch(() => []);
    for (const entry of below) if (entry.isDirectory()) await this.#removeTree(join(path, entry.name));
    for (let attempt = 0; ; attempt++) {
      try {
        await rmdir(path);
        return;
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === 'ENOENT') return;
        if (code !== 'EBUSY' || attempt === RETRIES) throw error;
        await this.#pause(RETRY_MS);
      }
    }
  }
}
