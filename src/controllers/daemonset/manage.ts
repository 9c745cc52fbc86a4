import type { Node, Pod, PodTemplateSpec } from '../../api/generated/types/core.v1.ts';
import type { Draft } from '../../api/object.ts';
import { DaemonSets } from '../../api/resources.ts';
import { podCreation, podDeletion, podFromTemplate } from '../pod-control.ts';
import { isPodAvailable, isPodReady } from '../pod-state.ts';
import { type Action, type Because, inParallel } from '../runtime/plan.ts';
import { affinityForNode, allowsSurge, daemonTolerations } from './nodes.ts';
import { bySeniority, type DaemonSetMemory, fitOn, GENERATION_LABEL, hashOf, REVISION_HASH, type Rollout, templateGeneration } from './rollout.ts';

/** At most so many pods are created, and as many deleted, at once. */
const BURST = 250;
const FAILED_WAIT_MS = 1000;
const MAX_FAILED_WAIT_MS = 15 * 60_000;

/** What the nodes want: pods on some, fewer on others. */
export interface Changes {
  create: string[];
  remove: Pod[];
  events: Action[];
  memory: DaemonSetMemory;
  /** A failed pod waits for its turn until then. */
  requeueAfterMs: number | undefined;
}

/** Upstream: manage, podsShouldBeOnNode, getUnscheduledPodsWithoutNode. */
export function changesOf(rollout: Rollout): Changes {
  const { snapshot, podsByNode } = rollout;
  const changes: Changes = { create: [], remove: [], events: [], memory: snapshot.memory, requeueAfterMs: undefined };
  for (const node of snapshot.nodes) visit(rollout, node, changes);
  const known = new Set(snapshot.nodes.map(({ metadata }) => metadata.name!));
  for (const [name, pods] of podsByNode) if (!known.has(name)) changes.remove.push(...pods.filter(({ spec }) => !spec.nodeName));
  return changes;
}

function visit(rollout: Rollout, node: Node, changes: Changes): void {
  const name = node.metadata.name!;
  const { run, stay } = fitOn(rollout, node);
  const pods = rollout.podsByNode.get(name);
  if (run && !pods) changes.create.push(name);
  else if (stay) visitStaying(rollout, { name, run, pods: pods ?? [] }, changes);
  else if (pods) changes.remove.push(...pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined));
}

function visitStaying(rollout: Rollout, { name, run, pods }: { name: string; run: boolean; pods: readonly Pod[] }, changes: Changes): void {
  const running: Pod[] = [];
  for (const pod of pods) {
    if (pod.metadata.deletionTimestamp !== undefined) continue;
    if (pod.status.phase === 'Failed') removeFailed(rollout, name, pod, changes);
    else if (pod.status.phase === 'Succeeded') {
      changes.events.push(told(rollout, 'Normal', 'SucceededDaemonPod', `Found succeeded daemon pod ${nameOf(pod)} on node ${name}, will try to delete it`));
      changes.remove.push(pod);
    } else running.push(pod);
  }
  running.sort(bySeniority);
  if (!allowsSurge(rollout.daemonSet)) changes.remove.push(...running.slice(1));
  else if (running.length > 1) changes.remove.push(...beyondSurge(rollout, running));
  else if (running.length === 0 && run) changes.create.push(name);
}

/** A failed pod goes at once, the next one of the same node after a while that doubles, up to 15 minutes. */
function removeFailed({ snapshot, daemonSet }: Rollout, node: string, pod: Pod, changes: Changes): void {
  const key = `${daemonSet.metadata.uid}/${daemonSet.status?.observedGeneration ?? 0}/${node}`;
  const wait = changes.memory[key];
  const stale = wait && snapshot.now - wait.lastAt > 2 * MAX_FAILED_WAIT_MS;
  if (wait && !stale && snapshot.now - wait.lastAt < wait.delayMs) {
    changes.requeueAfterMs = Math.min(changes.requeueAfterMs ?? Number.POSITIVE_INFINITY, wait.delayMs);
    return;
  }
  const delayMs = wait && !stale ? Math.min(2 * wait.delayMs, MAX_FAILED_WAIT_MS) : FAILED_WAIT_MS;
  changes.memory = { ...changes.memory, [key]: { lastAt: snapshot.now, delayMs } };
  const message = `Found failed daemon pod ${nameOf(pod)} on node ${node}, will try to kill it`;
  changes.events.push({ type: 'event', about: daemonSet, note: { type: 'Warning', reason: 'FailedDaemonPod', message }, because: { rule: 'DS-13' } });
  changes.remove.push(pod);
}

/** Of several pods on a node at most an old and a new one stay: the old one while it is ready and the new one is not available. */
function beyondSurge({ snapshot, daemonSet, current }: Rollout, running: readonly Pod[]): Pod[] {
  const young = running.find((pod) => hashOf(pod) === hashOf(current));
  const old = running.find((pod) => hashOf(pod) !== hashOf(current));
  const removed = running.filter((pod) => pod !== young && pod !== old);
  const replaced = old && young && (!isPodReady(old) || isPodAvailable(young, daemonSet.spec.minReadySeconds ?? 0, snapshot.now));
  return replaced ? [...removed, old] : removed;
}

function told({ daemonSet }: Rollout, type: 'Normal' | 'Warning', reason: string, message: string): Action {
  return { type: 'event', about: daemonSet, note: { type, reason, message }, because: { rule: 'DS-14' } };
}

function nameOf({ metadata }: Pod): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** Creations, more and more side by side; then deletions. Upstream: syncNodes. */
export function syncNodes(rollout: Rollout, { create, remove }: { create: readonly string[]; remove: readonly Pod[] }, because: Because): Action[] {
  const owner = { object: rollout.daemonSet, resource: DaemonSets };
  const template = daemonTemplate(rollout);
  const creations = create.slice(0, BURST).map((node) => podCreation(owner, podForNode(template, rollout, node), because));
  const deletions = remove.slice(0, BURST).map((pod) => podDeletion(rollout.daemonSet, pod, because));
  const created: Action[] = creations.length > 0 ? [{ type: 'batch', slowStart: true, actions: creations }] : [];
  return [...created, ...inParallel(deletions)];
}

/** Upstream: util.CreatePodTemplate. */
function daemonTemplate({ daemonSet, current }: Rollout): PodTemplateSpec {
  const { metadata, spec } = daemonSet.spec.template;
  const generation = templateGeneration(daemonSet);
  const hash = hashOf(current);
  const labels = { ...metadata.labels, ...(generation === undefined ? {} : { [GENERATION_LABEL]: generation }), ...(hash ? { [REVISION_HASH]: hash } : {}) };
  return { metadata: { ...metadata, labels }, spec: { ...spec, tolerations: daemonTolerations(spec) } };
}

function podForNode(template: PodTemplateSpec, { daemonSet }: Rollout, node: string): Draft<Pod> {
  const spec = { ...template.spec, affinity: affinityForNode(template.spec.affinity, node) };
  return podFromTemplate({ ...template, spec }, { object: daemonSet, resource: DaemonSets });
}
