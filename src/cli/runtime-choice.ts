import { findRuntime, type RealNodeOptions } from '../cluster/real-node.ts';
import { SystemClock } from '../lib/clock.ts';
import { silent } from '../lib/log.ts';
import { CliError } from './errors.ts';

export interface RuntimeChoice {
  runtime: 'auto' | 'simulated' | 'cri';
  criSocket?: string;
  nodeName?: string;
  nodeIp?: string;
  clusterDns: readonly string[];
}

export interface ChosenRuntime {
  node: RealNodeOptions;
  /** For people: which runtime, and where. */
  runtime: string;
}

/** The container runtime that the flags ask for; undefined: the simulated one. @throws CliError where a real one is asked for and none answers */
export async function chooseRuntime({ runtime, criSocket, nodeName, nodeIp, clusterDns }: RuntimeChoice): Promise<ChosenRuntime | undefined> {
  if (runtime === 'simulated') {
    if (criSocket !== undefined) throw new CliError('--cri-socket is for --runtime cri, or auto');
    return undefined;
  }
  const found = await findRuntime({ clock: new SystemClock(), log: silent }, criSocket === undefined ? undefined : [criSocket]);
  if (!found) {
    if (runtime === 'auto') return undefined;
    throw new CliError(
      criSocket === undefined
        ? 'no container runtime answers: start containerd or CRI-O, or name its socket with --cri-socket; --runtime simulated needs none'
        : `no container runtime that speaks CRI v1 answers at ${criSocket}, or this user may not use it`,
    );
  }
  const { socket, runtimeName, runtimeVersion } = found;
  return {
    node: { socket, clusterDns, ...(nodeName === undefined ? {} : { name: nodeName }), ...(nodeIp === undefined ? {} : { hostIP: nodeIp }) },
    runtime: `${runtimeName} ${runtimeVersion} at ${socket}`,
  };
}
