import type { Pod } from '../api/generated/types/core.v1.ts';
import type { PodSandbox } from '../runtime/runtime.ts';
import { POD_UID_LABEL } from './labels.ts';

/**
 * The pods of the runtime that nobody wants any more, with as much of them as their sandboxes tell (KUB-48). Sandboxes
 * that no kubelet has made are not looked at (upstream: HandlePodCleanups). Pure.
 * @param wanted whether somebody looks after the pod of this uid
 */
export function orphanPods(sandboxes: readonly PodSandbox[], wanted: (uid: string) => boolean): Pod[] {
  const orphans = new Map<string, Pod>();
  for (const { labels, metadata } of sandboxes) {
    const uid = labels[POD_UID_LABEL];
    if (uid === undefined || wanted(uid)) continue;
    const { name, namespace } = metadata;
    orphans.set(uid, { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, uid }, spec: { containers: [] }, status: {} });
  }
  return [...orphans.values()];
}
