import type { Pod } from '../api/generated/types/core.v1.ts';
import type { PodSandbox } from '../runtime/runtime.ts';
import { NODE_LABEL, POD_UID_LABEL } from './labels.ts';

/**
 * The pods of the runtime that nobody wants any more, with as much of them as their sandboxes tell (KUB-48). Sandboxes
 * that this node's kubelet has not made are not looked at: another one may work with the same runtime (upstream, which
 * is alone with its runtime: HandlePodCleanups). Pure.
 * @param wanted whether somebody looks after the pod of this uid
 */
export function orphanPods(sandboxes: readonly PodSandbox[], nodeName: string, wanted: (uid: string) => boolean): Pod[] {
  const orphans = new Map<string, Pod>();
  for (const { labels, metadata } of sandboxes) {
    const uid = labels[POD_UID_LABEL];
    if (uid === undefined || labels[NODE_LABEL] !== nodeName || wanted(uid)) continue;
    const { name, namespace } = metadata;
    orphans.set(uid, { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, uid }, spec: { containers: [] }, status: {} });
  }
  return [...orphans.values()];
}
