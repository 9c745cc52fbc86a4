import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ended, eventually } from './processes.ts';
import { busyboxRoot, REGISTRY_USER, Registry } from './registry.ts';

/** What the site is made of, by the Debian package that has it. */
const PROGRAMS = { containerd: '/usr/bin/containerd', runc: '/usr/sbin/runc', 'docker-registry': '/usr/bin/docker-registry', 'busybox-static': '/bin/busybox' };
const CNI_PLUGINS = '/usr/lib/cni/bridge';

/** Which Debian packages the site lacks here; empty: it can be set up. @throws Error where REAL_CONTAINERS=required says that it must be */
export function missingPackages(): string[] {
  const absent = Object.entries(PROGRAMS).flatMap(([name, path]) => (existsSync(path) ? [] : [name]));
  if (!existsSync(CNI_PLUGINS)) absent.push('containernetworking-plugins');
  if (process.getuid?.() !== 0) absent.push('the rights of root');
  if (absent.length > 0 && process.env['REAL_CONTAINERS'] === 'required')
    throw new Error(`real containers must be tested here, and lack: ${absent.join(', ')}`);
  return absent;
}

/** A containerd of its own, with its own socket, folders, network and cgroups, and two registries on loopback: one open, one with a password. */
export class ContainerdSite {
  readonly directory: string;
  readonly socket: string;
  /** The bridge's address: that of the node. */
  readonly nodeIP: string;
  readonly open: Registry;
  readonly closed: Registry;
  readonly #bridge: string;
  #containerd: ChildProcess | undefined;

  private constructor(parts: { directory: string; bridge: string; nodeIP: string; open: Registry; closed: Registry }) {
    this.directory = parts.directory;
    this.socket = join(parts.directory, 'containerd.sock');
    this.#bridge = parts.bridge;
    this.nodeIP = parts.nodeIP;
    this.open = parts.open;
    this.closed = parts.closed;
  }

  static async start(): Promise<ContainerdSite> {
    const directory = mkdtempSync('/tmp/coracle-site-');
    const number = freeNumber();
    const bridge = `coracle${number}`;
    const nodeIP = `10.89.${number}.1`;
    execFileSync('ip', ['link', 'add', bridge, 'type', 'bridge']);
    execFileSync('ip', ['addr', 'add', `${nodeIP}/24`, 'dev', bridge]);
    execFileSync('ip', ['link', 'set', bridge, 'up']);
    const [open, closed] = await Promise.all([Registry.start(join(directory, 'open')), Registry.start(join(directory, 'closed'), REGISTRY_USER)]);
    const site = new ContainerdSite({ directory, bridge, nodeIP, open, closed });
    site.#configure();
    await open.push({ name: 'pause:1', root: busyboxRoot(directory), config: { Entrypoint: ['/bin/sh', '-c', PAUSE] } });
    await site.startContainerd();
    return site;
  }

  async startContainerd(): Promise<void> {
    const log = openSync(join(this.directory, 'containerd.log'), 'a');
    this.#containerd = spawn('containerd', ['--config', join(this.directory, 'containerd.toml')], { stdio: ['ignore', log, log] });
    await eventually(async () => this.ctr('version').status === 0, 'containerd answers');
  }

  /** Containers go on. */
  async stopContainerd(): Promise<void> {
    if (this.#containerd) await ended(this.#containerd);
  }

  ctr(...args: string[]): { status: number | null; stdout: string } {
    return spawnSync('ctr', ['-a', this.socket, '-n', 'k8s.io', ...args], { encoding: 'utf8' });
  }

  /** Ends everything: containers, processes, mounts, the bridge. */
  async stop(): Promise<void> {
    const tasks = (): string[] => this.ctr('tasks', 'ls', '-q').stdout.split('\n').filter(Boolean);
    for (const task of tasks()) this.ctr('tasks', 'kill', '-s', 'KILL', task);
    await eventually(async () => !this.ctr('tasks', 'ls').stdout.includes('RUNNING'), 'all containers have ended');
    for (const task of tasks()) this.ctr('tasks', 'rm', '-f', task);
    for (const container of this.ctr('containers', 'ls', '-q').stdout.split('\n').filter(Boolean)) this.ctr('containers', 'rm', container);
    await this.stopContainerd();
    await Promise.all([this.open.stop(), this.closed.stop()]);
    this.#endShims();
    const points = readFileSync('/proc/self/mountinfo', 'utf8')
      .split('\n')
      .map((line) => line.split(' ')[4] ?? '')
      .filter((point) => point.startsWith(`${this.directory}/`));
    for (const point of points.sort().reverse()) spawnSync('umount', ['-l', point]);
    spawnSync('ip', ['link', 'del', this.#bridge]);
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** A shim belongs to this containerd when it was told its socket. */
  #endShims(): void {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        if (command.includes('containerd-shim') && command.includes(this.socket)) process.kill(Number(pid), 'SIGKILL');
      } catch (error) {
        // Processes come and go while one looks.
        if (!['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
      }
    }
  }

  #configure(): void {
    const file = (path: string): string => join(this.directory, path);
    for (const registry of [this.open, this.closed]) {
      mkdirSync(file(`hosts/${registry.address}`), { recursive: true });
      const server = `http://${registry.address}`;
      writeFileSync(file(`hosts/${registry.address}/hosts.toml`), `server = "${server}"\n[host."${server}"]\n  capabilities = ["pull", "resolve"]\n`);
    }
    mkdirSync(file('cni'));
    const subnet = this.nodeIP.replace(/\.1$/, '.0/24');
    const ipam = { type: 'host-local', dataDir: file('ipam'), ranges: [[{ subnet }]], routes: [{ dst: '0.0.0.0/0' }] };
    const plugins = [{ type: 'bridge', bridge: this.#bridge, isGateway: true, hairpinMode: true, ipam }];
    writeFileSync(file('cni/10-test.conflist'), JSON.stringify({ cniVersion: '0.4.0', name: this.#bridge, plugins }));
    writeFileSync(
      file('containerd.toml'),
      `version = 2
root = "${file('containerd/root')}"
state = "${file('containerd/state')}"
[grpc]
  address = "${this.socket}"
[ttrpc]
  address = "${this.socket}.ttrpc"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${this.open.address}/pause:1"
  restrict_oom_score_adj = true
  disable_apparmor = true
  netns_mounts_under_state_dir = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "${file('cni')}"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = "${file('hosts')}"
`,
    );
  }
}

/** Waits, ends when it is told to, and looks after processes that have lost their parents. */
const PAUSE = 'trap "exit 0" TERM INT; while :; do sleep 2147483647 & wait; done';

function freeNumber(): number {
  for (let number = 1; number < 250; number++) if (!existsSync(`/sys/class/net/coracle${number}`)) return number;
  throw new Error('too many bridges named coracle: delete those that nobody uses');
}
