import { KubeletProcess } from '../cluster/kubelet-process.ts';
import { lineLog, silent } from '../lib/log.ts';
import { CliError } from './errors.ts';
import { chooseRuntime, type RuntimeChoice } from './runtime-choice.ts';

export interface KubeletCommandOptions extends RuntimeChoice {
  kubeconfig: string;
  nodeName: string;
  rootDir?: string;
  port: number;
  openAccess?: boolean;
  relist: number;
}

/** Runs a kubelet until a signal. @returns the exit code. */
export async function kubelet(options: KubeletCommandOptions): Promise<number> {
  const { kubeconfig, nodeName, nodeIp, rootDir, port, openAccess = false, relist } = options;
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const chosen = await chooseRuntime(options);
  const started = await start({
    kubeconfigFile: kubeconfig,
    nodeName,
    ...(chosen ? { realNode: { ...chosen.node, ...(rootDir === undefined ? {} : { directory: rootDir }) } } : {}),
    ...(nodeIp === undefined ? {} : { hostIP: nodeIp }),
    port,
    openAccess,
    relistPeriodMs: relist,
    log: { ...silent, error: lineLog((line) => void process.stderr.write(line)).error },
  });
  process.stdout.write(`node ${nodeName} runs ${chosen ? `${chosen.runtime}` : 'simulated containers'}, its kubelet listens on port ${started.port}\n`);
  // The kubelet's timers do not hold the process; serving does.
  const alive = setInterval(() => {}, 1 << 30);
  await new Promise<void>((resolve) => {
    if (stop.signal.aborted) resolve();
    else stop.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  clearInterval(alive);
  await started.stop();
  return 0;
}

async function start(options: Parameters<typeof KubeletProcess.start>[0]): Promise<KubeletProcess> {
  try {
    return await KubeletProcess.start(options);
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') throw new CliError(`port ${options.port} is in use: choose another one with --port, or --port 0 for any that is free`);
    if (code === 'ENOENT') throw new CliError(`${path}: no such file`);
    throw error;
  }
}
