import type { Lease } from '../api/generated/types/coordination.v1.ts';
import type { ContainerImage, Node } from '../api/generated/types/core.v1.ts';
import { Leases, Nodes } from '../api/resources.ts';
import { hasReason } from '../api/status.ts';
import type { Client } from '../client/client.ts';
import { type Clock, microTimestamp, sleep, type Timer } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { type NodeDescription, nodeConditions, nodeObject } from './node-status.ts';

const LEASE_NAMESPACE = 'kube-node-lease';
const LEASE_SECONDS = 40;
/** Upstream: a quarter of the lease's duration. */
const RENEW_MS = 10_000;
/** Unchanged, the node's status is written this often. */
const REPORT_MS = 300_000;
const RETRY_MS = 1_000;

export interface NodeHeartbeatOptions {
  client: Client;
  clock: Clock;
  log: Log;
  description: NodeDescription;
  /** The images that the node has; a change is told with the next beat. */
  images: () => Promise<readonly ContainerImage[]>;
  /** Why the node can run no pods, where it cannot; a change is told with the next beat. */
  fault: () => Promise<string | undefined>;
}

/** Registers a node and keeps saying that it lives: its Lease every 10 s, its status every 5 minutes. */
export class NodeHeartbeat {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #description: NodeDescription;
  #node: Node | undefined;
  #lease: Lease | undefined;
  #reportedAt = 0;
  #timer: Timer | undefined;
  #stopped = false;
  readonly #fault: () => Promise<string | undefined>;
  #toldFault: string | undefined;
  readonly #images: () => Promise<readonly ContainerImage[]>;
  /** What the node's images were when they were last told. */
  #toldImages = '[]';

  constructor({ client, clock, log, description, images, fault }: NodeHeartbeatOptions) {
    this.#fault = fault;
    this.#images = images;
    this.#client = client;
    this.#clock = clock;
    this.#log = log;
    this.#description = description;
  }

  /** The node as last written. */
  get node(): Node | undefined {
    return this.#node;
  }

  async refresh(): Promise<Node> {
    this.#node = await this.#client.resource(Nodes).get('', this.#description.name);
    return this.#node;
  }

  /** Tries until the node is registered, then goes on in the background until stop(). */
  async start(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        this.#node = await this.#register();
        break;
      } catch (error) {
        this.#log.info('node not registered yet', { node: this.#description.name, error: error instanceof Error ? error.message : String(error) });
        await sleep(this.#clock, RETRY_MS, signal);
      }
    }
    signal.addEventListener('abort', () => this.stop(), { once: true });
    if (signal.aborted) return;
    await this.#beat();
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  async #register(): Promise<Node> {
    const nodes = this.#client.resource(Nodes);
    const draft = nodeObject(this.#description, this.#clock.now());
    this.#reportedAt = this.#clock.now();
    try {
      return await nodes.create(draft);
    } catch (error) {
      if (!hasReason(error, 'AlreadyExists')) throw error;
    }
    const status = { ...draft.status };
    return nodes.patch('', this.#description.name, { status }, 'application/strategic-merge-patch+json', { subresource: 'status' });
  }

  async #beat(): Promise<void> {
    if (this.#stopped) return;
    let next = RENEW_MS;
    try {
      await this.#renew();
      const fault = await this.#fault();
      const images = fault === undefined ? await this.#images() : [];
      const isNews = fault !== this.#toldFault || (images.length > 0 && JSON.stringify(images) !== this.#toldImages);
      if (isNews || this.#clock.now() - this.#reportedAt >= REPORT_MS) await this.#report(images, fault);
    } catch (error) {
      this.#log.info('heartbeat failed', { node: this.#description.name, error: error instanceof Error ? error.message : String(error) });
      this.#lease = undefined;
      next = RETRY_MS;
    }
    if (!this.#stopped) this.#timer = this.#clock.schedule(next, () => void this.#beat());
  }

  async #renew(): Promise<void> {
    const leases = this.#client.resource(Leases);
    const { name } = this.#description;
    const renewTime = microTimestamp(this.#clock.now());
    if (this.#lease) {
      this.#lease = await leases.update({ ...this.#lease, spec: { ...this.#lease.spec, renewTime } });
      return;
    }
    const owner = { apiVersion: 'v1', kind: 'Node', name, uid: this.#node?.metadata.uid ?? '' };
    try {
      this.#lease = await leases.create({
        metadata: { name, namespace: LEASE_NAMESPACE, ownerReferences: [owner] },
        spec: { holderIdentity: name, leaseDurationSeconds: LEASE_SECONDS, renewTime },
      });
    } catch (error) {
      if (!hasReason(error, 'AlreadyExists')) throw error;
      const found = await leases.get(LEASE_NAMESPACE, name);
      this.#lease = await leases.update({ ...found, spec: { ...found.spec, holderIdentity: name, leaseDurationSeconds: LEASE_SECONDS, renewTime } });
    }
  }

  async #report(images: readonly ContainerImage[], fault: string | undefined): Promise<void> {
    const now = this.#clock.now();
    const nodes = this.#client.resource(Nodes);
    const conditions = nodeConditions(this.#node?.status.conditions, now, fault);
    try {
      this.#node = await nodes.patch(
        '',
        this.#description.name,
        { status: { conditions, ...(images.length ? { images } : {}) } },
        'application/strategic-merge-patch+json',
        {
          subresource: 'status',
        },
      );
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error;
      this.#node = await this.#register();
    }
    this.#reportedAt = now;
    this.#toldImages = JSON.stringify(images);
    this.#toldFault = fault;
  }
}
