import type { StatefulSet } from '../../api/generated/types/apps.v1.ts';
import type { PersistentVolumeClaim, Pod, PodTemplateSpec, Volume } from '../../api/generated/types/core.v1.ts';
import type { Draft } from '../../api/object.ts';
import { StatefulSets } from '../../api/resources.ts';
import { podFromTemplate } from '../pod-control.ts';
import { isPodAvailable, isPodReady } from '../pod-state.ts';

export const POD_NAME = 'statefulset.kubernetes.io/pod-name';
export const POD_INDEX = 'apps.kubernetes.io/pod-index';
export const REVISION = 'controller-revision-hash';

const NAME = /^(.*)-(\d+)$/;
const MAX_ORDINAL = 2_147_483_647;

/** The number at the end of a pod's name; -1 where there is none. */
export function ordinalOf({ metadata }: { metadata: Pod['metadata'] }): number {
  const ordinal = Number(NAME.exec(metadata.name ?? '')?.[2] ?? -1);
  return ordinal > MAX_ORDINAL ? -1 : ordinal;
}

/** Whether the pod's name is one of the set's. */
export function isMember(set: StatefulSet, { metadata }: Pod): boolean {
  return NAME.exec(metadata.name ?? '')?.[1] === set.metadata.name;
}

export function firstOrdinal({ spec }: StatefulSet): number {
  return spec.ordinals?.start ?? 0;
}

export function replicasOf({ spec }: StatefulSet): number {
  return spec.replicas ?? 1;
}

export function isInRange(set: StatefulSet, ordinal: number): boolean {
  return ordinal >= firstOrdinal(set) && ordinal < firstOrdinal(set) + replicasOf(set);
}

export function podName({ metadata }: StatefulSet, ordinal: number): string {
  return `${metadata.name}-${ordinal}`;
}

export function claimName({ metadata }: StatefulSet, template: PersistentVolumeClaim, ordinal: number): string {
  return `${template.metadata.name}-${metadata.name}-${ordinal}`;
}

/** The claims that the pod of an ordinal mounts. Upstream: getPersistentVolumeClaims. */
export function claimsFor(set: StatefulSet, ordinal: number): Draft<PersistentVolumeClaim>[] {
  const { matchLabels } = set.spec.selector;
  return (set.spec.volumeClaimTemplates ?? []).map((template) => ({
    metadata: {
      ...template.metadata,
      name: claimName(set, template, ordinal),
      namespace: set.metadata.namespace,
      labels: { ...template.metadata.labels, ...matchLabels },
    },
    spec: template.spec,
  }));
}

/** The pod's volumes, with those of the claims before all others. Upstream: updateStorage. */
export function volumesFor(set: StatefulSet, ordinal: number, volumes: readonly Volume[] = []): Volume[] {
  const templates = set.spec.volumeClaimTemplates ?? [];
  const claimed = templates.map((template) => ({
    name: template.metadata.name!,
    persistentVolumeClaim: { claimName: claimName(set, template, ordinal) },
  }));
  return [...claimed, ...volumes.filter(({ name }) => !claimed.some((claim) => claim.name === name))];
}

export function identityLabels(set: StatefulSet, ordinal: number): Record<string, string> {
  return { [POD_NAME]: podName(set, ordinal), [POD_INDEX]: String(ordinal) };
}

/** Upstream: identityMatches. */
export function hasIdentity(set: StatefulSet, pod: Pod): boolean {
  return isMember(set, pod) && podName(set, ordinalOf(pod)) === pod.metadata.name && pod.metadata.labels?.[POD_NAME] === pod.metadata.name;
}

/** Whether the pod mounts the claims of its ordinal. Upstream: storageMatches. */
export function hasStorage(set: StatefulSet, pod: Pod): boolean {
  const volumes = new Map((pod.spec.volumes ?? []).map((volume) => [volume.name, volume]));
  return (set.spec.volumeClaimTemplates ?? []).every(
    (template) => volumes.get(template.metadata.name!)?.persistentVolumeClaim?.claimName === claimName(set, template, ordinalOf(pod)),
  );
}

/** A template, and the name of the revision that holds it. */
export interface Version {
  name: string;
  template: PodTemplateSpec;
}

/** Upstream: newStatefulSetPod. */
export function podOf(set: StatefulSet, { name, template }: Version, ordinal: number): Draft<Pod> {
  const pod = podFromTemplate(template, { object: set, resource: StatefulSets });
  const volumes = volumesFor(set, ordinal, template.spec.volumes);
  return {
    metadata: {
      ...pod.metadata,
      name: podName(set, ordinal),
      labels: { ...template.metadata.labels, ...identityLabels(set, ordinal), [REVISION]: name },
    },
    spec: {
      ...template.spec,
      hostname: podName(set, ordinal),
      ...(set.spec.serviceName ? { subdomain: set.spec.serviceName } : {}),
      ...(volumes.length > 0 ? { volumes } : {}),
    },
  };
}

export function revisionOf({ metadata }: Pod): string {
  return metadata.labels?.[REVISION] ?? '';
}

export function isTerminating({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

export function isRunningAndReady(pod: Pod): boolean {
  return pod.status.phase === 'Running' && isPodReady(pod);
}

/** Available, and to stay. */
export function isHealthy({ spec }: StatefulSet, pod: Pod, now: number): boolean {
  return isPodAvailable(pod, spec.minReadySeconds ?? 0, now) && !isTerminating(pod);
}
