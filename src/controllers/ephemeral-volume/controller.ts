import type { PersistentVolumeClaim, Pod } from '../../api/generated/types/core.v1.ts';
import type { Draft } from '../../api/object.ts';
import { keyOf } from '../../api/object.ts';
import { PersistentVolumeClaims, Pods } from '../../api/resources.ts';
import type { InformerFactory } from '../../client/informer.ts';
import { controllerOf, controllerReference } from '../ownership.ts';
import { byKey, type Controller, watchRule } from '../runtime/controller.ts';
import { type Action, NOTHING_TO_DO, type Outcome, type Plan } from '../runtime/plan.ts';

export interface EphemeralVolumesSnapshot {
  pod: Pod;
  /** The claims that there are of those that its volumes want, by name. */
  claims: ReadonlyMap<string, PersistentVolumeClaim>;
}

/** Makes the claims of generic ephemeral volumes, which go with their pod. Upstream: pkg/controller/volume/ephemeral. */
export function ephemeralVolumeController(informers: InformerFactory): Controller<EphemeralVolumesSnapshot> {
  const pods = informers.lister(Pods);
  const claims = informers.lister(PersistentVolumeClaims);
  const isConcerned = ({ spec }: Pod): boolean => spec.volumes?.some(({ ephemeral }) => ephemeral) ?? false;
  return {
    name: 'ephemeral_volume',
    watches: [
      watchRule(Pods, ({ type, object }) => (type !== 'deleted' && isConcerned(object) ? [keyOf(object)] : [])),
      watchRule(PersistentVolumeClaims, ({ type, object }) => {
        const owner = type === 'deleted' ? controllerOf(object) : undefined;
        return owner?.kind === 'Pod' ? [`${object.metadata.namespace}/${owner.name}`] : [];
      }),
    ],
    observe: async (key) => {
      const pod = byKey(pods, key);
      if (!pod) return undefined;
      const names = (pod.spec.volumes ?? []).map(({ name }) => `${pod.metadata.name}-${name}`);
      const found = names.flatMap((name) => claims.get(pod.metadata.namespace ?? '', name) ?? []);
      return { pod, claims: new Map(found.map((claim) => [claim.metadata.name!, claim])) };
    },
    plan: planEphemeralVolumes,
  };
}

export function planEphemeralVolumes({ pod, claims }: EphemeralVolumesSnapshot): Plan {
  if (pod.metadata.deletionTimestamp !== undefined) return NOTHING_TO_DO;
  const { namespace = '', name: podName } = pod.metadata;
  const creations: Action[] = [];
  for (const { name, ephemeral } of pod.spec.volumes ?? []) {
    if (!ephemeral?.volumeClaimTemplate) continue;
    const claimName = `${podName}-${name}`;
    const claim = claims.get(claimName);
    const fault = `PVC ${namespace}/${claimName} was not created for pod ${namespace}/${podName} (pod is not owner)`;
    if (claim && controllerOf(claim)?.uid !== pod.metadata.uid) return { actions: [...creations, failed(pod, name, fault)], failure: fault };
    if (claim) continue;
    const { metadata = {}, spec } = ephemeral.volumeClaimTemplate;
    const { labels, annotations } = metadata;
    const own = { ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}), ownerReferences: [controllerReference(Pods, pod)] };
    creations.push({
      type: 'create',
      resource: PersistentVolumeClaims,
      object: { metadata: { name: claimName, namespace, ...own }, spec } as Draft<PersistentVolumeClaim>,
    });
  }
  return {
    actions: creations,
    next: (outcomes: Outcome[]) => {
      const at = outcomes.findIndex(({ ok }) => !ok);
      const [refused, creation] = [outcomes[at], creations[at]];
      if (!refused || refused.ok || creation?.type !== 'create') return NOTHING_TO_DO;
      const claimName = creation.object.metadata?.name ?? '';
      return { actions: [failed(pod, claimName.slice(podName!.length + 1), `create PVC ${claimName}: ${refused.error.message}`)] };
    },
  };
}

function failed(about: Pod, volume: string, why: string): Action {
  return { type: 'event', about, note: { type: 'Warning', reason: 'FailedBinding', message: `ephemeral volume ${volume}: ${why}` } };
}
