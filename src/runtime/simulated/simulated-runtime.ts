import type { Clock } from '../../lib/clock.ts';
import type { Rng } from '../../lib/rng.ts';
import type { ImageService, Machine, PodNetwork, Runtime, RuntimeService } from '../runtime.ts';
import type { ImageRule } from './behaviour.ts';
import { PodDirectory } from './pod-directory.ts';
import { SimulatedHostFiles } from './simulated-host-files.ts';
import { SimulatedImages } from './simulated-images.ts';
import { SimulatedNetwork } from './simulated-network.ts';
import { SimulatedRuntimeService } from './simulated-runtime-service.ts';

export interface SimulatedRuntimeOptions {
  clock: Clock;
  rng: Rng;
  /** The first rule whose pattern matches an image tells what its containers do. */
  rules?: readonly ImageRule[];
  /** The addresses of pods until updateRuntimeConfig says otherwise. Default 10.244.0.0/24. */
  podCIDR?: string;
  /** Shared by the nodes whose pods reach each other. Default: this node is alone. */
  pods?: PodDirectory;
}

/** What every simulated node is like, unless its kubelet is told otherwise. */
const MACHINE: Machine = {
  capacity: { cpu: '8', 'ephemeral-storage': '100Gi', 'hugepages-1Gi': '0', 'hugepages-2Mi': '0', memory: '32Gi', pods: '110' },
  kernelVersion: '6.1.0',
  osImage: 'Coracle',
  architecture: 'amd64',
  dns: { servers: [], searches: [], options: [] },
};

/**
 * A container runtime that runs nothing: containers are states that change with the clock, as annotations of their pods
 * and rules by image tell (docs/simulated-runtime.md). Untold, every image exists, every container is up and ready at
 * once, runs for ever, and leaves at once when asked to.
 */
export class SimulatedRuntime implements Runtime {
  readonly machine = MACHINE;
  readonly files: SimulatedHostFiles;
  readonly runtimeService: RuntimeService;
  readonly imageService: ImageService;
  readonly podNetwork: PodNetwork;

  constructor({ clock, rng, rules = [], podCIDR = '10.244.0.0/24', pods = new PodDirectory() }: SimulatedRuntimeOptions) {
    this.files = new SimulatedHostFiles(clock);
    const runtimeService = new SimulatedRuntimeService({ clock, rng, rules, podCIDR, files: this.files, pods });
    this.runtimeService = runtimeService;
    this.imageService = new SimulatedImages({ clock, rng, rules });
    this.podNetwork = new SimulatedNetwork({ clock, pods, find: (containerId) => runtimeService.find(containerId) });
  }

  close(): void {
    // Nothing is held: the clock's timers belong to what is simulated.
  }
}
