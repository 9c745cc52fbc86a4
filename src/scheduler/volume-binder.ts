import { boundToClaim, classNameOf, isFullyBound, SELECTED_NODE } from '../api/core/v1/volume-matching.ts';
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from '../api/generated/types/core.v1.ts';
import type { StorageClass } from '../api/generated/types/storage.v1.ts';
import { PersistentVolumeClaims, PersistentVolumes } from '../api/resources.ts';
import type { Client } from '../client/client.ts';
import type { Informer, Lister } from '../client/informer.ts';
import { type Clock, sleep } from '../lib/clock.ts';
import { claimsOf, provisionsOn, type Storage } from './storage.ts';

export interface StorageInformers {
  claims: Informer<PersistentVolumeClaim>;
  volumes: Informer<PersistentVolume>;
  classes: Informer<StorageClass>;
}

const LOOK_AGAIN_MS = 1000;
const TIMEOUT_MS = 600_000;

/**
 * Gives the claims of a pod their volumes once its node is known, and waits until they have them. Upstream:
 * pkg/scheduler/framework/plugins/volumebinding (AssumePodVolumes, BindPodVolumes).
 */
export class VolumeBinder {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #volumes: Lister<PersistentVolume>;
  readonly #claims: Lister<PersistentVolumeClaim>;
  readonly #taken = new Set<string>();
  readonly storage: Storage;

  constructor({ client, clock, informers }: { client: Client; clock: Clock; informers: StorageInformers }) {
    this.#client = client;
    this.#clock = clock;
    this.#volumes = informers.volumes.lister;
    this.#claims = informers.claims.lister;
    this.storage = {
      claim: (namespace, name) => this.#claims.get(namespace, name),
      volume: (name) => this.#volumes.get('', name),
      storageClass: (name) => informers.classes.lister.get('', name),
      volumes: () => this.#volumes.list(),
      taken: this.#taken,
    };
  }

  /** @returns why the claims did not get their volumes. */
  async bind(pod: Pod, node: Node): Promise<string | undefined> {
    const claims = claimsOf(pod, this.storage);
    if ('fault' in claims) return claims.fault;
    if (claims.waiting.length === 0) return undefined;
    const provisions = provisionsOn(node, claims.waiting, this.storage);
    if (!provisions) return "node(s) didn't find available persistent volumes to bind";
    const names = provisions.found.map(({ volume }) => volume.metadata.name!);
    for (const name of names) this.#taken.add(name);
    try {
      for (const { claim, volume } of provisions.found) await this.#keep(volume, claim);
      for (const claim of provisions.toMake) await this.#choose(claim, node);
      return await this.#untilBound(claims.waiting);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    } finally {
      for (const name of names) this.#taken.delete(name);
    }
  }

  async #keep(volume: PersistentVolume, claim: PersistentVolumeClaim): Promise<void> {
    const kept = boundToClaim(volume, claim);
    if (kept) await this.#client.resource(PersistentVolumes).update(kept);
  }

  async #choose(claim: PersistentVolumeClaim, node: Node): Promise<void> {
    if (claim.metadata.annotations?.[SELECTED_NODE] !== undefined) return;
    const annotations = { ...claim.metadata.annotations, [SELECTED_NODE]: node.metadata.name! };
    await this.#client.resource(PersistentVolumeClaims).update({ ...claim, metadata: { ...claim.metadata, annotations } });
  }

  async #untilBound(claims: readonly PersistentVolumeClaim[]): Promise<string | undefined> {
    const deadline = this.#clock.now() + TIMEOUT_MS;
    while (this.#clock.now() < deadline) {
      const current = claims.map(({ metadata }) => this.#claims.get(metadata.namespace ?? '', metadata.name ?? ''));
      if (current.some((claim) => !claim || claim.metadata.deletionTimestamp)) return 'a claim of the pod has been deleted';
      if (current.every((claim) => claim && isFullyBound(claim))) return undefined;
      // The node is chosen anew where nobody could make the volume there.
      if (current.some((claim) => claim && !claim.spec.volumeName && wasGivenUp(claim, this.#volumes))) return 'the provisioner has given up the selected node';
      await sleep(this.#clock, LOOK_AGAIN_MS);
    }
    return 'binding volumes: context deadline exceeded';
  }
}

/** Neither a volume is kept for the claim, nor a node chosen. */
function wasGivenUp(claim: PersistentVolumeClaim, volumes: Lister<PersistentVolume>): boolean {
  if (claim.metadata.annotations?.[SELECTED_NODE] !== undefined || classNameOf(claim) === '') return false;
  return !volumes.list().some(({ spec }) => spec.claimRef?.uid === claim.metadata.uid);
}
