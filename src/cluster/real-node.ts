import { existsSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { NodePaths } from '../kubelet/config/node-paths.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** Where container runtimes listen, as their own packages set them up. */
const WELL_KNOWN_SOCKETS = ['/run/containerd/containerd.sock', '/run/crio/crio.sock', '/run/k3s/containerd/containerd.sock'];

export interface RealNodeOptions {
  /** Path of the socket of a runtime that speaks CRI. */
  socket: string;
  /** Name of the node. Default: the machine's. */
  name?: string;
  /** The node's own address. Default: the machine's first that others reach it by. */
  hostIP?: string;
  /** Where the node keeps its pods' files. Default: a folder for temporary files. */
  directory?: string;
  /** Servers that know the cluster's names. Default: none; pods ask those of the machine. */
  clusterDns?: readonly string[];
}

/** The machine itself as a node: what its kubelet needs. */
export interface RealNode {
  name: string;
  hostIP: string;
  runtime: Runtime;
  paths: NodePaths;
  clusterDns: { servers: readonly string[]; domain: string };
}

/** @throws RuntimeError where the runtime does not answer */
export async function openRealNode(options: RealNodeOptions, { clock, log }: { clock: Clock; log: Log }): Promise<RealNode> {
  const { socket, name = os.hostname().toLowerCase(), hostIP = addressOfMachine(), clusterDns = [] } = options;
  const directory = options.directory ?? join(os.tmpdir(), 'coracle', name);
  // gRPC takes some time to load; clusters of simulated nodes do without.
  const { CriRuntime } = await import('../runtime/cri/cri-runtime.ts');
  const runtime = await CriRuntime.open({ socket, directory, cgroupRoot: `/coracle/${name}`, clock, log });
  const paths = new NodePaths({ root: directory, logs: join(directory, 'logs') });
  return { name, hostIP, runtime, paths, clusterDns: { servers: clusterDns, domain: 'cluster.local' } };
}

/** The first address by which others reach this machine. */
export function addressOfMachine(): string {
  const all = Object.values(os.networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1';
}

/** The first socket at which a runtime answers that this process may use, with how it calls itself. */
export async function findRuntime(
  { clock, log }: { clock: Clock; log: Log },
  sockets: readonly string[] = WELL_KNOWN_SOCKETS,
): Promise<{ socket: string; runtimeName: string; runtimeVersion: string } | undefined> {
  for (const socket of sockets.filter((path) => existsSync(path))) {
    try {
      const { CriRuntime } = await import('../runtime/cri/cri-runtime.ts');
      return { socket, ...(await CriRuntime.ask(socket)) };
    } catch (error) {
      log.info('no container runtime', { socket, error, at: clock.now() });
    }
  }
  return undefined;
}
