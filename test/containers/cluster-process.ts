import { type ChildProcess, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { clientBinary } from '../e2e/client-binaries.ts';
import { type CommandResult, run } from '../e2e/cluster-fixture.ts';
import type { ContainerdSite } from './containerd-site.ts';
import { ended, eventually } from './processes.ts';

const PROGRAM = join(import.meta.dirname, '../../bin/coracle');

/** `coracle up` in a process of its own, over a containerd, with its objects on the disk: it can be killed and started again. */
export class ClusterProcess {
  readonly nodeName = 'real-1';
  readonly kubeconfig: string;
  readonly #site: ContainerdSite;
  readonly #flags: readonly string[];
  #process: ChildProcess | undefined;

  constructor(site: ContainerdSite, flags: readonly string[] = []) {
    this.#site = site;
    this.#flags = flags;
    this.kubeconfig = join(site.directory, 'kubeconfig');
  }

  /** Resolves when its node is ready. */
  async start(): Promise<void> {
    const { directory, socket, nodeIP } = this.#site;
    const flags = ['--port', '0', '--data-dir', join(directory, 'data'), '--kubeconfig', this.kubeconfig];
    const node = ['--runtime', 'cri', '--cri-socket', socket, '--node-name', this.nodeName, '--node-ip', nodeIP, ...this.#flags];
    const log = openSync(join(directory, 'coracle.log'), 'a');
    this.#process = spawn(process.execPath, [PROGRAM, 'up', ...flags, ...node], { stdio: ['ignore', log, log] });
    await eventually(async () => (await this.kubectl(`get node ${this.nodeName}`)).stdout.includes(' Ready '), 'the node is ready');
  }

  async stop(): Promise<void> {
    if (this.#process) await ended(this.#process);
  }

  /** As a crash does it: nothing is said, nothing is written any more. */
  async kill(): Promise<void> {
    const gone = new Promise((resolve) => this.#process?.once('exit', resolve));
    this.#process?.kill('SIGKILL');
    await gone;
  }

  kubectl(args: string | readonly string[], input?: string): Promise<CommandResult> {
    const words = typeof args === 'string' ? args.split(' ').filter(Boolean) : args;
    const env = { ...process.env, KUBECONFIG: this.kubeconfig, HOME: this.#site.directory };
    return run(clientBinary('kubectl'), words, { env, ...(input === undefined ? {} : { input }) });
  }

  async apply(...objects: readonly object[]): Promise<void> {
    const { code, stderr } = await this.kubectl('apply -f -', JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
    if (code !== 0) throw new Error(stderr);
  }

  /** Of one object, by a path of kubectl's JSONPath. */
  async value(object: string, path: string): Promise<string> {
    return (await this.kubectl(['get', ...object.split(' '), '-o', `jsonpath={${path}}`])).stdout;
  }

  /** Reasons of the events about an object. */
  async reasons(name: string): Promise<string[]> {
    return (await this.value(`events --field-selector involvedObject.name=${name}`, '.items[*].reason')).split(' ');
  }
}
