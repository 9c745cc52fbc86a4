import { tolerates } from '../../api/core/v1/pod/tolerations.ts';
import { deepEqual } from '../../api/equality.ts';
import type { Pod, Taint, Toleration } from '../../api/generated/types/core.v1.ts';
import { keyOf } from '../../api/object.ts';
import { Nodes, Pods } from '../../api/resources.ts';
import type { InformerFactory } from '../../client/informer.ts';
import { timestamp } from '../../lib/clock.ts';
import { isPodFinished } from '../pod-state.ts';
import { byKey, type Controller, watchRule } from '../runtime/controller.ts';
import { type Action, deletionOf, NOTHING_TO_DO, type Plan, target } from '../runtime/plan.ts';

export interface TaintedPodSnapshot {
  now: number;
  pod: Pod;
  /** Those of its node that drive pods away. */
  taints: readonly Taint[];
  memory: TaintedPodMemory | undefined;
}

/** When the pod has to go; undefined: nobody wants it to. */
export interface TaintedPodMemory {
  uid: string;
  at: number | undefined;
}

const BY_NODE = 'node';

/** Deletes pods from nodes with taints that they do not tolerate, or not for long. Upstream: pkg/controller/tainteviction. */
export function taintEvictionController(informers: InformerFactory): Controller<TaintedPodSnapshot> {
  const nodes = informers.lister(Nodes);
  const pods = informers.informer(Pods);
  pods.addIndex(BY_NODE, ({ spec }) => (spec.nodeName ? [spec.nodeName] : []));
  const noExecute = (taints: readonly Taint[] = []): Taint[] => taints.filter(({ effect }) => effect === 'NoExecute');
  return {
    name: 'taint-eviction-controller',
    watches: [
      watchRule(Pods, ({ object, old }) =>
        old && old.spec.nodeName === object.spec.nodeName && deepEqual(old.spec.tolerations, object.spec.tolerations) ? [] : [keyOf(object)],
      ),
      watchRule(Nodes, ({ object, old }) => {
        const same = old && deepEqual(noExecute(old.spec.taints), noExecute(object.spec.taints));
        return same || (!old && noExecute(object.spec.taints).length === 0) ? [] : pods.lister.by(BY_NODE, object.metadata.name!).map(keyOf);
      }),
    ],
    observe: async (key, { now, memory }) => {
      const pod = byKey(pods.lister, key);
      if (!pod?.spec.nodeName) return undefined;
      const taints = noExecute(nodes.get('', pod.spec.nodeName)?.spec.taints);
      const known = memory as TaintedPodMemory | undefined;
      return { now, pod, taints, memory: known?.uid === pod.metadata.uid ? known : undefined };
    },
    plan: planTaintedPod,
  };
}

/** TAINT-1: what is not tolerated goes at once; TAINT-2: what is tolerated for a time, after the shortest; TAINT-3: it may stay after all. */
export function planTaintedPod({ now, pod, taints, memory }: TaintedPodSnapshot): Plan {
  if (pod.metadata.deletionTimestamp !== undefined || isPodFinished(pod)) return NOTHING_TO_DO;
  const uid = pod.metadata.uid!;
  const cancel = memory?.at === undefined ? [] : [note(pod, `Cancelling deletion of Pod ${keyOf(pod)}`)];
  const stay: Plan = cancel.length === 0 ? NOTHING_TO_DO : { actions: cancel, remember: { uid, at: undefined } };
  if (taints.length === 0) return stay;
  const used = taints.map((taint) => pod.spec.tolerations?.find((toleration) => tolerates(toleration, taint)));
  if (used.some((toleration) => toleration === undefined)) return planEviction(pod, now);
  const patienceMs = shortest(used as Toleration[]);
  if (patienceMs === undefined) return stay;
  const at = memory?.at ?? now + patienceMs;
  return at <= now ? planEviction(pod, now) : { actions: [], remember: { uid, at }, requeueAfterMs: at - now };
}

function shortest(tolerations: readonly Toleration[]): number | undefined {
  const times = tolerations.flatMap(({ tolerationSeconds }) => (tolerationSeconds === undefined ? [] : [Math.max(tolerationSeconds, 0) * 1000]));
  return times.length > 0 ? Math.min(...times) : undefined;
}

function note(about: Pod, message: string): Action {
  return { type: 'event', about, note: { type: 'Normal', reason: 'TaintManagerEviction', message }, because: { rule: 'TAINT-3' } };
}

function planEviction(pod: Pod, now: number): Plan {
  const because = { rule: 'TAINT-1' };
  const condition = {
    type: 'DisruptionTarget',
    ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
    status: 'True',
    lastTransitionTime: timestamp(now),
    reason: 'DeletionByTaintManager',
    message: 'Taint manager: deleting due to NoExecute taint',
  };
  const body = { metadata: { uid: pod.metadata.uid }, status: { conditions: [condition] } };
  const patchType = 'application/strategic-merge-patch+json';
  const mark: Action = { type: 'patch', ...target(Pods, pod), body, patchType, subresource: 'status', ignore: ['NotFound'], because };
  return { actions: [note(pod, `Marking for deletion Pod ${keyOf(pod)}`), mark, { ...deletionOf(Pods, pod), because }] };
}
