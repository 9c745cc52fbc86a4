import { CLAIM_FINALIZER, VOLUME_FINALIZER } from '../../api/core/v1/storage-finalizers.ts';
import type { PersistentVolume, PersistentVolumeClaim, Pod, Volume } from '../../api/generated/types/core.v1.ts';
import { type KubeObject, keyOf, type Resource } from '../../api/object.ts';
import { PersistentVolumeClaims, PersistentVolumes, Pods } from '../../api/resources.ts';
import type { InformerFactory } from '../../client/informer.ts';
import { byKey, type Controller, watchRule } from '../runtime/controller.ts';
import { NOTHING_TO_DO, type Plan } from '../runtime/plan.ts';

interface ProtectionSnapshot<T extends KubeObject> {
  object: T;
  /** Whether somebody would miss it. */
  inUse: boolean;
}

/** Keeps claims from going away while a pod that has a node uses them. Upstream: pkg/controller/volume/pvcprotection. */
export function claimProtectionController(informers: InformerFactory): Controller<ProtectionSnapshot<PersistentVolumeClaim>> {
  const claims = informers.lister(PersistentVolumeClaims);
  const pods = informers.lister(Pods);
  return {
    name: 'persistentvolumeclaim-protection-controller',
    watches: [
      watchRule(PersistentVolumeClaims, ({ type, object }) => (type === 'deleted' ? [] : [keyOf(object)])),
      watchRule(Pods, ({ object }) => claimNames(object).map((name) => `${object.metadata.namespace}/${name}`)),
    ],
    observe: async (key) => {
      const object = byKey(claims, key);
      if (!object) return undefined;
      const { namespace = '', name = '' } = object.metadata;
      const isUser = (pod: Pod): boolean => Boolean(pod.spec.nodeName) && claimNames(pod).includes(name);
      return { object, inUse: object.metadata.deletionTimestamp !== undefined && pods.list({ namespace }).some(isUser) };
    },
    plan: (snapshot) => planProtection(PersistentVolumeClaims, CLAIM_FINALIZER, snapshot),
  };
}

/** Keeps volumes from going away while a claim has them. Upstream: pkg/controller/volume/pvprotection. */
export function volumeProtectionController(informers: InformerFactory): Controller<ProtectionSnapshot<PersistentVolume>> {
  const volumes = informers.lister(PersistentVolumes);
  return {
    name: 'persistentvolume-protection-controller',
    watches: [watchRule(PersistentVolumes, ({ type, object }) => (type === 'deleted' ? [] : [keyOf(object)]))],
    observe: async (key) => {
      const object = byKey(volumes, key);
      return object && { object, inUse: object.status?.phase === 'Bound' };
    },
    plan: (snapshot) => planProtection(PersistentVolumes, VOLUME_FINALIZER, snapshot),
  };
}

/** The finalizer is there for as long as the object is wanted, or used. */
export function planProtection<T extends KubeObject>(resource: Resource<T>, finalizer: string, { object, inUse }: ProtectionSnapshot<T>): Plan {
  const { finalizers = [], deletionTimestamp } = object.metadata;
  const isProtected = finalizers.includes(finalizer);
  const shallBe = deletionTimestamp === undefined || (isProtected && inUse);
  if (isProtected === shallBe) return NOTHING_TO_DO;
  const changed = shallBe ? [...finalizers, finalizer] : finalizers.filter((one) => one !== finalizer);
  return { actions: [{ type: 'update', resource, object: { ...object, metadata: { ...object.metadata, finalizers: changed } } }] };
}

function claimNames({ metadata, spec }: Pod): string[] {
  const claimOf = ({ name, persistentVolumeClaim, ephemeral }: Volume): string | undefined =>
    persistentVolumeClaim?.claimName ?? (ephemeral ? `${metadata.name}-${name}` : undefined);
  return (spec.volumes ?? []).map(claimOf).filter((name) => name !== undefined);
}
