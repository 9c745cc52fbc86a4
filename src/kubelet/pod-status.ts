import type { ContainerStatus as ApiStatus, Container, Pod, PodStatus } from '../api/generated/types/core.v1.ts';
import { timestamp } from '../lib/clock.ts';
import type { ContainerStatus, PodSandbox } from '../runtime/runtime.ts';
import { containerStatus } from './container-statuses.ts';
import type { Cause } from './plan/pod-life.ts';
import type { ProbeFindings } from './plan/state.ts';
import { podConditions } from './pod-conditions.ts';
import { type PodPhase, podPhase } from './pod-phase.ts';

/** All that the status of a pod is made of. */
export interface PodFacts {
  pod: Pod;
  sandbox: PodSandbox | undefined;
  /** All runs that the runtime still knows, oldest first. */
  runs: readonly ContainerStatus[];
  probes: ReadonlyMap<string, ProbeFindings>;
  waiting: ReadonlyMap<string, Cause>;
  /** Everything has been stopped, nothing will run again. */
  over: boolean;
  /** Why the pod as a whole has failed, where its containers do not tell. */
  failure: Cause | undefined;
  runtimeName: string;
  hostIP: string;
  startedAt: number;
  now: number;
}

/** The pod's status as the kubelet sees it, with what others have written kept (upstream: generateAPIPodStatus). Pure. */
export function podStatus(facts: PodFacts): PodStatus {
  const { pod, sandbox, hostIP } = facts;
  const old = pod.status;
  const podHasInitContainers = (pod.spec.initContainers ?? []).length > 0;
  const statuses = (containers: readonly Container[] | undefined, init: boolean): ApiStatus[] =>
    (containers ?? []).map((container) => {
      const runs = facts.runs.filter((run) => run.metadata.name === container.name);
      const current = runs.at(-1);
      return containerStatus(container, {
        runs: { current, previous: runs.at(-2) },
        probes: current && facts.probes.get(current.id),
        waiting: facts.waiting.get(container.name),
        init,
        podHasInitContainers,
        runtimeName: facts.runtimeName,
      });
    });
  const initContainerStatuses = statuses(pod.spec.initContainers, true);
  const containerStatuses = statuses(pod.spec.containers, false);
  // They have no probes, and nobody says that they are ready (upstream: the prober passes over them).
  const ephemeralContainerStatuses = statuses(pod.spec.ephemeralContainers as Container[] | undefined, false).map(({ started: _, ...status }) => ({
    ...status,
    ready: false,
  }));
  const all = [...initContainerStatuses, ...containerStatuses];
  const phase: PodPhase = facts.failure ? 'Failed' : (settledPhase(old) ?? podPhase(pod.spec, all, { over: facts.over }));
  const sandboxReady = sandbox?.state === 'ready' && (pod.spec.hostNetwork === true || sandbox.ips.length > 0);
  const podIPs = sandbox && pod.spec.hostNetwork ? [hostIP] : sandbox?.ips.length ? sandbox.ips : (old.podIPs ?? []).map(({ ip }) => ip);
  const conditions = podConditions(pod, all, { phase, sandboxReady, now: timestamp(facts.now) });
  const foreign = (old.conditions ?? []).filter((c) => !conditions.some(({ type }) => type === c.type));
  return {
    ...(old.nominatedNodeName ? { nominatedNodeName: old.nominatedNodeName } : {}),
    ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
    phase,
    ...(facts.failure ?? verdictOf(old)),
    conditions: [...conditions, ...foreign],
    hostIP,
    hostIPs: [{ ip: hostIP }],
    ...(podIPs[0] ? { podIP: podIPs[0], podIPs: podIPs.map((ip) => ({ ip })) } : {}),
    startTime: old.startTime ?? timestamp(facts.startedAt),
    ...(initContainerStatuses.length ? { initContainerStatuses } : {}),
    containerStatuses,
    ...(ephemeralContainerStatuses.length ? { ephemeralContainerStatuses } : {}),
    ...(old.qosClass ? { qosClass: old.qosClass } : {}),
  };
}

/** What somebody else has said of a pod that is over stays. */
function verdictOf({ phase, reason, message }: PodStatus): Pick<PodStatus, 'reason' | 'message'> {
  if (phase !== 'Succeeded' && phase !== 'Failed') return {};
  return { ...(reason === undefined ? {} : { reason }), ...(message === undefined ? {} : { message }) };
}

const settledPhase = ({ phase }: PodStatus): PodPhase | undefined => (phase === 'Succeeded' || phase === 'Failed' ? phase : undefined);
