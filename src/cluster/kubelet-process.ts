import type { Transport } from '../api/request.ts';
import { Client } from '../client/client.ts';
import { EventInstants, StoredEventRecorder } from '../client/event-recorder.ts';
import { HttpsTransport } from '../client/https-transport.ts';
import { readKubeconfig } from '../client/kubeconfig.ts';
import { NodePaths } from '../kubelet/config/node-paths.ts';
import { Kubelet } from '../kubelet/kubelet.ts';
import { KubeletAccess } from '../kubelet/server/access.ts';
import { KubeletHttpsServer } from '../kubelet/server/https-server.ts';
import { type Clock, SystemClock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { Rng } from '../lib/rng.ts';
import { SimulatedRuntime } from '../runtime/simulated/simulated-runtime.ts';
import { makeServingCertificate } from './certificates.ts';
import { addressOfMachine, openRealNode, type RealNode, type RealNodeOptions } from './real-node.ts';

const KUBELET = 'kubelet';

export interface KubeletProcessOptions {
  kubeconfigFile: string;
  nodeName: string;
  /** Left out: simulated containers. */
  realNode?: RealNodeOptions;
  hostIP?: string;
  /** Of its own https server; 0: any free one. */
  port: number;
  /** Everybody may ask its https server everything. */
  openAccess: boolean;
  relistPeriodMs: number;
  log: Log;
}

/** A kubelet that joins an API server over https, with an https server of its own. */
export class KubeletProcess {
  readonly port: number;
  readonly #kubelet: Kubelet;
  readonly #https: KubeletHttpsServer;
  readonly #node: Pick<RealNode, 'runtime'>;
  readonly #transport: HttpsTransport;

  private constructor(parts: { port: number; kubelet: Kubelet; https: KubeletHttpsServer; node: Pick<RealNode, 'runtime'>; transport: HttpsTransport }) {
    this.port = parts.port;
    this.#kubelet = parts.kubelet;
    this.#https = parts.https;
    this.#node = parts.node;
    this.#transport = parts.transport;
  }

  /** Resolves when the node is registered. @throws RuntimeError where the runtime does not answer */
  static async start(options: KubeletProcessOptions): Promise<KubeletProcess> {
    const { kubeconfigFile, nodeName, port: wantedPort, openAccess, relistPeriodMs, log } = options;
    const clock = new SystemClock();
    const rng = Rng.system();
    const { connection } = readKubeconfig(kubeconfigFile);
    const transport = new HttpsTransport(connection);
    const client = new Client(transport as Transport, { name: `system:node:${nodeName}`, groups: ['system:nodes'] }, KUBELET);
    const node = await nodeOf(options, { clock, rng, log });
    const recorder = new StoredEventRecorder({ client, clock, instants: new EventInstants(rng), log, component: KUBELET, host: nodeName });
    const { cert, key } = await makeServingCertificate(clock.now(), { name: nodeName, addresses: [node.hostIP] });
    const ca = connection.certificateAuthority;
    const kubelet = new Kubelet({ ...node, nodeName, client, clock, rng, log, recorder, relistPeriodMs, givesTokens: true });
    const access = new KubeletAccess({ client, nodeName, open: openAccess });
    const https = new KubeletHttpsServer({ server: kubelet.server, access, nodeName, tls: { cert, key, ...(ca ? { ca } : {}) }, clock, log });
    const port = await https.listen(wantedPort, node.hostIP);
    await kubelet.start({ port });
    return new KubeletProcess({ port, kubelet, https, node, transport });
  }

  /** Containers go on. */
  async stop(): Promise<void> {
    this.#kubelet.stop();
    await this.#https.close();
    this.#node.runtime.close();
    this.#transport.close();
  }
}

type Node = Pick<RealNode, 'hostIP' | 'runtime' | 'paths'> & { podCIDR?: string };

async function nodeOf(
  { realNode, nodeName, hostIP = addressOfMachine() }: KubeletProcessOptions,
  { clock, rng, log }: { clock: Clock; rng: Rng; log: Log },
): Promise<Node> {
  if (!realNode) return { hostIP, runtime: new SimulatedRuntime({ clock, rng }), paths: new NodePaths() };
  const { name: _, ...node } = await openRealNode({ ...realNode, name: nodeName, hostIP }, { clock, log });
  return node;
}
