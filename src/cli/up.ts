import type { KubeObject } from '../api/object.ts';
import { applyManifests, ManifestError } from '../cluster/apply-manifests.ts';
import { type AuthorizationMode, Cluster, parseTokenFile } from '../cluster/cluster.ts';
import { type ImageRule, readSimulationRules } from '../cluster/simulation-rules.ts';
import { lineLog, silent } from '../lib/log.ts';
import { CliError } from './errors.ts';
import { type ManifestFile, readManifestFiles, readText } from './manifests.ts';
import { defaultDataDir, defaultKubeconfig } from './paths.ts';
import { followRollouts } from './rollout.ts';
import { rolloutDisplay } from './rollout-display.ts';
import { type ChosenRuntime, chooseRuntime, type RuntimeChoice } from './runtime-choice.ts';

export interface UpOptions {
  filename: string[];
  exit?: boolean;
  timeout: number;
  nodes?: number;
  runtime: RuntimeChoice['runtime'];
  criSocket?: string;
  nodeName?: string;
  nodeIp?: string;
  clusterDns: string[];
  port: number;
  dataDir?: string;
  ephemeral?: boolean;
  kubeconfig?: string;
  simulate?: string;
  relist: number;
  seed?: number;
  fixScaleHang?: boolean;
  authorizationMode: AuthorizationMode;
  tokenAuthFile?: string;
  quiet?: boolean;
}

/** Boots a cluster and serves until a signal, or until the rollout has ended. @returns the exit code. */
export async function up(options: UpOptions): Promise<number> {
  const began = performance.now();
  const manifests = readManifestFiles(options.filename);
  const rules = options.simulate === undefined ? undefined : readSimulationRules(readText(options.simulate), options.simulate);
  const say = options.quiet ? (): void => {} : (line: string): void => void process.stdout.write(`${line}\n`);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const kubeconfigFile = options.kubeconfig ?? defaultKubeconfig();
  const realNode = await chooseRuntime(options);
  const nodes = options.nodes ?? (realNode ? 0 : 3);
  const cluster = await start({ ...options, nodes }, { kubeconfigFile, rules, realNode });
  let lost: Error | undefined;
  void cluster.failed.then((error) => {
    lost = error;
    stop.abort();
  });
  // The cluster's own timers do not hold the process; serving does.
  const alive = setInterval(() => {}, 1 << 30);
  try {
    say(`serving Kubernetes v1.34.0 on ${cluster.server} with ${nodesText(nodes, realNode?.runtime)}, ready after ${Math.round(performance.now() - began)} ms`);
    say(options.ephemeral ? 'everything is kept in memory and gone after the end' : `objects are kept in ${options.dataDir ?? defaultDataDir()}`);
    const failure = await applyAndFollow(cluster, manifests, options, stop.signal);
    if (failure !== undefined && !lost) process.stderr.write(`error: ${failure}\n`);
    if (options.exit && !lost) return failure === undefined ? 0 : 1;
    if (!lost) say(hints(kubeconfigFile, manifests));
    await new Promise<void>((resolve) => {
      if (stop.signal.aborted) resolve();
      else stop.signal.addEventListener('abort', () => resolve(), { once: true });
    });
    if (lost) throw new CliError(`${options.dataDir ?? defaultDataDir()}: ${lost.message}`);
    return 0;
  } finally {
    clearInterval(alive);
    await cluster.stop();
  }
}

function nodesText(simulated: number, realRuntime: string | undefined): string {
  if (realRuntime === undefined) return `${simulated} ${simulated === 1 ? 'node' : 'nodes'}`;
  return `this machine as a node (${realRuntime})${simulated ? ` and ${simulated} simulated` : ''}`;
}

interface StartOptions {
  kubeconfigFile: string;
  rules: ImageRule[] | undefined;
  realNode: ChosenRuntime | undefined;
}

