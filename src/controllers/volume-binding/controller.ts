import { BIND_COMPLETED, claimsUsedBy, classNameOf, defaultClass } from '../../api/core/v1/volume-matching.ts';
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../api/generated/types/core.v1.ts';
import { keyOf } from '../../api/object.ts';
import { PersistentVolumeClaims, PersistentVolumes, Pods, StorageClasses } from '../../api/resources.ts';
import { hasReason } from '../../api/status.ts';
import type { Client } from '../../client/client.ts';
import type { InformerFactory } from '../../client/informer.ts';
import { isPodFinished } from '../pod-state.ts';
import { byKey, type Controller, watchRule } from '../runtime/controller.ts';
import { type ClaimSnapshot, planClaim } from './claim-plan.ts';
import { planVolume, type VolumeSnapshot } from './volume-plan.ts';

const NAME = 'persistentvolume-controller';
const BY_CLAIM = 'claim';

/** Finds volumes for claims. Upstream: pkg/controller/volume/persistentvolume (its claims). */
export function claimBinder(informers: InformerFactory): Controller<ClaimSnapshot> {
  const claims = informers.lister(PersistentVolumeClaims);
  const volumes = informers.lister(PersistentVolumes);
  const classes = informers.lister(StorageClasses);
  const pods = informers.informer(Pods);
  pods.addIndex(BY_CLAIM, (pod) => claimsUsedBy(pod).map(({ name }) => `${pod.metadata.namespace}/${name}`));
  const open = (): string[] =>
    claims
      .list()
      .filter(({ metadata }) => metadata.annotations?.[BIND_COMPLETED] === undefined)
      .map(keyOf);
  return {
    name: NAME,
    watches: [
      watchRule(PersistentVolumeClaims, ({ object }) => [keyOf(object)]),
      watchRule(PersistentVolumes, ({ object }) => [...open(), ...keysOfClaim(object)]),
      watchRule(StorageClasses, () => open()),
      watchRule(Pods, () => []),
    ],
    observe: async (key) => {
      const claim = byKey(claims, key);
      if (!claim) return undefined;
      const users = pods.lister.by(BY_CLAIM, key).filter((pod: Pod) => !isPodFinished(pod) && !pod.spec.nodeName);
      return {
        claim,
        volumes: volumes.list(),
        storageClass: classes.get('', classNameOf(claim)),
        defaultClass: defaultClass(classes.list()),
        waitingPods: users.map(({ metadata }) => metadata.name!).sort(),
      };
    },
    plan: planClaim,
  };
}

/** Says what has become of volumes, and reclaims them. Upstream: pkg/controller/volume/persistentvolume (its volumes). */
export function volumeBinder(informers: InformerFactory, client: Client): Controller<VolumeSnapshot> {
  const claims = informers.lister(PersistentVolumeClaims);
  const volumes = informers.informer(PersistentVolumes);
  volumes.addIndex(BY_CLAIM, keysOfClaim);
  return {
    name: NAME,
    watches: [
      watchRule(PersistentVolumes, ({ object }) => [keyOf(object)]),
      watchRule(PersistentVolumeClaims, ({ object }) => [
        ...volumes.lister.by(BY_CLAIM, keyOf(object)).map(keyOf),
        ...(object.spec.volumeName ? [object.spec.volumeName] : []),
      ]),
    ],
    observe: async (key) => {
      const volume = byKey(volumes.lister, key);
      return volume && { volume, claim: await claimOf(volume, (namespace, name) => claims.get(namespace, name), client) };
    },
    plan: planVolume,
  };
}

function keysOfClaim({ spec }: PersistentVolume): string[] {
  return spec.claimRef ? [`${spec.claimRef.namespace}/${spec.claimRef.name}`] : [];
}

/** A cache that is behind must not let go of a volume: what it does not show is asked for. */
async function claimOf(
  { spec, status }: PersistentVolume,
  cached: (namespace: string, name: string) => PersistentVolumeClaim | undefined,
  client: Client,
): Promise<PersistentVolumeClaim | undefined> {
  const { namespace = '', name = '', uid } = spec.claimRef ?? {};
  if (!uid) return undefined;
  const known = cached(namespace, name);
  if (known?.metadata.uid === uid) return known;
  if (!known && (status?.phase === 'Released' || status?.phase === 'Failed')) return undefined;
  try {
    const live = await client.resource(PersistentVolumeClaims).get(namespace, name);
    return live.metadata.uid === uid ? live : undefined;
  } catch (error) {
    if (hasReason(error, 'NotFound')) return undefined;
    throw error;
  }
}
