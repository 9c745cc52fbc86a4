import { deepEqual } from '../../api/equality.ts';
import type { ControllerRevision, DaemonSet } from '../../api/generated/types/apps.v1.ts';
import type { Node, Pod } from '../../api/generated/types/core.v1.ts';
import { type Selector, selectorFrom } from '../../api/labels.ts';
import { keyOf } from '../../api/object.ts';
import { ControllerRevisions, DaemonSets, Nodes, Pods } from '../../api/resources.ts';
import type { InformerFactory, Lister } from '../../client/informer.ts';
import { indexByController, indexBySelector, keysOfOwners, type Owners, orphansFor, ownedBy } from '../adoption-index.ts';
import { byKey, type Change, type Controller, watchRule } from '../runtime/controller.ts';
import { fitOf } from './nodes.ts';
import { planDaemonSet } from './plan.ts';
import { type DaemonSetMemory, type DaemonSetSnapshot, podsByNode } from './rollout.ts';

interface Sources {
  daemonSets: Owners<DaemonSet>;
  nodes: Lister<Node>;
  pods: Lister<Pod>;
  revisions: Lister<ControllerRevision>;
}

/** Runs a pod on each node that a DaemonSet wants. Upstream: pkg/controller/daemon. */
export function daemonSetController(informers: InformerFactory): Controller<DaemonSetSnapshot> {
  const daemonSets = indexBySelector(informers.informer(DaemonSets), DaemonSets, selectorOf);
  const pods = informers.informer(Pods);
  const revisions = informers.informer(ControllerRevisions);
  indexByController(pods);
  indexByController(revisions);
  const sources: Sources = { daemonSets, nodes: informers.lister(Nodes), pods: pods.lister, revisions: revisions.lister };
  return {
    name: 'daemonset-controller',
    watches: [
      watchRule(DaemonSets, ({ object }) => [keyOf(object)]),
      watchRule(Pods, (change) => keysOfOwners(daemonSets, change)),
      watchRule(ControllerRevisions, (change) => keysOfOwners(daemonSets, change)),
      watchRule(Nodes, (change) => keysOfNode(change, sources)),
    ],
    expects: { resource: Pods, ownerOf: (key) => byKey(daemonSets.lister, key)?.metadata.uid },
    observe: async (key, { now, expectationsMet, memory }) => {
      const daemonSet = byKey(daemonSets.lister, key);
      if (!daemonSet) return undefined;
      const { namespace = '', uid = '' } = daemonSet.metadata;
      const selector = selectorOf(daemonSet);
      return {
        now,
        daemonSet,
        nodes: sources.nodes.list(),
        pods: [...ownedBy(sources.pods, uid), ...orphansFor(sources.pods, namespace, selector)],
        revisions: [...ownedBy(sources.revisions, uid), ...orphansFor(sources.revisions, namespace, selector)],
        expectationsMet,
        memory: (memory ?? {}) as DaemonSetMemory,
      };
    },
    plan: planDaemonSet,
  };
}

function selectorOf({ spec }: DaemonSet): Selector {
  return selectorFrom(spec.selector);
}

/** A node with other labels or taints concerns those that should be on it and are not, or are and should not be. Upstream: syncNodeUpdate. */
function keysOfNode({ type, object: node, old }: Change<Node>, { daemonSets, pods }: Sources): string[] {
  if (type === 'deleted') return [];
  if (old && deepEqual(old.metadata.labels, node.metadata.labels) && deepEqual(old.spec.taints, node.spec.taints)) return [];
  return daemonSets.lister.list().flatMap((daemonSet) => {
    const { run, stay } = fitOf(daemonSet.spec.template, node);
    const isThere = podsByNode(ownedBy(pods, daemonSet.metadata.uid!)).has(node.metadata.name!);
    const miscounted = isThere && (daemonSet.status?.numberMisscheduled ?? 0) > 0;
    return (run && !isThere) || (!stay && isThere) || miscounted ? [keyOf(daemonSet)] : [];
  });
}
