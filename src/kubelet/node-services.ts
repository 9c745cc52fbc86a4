import type { Node, Pod } from '../api/generated/types/core.v1.ts';
import type { ResourceClient } from '../client/client.ts';
import type { EventRecorder } from '../client/event-recorder.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { BackOffTable } from './back-off.ts';
import type { ConfigSource, EnvironmentContext } from './config/environment.ts';
import type { NodePaths } from './config/node-paths.ts';
import type { ClusterDns } from './config/pod-dns.ts';
import type { Images } from './images.ts';
import type { Probes } from './probes.ts';
import type { Volumes } from './volumes/volumes.ts';

/** What the workers of one node's pods share. */
export interface NodeServices {
  readonly hostIP: string;
  readonly runtimeName: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly runtime: Runtime;
  readonly pods: ResourceClient<Pod>;
  readonly recorder: EventRecorder;
  readonly images: Images;
  readonly probes: Probes;
  readonly config: ConfigSource;
  readonly volumes: Volumes;
  readonly paths: NodePaths;
  readonly clusterDns: ClusterDns;
  /** What a pod's configuration shows beside the pod itself; its address is that of the sandbox that was last seen. */
  environmentContext(pod: Pod): EnvironmentContext;
  readonly crashes: BackOffTable;
  /** Resolves when the kubelet next sees what its containers do, or when `signal` aborts. */
  relisted: (signal: AbortSignal) => Promise<void>;
  node(): Node;
  /** Reads the node anew: somebody may have changed its labels. */
  refreshNode(): Promise<Node>;
  /** The pods that the node has taken and that are not over, but for this one. */
  others(uid: string): Pod[];
  /** The worker has done everything; it may be dropped. */
  finished(uid: string): void;
}
