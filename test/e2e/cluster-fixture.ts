import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Cluster, type ClusterOptions } from '../../src/cluster/cluster.ts';
import { clientBinary } from './client-binaries.ts';

export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** A running cluster with a kubeconfig file, and real clients pointed at it. */
export interface ClusterFixture {
  cluster: Cluster;
  kubeconfigFile: string;
  directory: string;
  kubectl(args: string | readonly string[], options?: { input?: string; env?: Record<string, string> }): Promise<CommandResult>;
  helm(args: string | readonly string[], options?: { input?: string }): Promise<CommandResult>;
  stop(): Promise<void>;
}

export async function startFixture(options: ClusterOptions = {}): Promise<ClusterFixture> {
  const directory = mkdtempSync(join(tmpdir(), 'coracle-test-'));
  const kubeconfigFile = join(directory, 'kubeconfig');
  const cluster = await Cluster.start({ nodes: 3, freeze: true, kubeconfigFile, ...options });
  const client =
    (name: 'kubectl' | 'helm') =>
    (args: string | readonly string[], { input, env }: { input?: string; env?: Record<string, string> } = {}) =>
      run(clientBinary(name), typeof args === 'string' ? args.split(' ').filter((word) => word !== '') : args, {
        ...(input === undefined ? {} : { input }),
        env: { ...process.env, KUBECONFIG: kubeconfigFile, HOME: directory, ...env },
      });
  return {
    cluster,
    kubeconfigFile,
    directory,
    kubectl: client('kubectl'),
    helm: client('helm'),
    async stop() {
      await cluster.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Runs a program to its end. A program that hangs is killed after a minute. */
export function run(
  file: string,
  args: readonly string[],
  { input, env, cwd }: { input?: string; env?: NodeJS.ProcessEnv; cwd?: string } = {},
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, [...args], { env: env ?? process.env, timeout: 60_000, ...(cwd ? { cwd } : {}) });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? -1, stdout, stderr }));
    child.stdin.on('error', () => {});
    child.stdin.end(input ?? '');
  });
}