async function start(options: UpOptions & { nodes: number }, { kubeconfigFile, rules, realNode }: StartOptions): Promise<Cluster> {
  const tokens = options.tokenAuthFile === undefined ? undefined : readTokens(options.tokenAuthFile);
  try {
    return await Cluster.start({
      nodes: options.nodes,
      port: options.port,
      kubeconfigFile,
      relistPeriodMs: options.relist,
      // What is tried again by itself is no news on a terminal.
      log: { ...silent, error: lineLog((line) => void process.stderr.write(line)).error },
      ...(options.ephemeral ? {} : { dataDir: options.dataDir ?? defaultDataDir() }),
      ...(rules ? { simulate: rules } : {}),
      ...(realNode ? { realNode: realNode.node } : {}),
      ...(options.seed === undefined ? {} : { seed: options.seed }),
      authorizationMode: options.authorizationMode,
      ...(tokens ? { staticTokens: tokens } : {}),
      ...(options.fixScaleHang ? { deployment: { refreshStaleAnnotations: true } } : {}),
    });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') throw new CliError(`port ${options.port} is in use: choose another one with --port, or --port 0 for any that is free`);
    if (code === 'EACCES' || code === 'EROFS' || code === 'ENOTDIR')
      throw new CliError(`cannot use ${(error as NodeJS.ErrnoException).path ?? 'the data directory'}: ${(error as Error).message}`);
    throw error;
  }
}

function readTokens(file: string): ReturnType<typeof parseTokenFile> {
  try {
    return parseTokenFile(readText(file));
  } catch (error) {
    throw error instanceof CliError ? error : new CliError(`${file}: ${(error as Error).message}`);
  }
}

/** @returns why a rollout is not complete. */
async function applyAndFollow(cluster: Cluster, manifests: readonly ManifestFile[], options: UpOptions, stop: AbortSignal): Promise<string | undefined> {
  const applied: KubeObject[] = [];
  for (const { source, objects } of manifests) {
    try {
      applied.push(...(await applyManifests(cluster.apiServer, objects, source)));
    } catch (error) {
      if (options.exit) throw error instanceof ManifestError ? error : new CliError(`${source}: ${(error as Error).message}`);
      return `${source}: ${(error as Error).message}`;
    }
  }
  const targets = applied.filter((object) => object.kind === 'Deployment').map(({ metadata }) => ({ namespace: metadata.namespace!, name: metadata.name! }));
  if (targets.length === 0) return undefined;
  const timeUp = new AbortController();
  const timer = setTimeout(() => timeUp.abort(), options.timeout);
  stop.addEventListener('abort', () => timeUp.abort(), { once: true });
  const display = rolloutDisplay(options.quiet ? undefined : process.stdout);
  try {
    const failure = await followRollouts(cluster.client, targets, display.show, timeUp.signal);
    display.end();
    return failure;
  } finally {
    clearTimeout(timer);
  }
}

function hints(kubeconfigFile: string, manifests: readonly ManifestFile[]): string {
  const deployment = manifests.flatMap((file) => file.objects).find((object) => object.kind === 'Deployment');
  const name = deployment?.metadata.name ?? 'web';
  const container = (deployment as (KubeObject & { spec?: { template?: { spec?: { containers?: { name?: string; image?: string }[] } } } }) | undefined)?.spec
    ?.template?.spec?.containers?.[0];
  const image = container?.image?.replace(/:[^:/]*$/, ':v2') ?? 'registry.example.com/web:v2';
  const lines = [
    '',
    `  export KUBECONFIG=${kubeconfigFile}`,
    '',
    ...(deployment ? [] : [`  kubectl create deployment ${name} --image=registry.example.com/web:v1 --replicas=3`]),
    `  kubectl get deployments,replicasets,pods`,
    `  kubectl set image deployment/${name} ${container?.name ?? name}=${image}`,
    `  kubectl rollout status deployment/${name}`,
    ...(deployment ? [`  kubectl rollout undo deployment/${name}`] : []),
    '',
    'Ctrl-C ends the cluster.',
  ];
  return lines.join('\n');
}
