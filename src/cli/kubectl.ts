import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { CliError } from './errors.ts';
import { defaultKubeconfig } from './paths.ts';

/** Runs the kubectl on PATH against the cluster started last. @returns kubectl's exit code. */
export function kubectl(args: readonly string[]): Promise<number> {
  const kubeconfig = defaultKubeconfig();
  if (!existsSync(kubeconfig)) throw new CliError(`no cluster has been started: ${kubeconfig} does not exist; run coracle up`);
  // What the user names on the line comes later and wins.
  const child = spawn('kubectl', [...args], { stdio: 'inherit', env: { ...process.env, KUBECONFIG: kubeconfig } });
  // The signal goes to the whole group; kubectl decides when to end.
  const ignore = (): void => {};
  process.on('SIGINT', ignore);
  return new Promise((resolve, reject) => {
    child.on('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'ENOENT' ? new CliError('kubectl is not on the PATH: install it from https://kubernetes.io/docs/tasks/tools/#kubectl') : error);
    });
    child.on('close', (code, signal) => {
      process.off('SIGINT', ignore);
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 1));
    });
  });
}
