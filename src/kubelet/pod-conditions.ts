import type { ContainerStatus, Pod, PodCondition } from '../api/generated/types/core.v1.ts';
import type { PodPhase } from './pod-phase.ts';

type Verdict = Pick<PodCondition, 'status' | 'reason' | 'message'>;

const isTrue: Verdict = { status: 'True' };
const isFalse = (reason: string, message?: string): Verdict => ({ status: 'False', reason, ...(message === undefined ? {} : { message }) });

const list = (names: readonly string[]): string => `[${names.join(' ')}]`;

function messageOf(parts: readonly [words: string, names: readonly string[]][]): string {
  return parts
    .filter(([, names]) => names.length > 0)
    .map(([words, names]) => `containers with ${words} status: ${list(names)}`)
    .join(', ');
}

type Statuses = ReadonlyMap<string, ContainerStatus>;

function initialized({ spec }: Pod, statuses: Statuses, phase: PodPhase): Verdict {
  const unknown: string[] = [];
  const incomplete: string[] = [];
  for (const container of spec.initContainers ?? []) {
    const status = statuses.get(container.name);
    if (!status) unknown.push(container.name);
    else if (container.restartPolicy === 'Always' ? !status.started : !status.ready) incomplete.push(container.name);
  }
  if (phase === 'Succeeded' && unknown.length === 0) return { status: 'True', reason: 'PodCompleted' };
  const begun = (spec.containers ?? []).some((container) => {
    const status = statuses.get(container.name);
    return status?.state?.running || status?.state?.terminated || status?.lastState?.terminated;
  });
  if (begun) return isTrue;
  const message = messageOf([
    ['unknown', unknown],
    ['incomplete', incomplete],
  ]);
  return message ? isFalse('ContainersNotInitialized', message) : isTrue;
}

function containersReady({ spec }: Pod, statuses: Statuses, phase: PodPhase): Verdict {
  const unknown: string[] = [];
  const unready: string[] = [];
  const sidecars = (spec.initContainers ?? []).filter((container) => container.restartPolicy === 'Always');
  for (const { name } of [...sidecars, ...(spec.containers ?? [])]) {
    const status = statuses.get(name);
    if (!status) unknown.push(name);
    else if (!status.ready) unready.push(name);
  }
  if (phase === 'Succeeded' && unknown.length === 0) return isFalse('PodCompleted');
  if (phase === 'Failed') return isFalse('PodFailed');
  const message = messageOf([
    ['unknown', unknown],
    ['unready', unready],
  ]);
  return message ? isFalse('ContainersNotReady', message) : isTrue;
}

function ready(pod: Pod, containers: Verdict): Verdict {
  if (containers.status !== 'True') return containers;
  const faults: string[] = [];
  for (const { conditionType } of pod.spec.readinessGates ?? []) {
    const condition = pod.status.conditions?.find((c) => c.type === conditionType);
    if (!condition) faults.push(`corresponding condition of pod readiness gate "${conditionType}" does not exist.`);
    else if (condition.status !== 'True') faults.push(`the status of pod readiness gate "${conditionType}" is not "True", but ${condition.status}`);
  }
  return faults.length ? isFalse('ReadinessGatesNotReady', faults.join(', ')) : isTrue;
}

/**
 * The conditions that the kubelet keeps (upstream: pkg/kubelet/status/generate.go), with the times of those that have
 * not changed.
 */
export function podConditions(pod: Pod, statuses: readonly ContainerStatus[], given: { phase: PodPhase; sandboxReady: boolean; now: string }): PodCondition[] {
  const byName = new Map(statuses.map((status) => [status.name, status]));
  const containers = containersReady(pod, byName, given.phase);
  const verdicts: [type: string, verdict: Verdict][] = [
    ['PodReadyToStartContainers', { status: given.sandboxReady ? 'True' : 'False' }],
    ['Initialized', initialized(pod, byName, given.phase)],
    ['Ready', ready(pod, containers)],
    ['ContainersReady', containers],
    ['PodScheduled', isTrue],
  ];
  return verdicts.map(([type, verdict]) => {
    const old = pod.status.conditions?.find((c) => c.type === type);
    const since = old?.status === verdict.status ? old.lastTransitionTime : undefined;
    return {
      type,
      ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
      ...verdict,
      lastProbeTime: null as unknown as string,
      lastTransitionTime: since ?? given.now,
    };
  });
}
