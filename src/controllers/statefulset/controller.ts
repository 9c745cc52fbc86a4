import type { StatefulSet } from '../../api/generated/types/apps.v1.ts';
import type { PersistentVolumeClaim } from '../../api/generated/types/core.v1.ts';
import { type Selector, selectorFrom } from '../../api/labels.ts';
import { keyOf } from '../../api/object.ts';
import { ControllerRevisions, PersistentVolumeClaims, Pods, StatefulSets } from '../../api/resources.ts';
import type { InformerFactory, Lister } from '../../client/informer.ts';
import { indexByController, indexBySelector, keysOfOwners, orphansFor, ownedBy } from '../adoption-index.ts';
import { byKey, type Controller, watchRule } from '../runtime/controller.ts';
import { claimName, firstOrdinal, ordinalOf, replicasOf } from './identity.ts';
import { planStatefulSet } from './plan.ts';
import type { StatefulSetSnapshot } from './rollout.ts';

/** Pods with names and claims of their own, in order. Upstream: pkg/controller/statefulset. */
export function statefulSetController(informers: InformerFactory): Controller<StatefulSetSnapshot> {
  const sets = indexBySelector(informers.informer(StatefulSets), StatefulSets, selectorOf);
  const pods = informers.informer(Pods);
  const revisions = informers.informer(ControllerRevisions);
  const claims = informers.lister(PersistentVolumeClaims);
  indexByController(pods);
  indexByController(revisions);
  return {
    name: 'statefulset-controller',
    watches: [
      watchRule(StatefulSets, ({ object }) => [keyOf(object)]),
      watchRule(Pods, (change) => keysOfOwners(sets, change)),
      watchRule(ControllerRevisions, () => []),
      watchRule(PersistentVolumeClaims, () => []),
    ],
    observe: async (key, { now }) => {
      const set = byKey(sets.lister, key);
      if (!set) return undefined;
      const { namespace = '', uid = '' } = set.metadata;
      const selector = selectorOf(set);
      const candidates = [...ownedBy(pods.lister, uid), ...orphansFor(pods.lister, namespace, selector)];
      const wanted = Array.from({ length: replicasOf(set) }, (_, index) => firstOrdinal(set) + index);
      const ordinals = new Set([...wanted, ...candidates.map(ordinalOf)]);
      return {
        now,
        set,
        pods: candidates,
        revisions: [...ownedBy(revisions.lister, uid), ...orphansFor(revisions.lister, namespace, selector)],
        claims: claimsOf(set, ordinals, claims),
      };
    },
    plan: planStatefulSet,
  };
}

function selectorOf({ spec }: StatefulSet): Selector {
  return selectorFrom(spec.selector);
}

function claimsOf(set: StatefulSet, ordinals: ReadonlySet<number>, claims: Lister<PersistentVolumeClaim>): Map<string, PersistentVolumeClaim> {
  const found = new Map<string, PersistentVolumeClaim>();
  for (const template of set.spec.volumeClaimTemplates ?? []) {
    for (const ordinal of ordinals) {
      const claim = claims.get(set.metadata.namespace ?? '', claimName(set, template, ordinal));
      if (claim) found.set(claim.metadata.name!, claim);
    }
  }
  return found;
}
