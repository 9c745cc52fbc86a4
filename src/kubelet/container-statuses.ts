import type { ContainerStatus as ApiStatus, Container, ContainerState, ContainerStateTerminated } from '../api/generated/types/core.v1.ts';
import { timestamp } from '../lib/clock.ts';
import type { ContainerStatus } from '../runtime/runtime.ts';
import type { Cause } from './plan/pod-life.ts';
import type { ProbeFindings } from './plan/state.ts';

/** The runs of one container: the latest, and the one before it. */
export interface Runs {
  current: ContainerStatus | undefined;
  previous: ContainerStatus | undefined;
}

export interface ContainerFacts {
  runs: Runs;
  probes: ProbeFindings | undefined;
  /** Why it is not running; overrides what its latest run says. */
  waiting: Cause | undefined;
  init: boolean;
  podHasInitContainers: boolean;
  runtimeName: string;
}

function terminated(run: ContainerStatus, runtimeName: string): ContainerStateTerminated {
  return {
    exitCode: run.exitCode,
    ...(run.reason ? { reason: run.reason } : {}),
    ...(run.message ? { message: run.message } : {}),
    startedAt: run.startedAt ? timestamp(run.startedAt) : timestamp(run.createdAt),
    finishedAt: timestamp(run.finishedAt),
    containerID: `${runtimeName}://${run.id}`,
  };
}

function stateOf({ runs, waiting, podHasInitContainers, runtimeName }: ContainerFacts): ContainerState {
  const { current } = runs;
  if (waiting) return { waiting: { reason: waiting.reason, ...(waiting.message ? { message: waiting.message } : {}) } };
  if (current?.state === 'running') return { running: { startedAt: timestamp(current.startedAt) } };
  if (current?.state === 'exited') return { terminated: terminated(current, runtimeName) };
  return { waiting: { reason: podHasInitContainers ? 'PodInitializing' : 'ContainerCreating' } };
}

/** One entry of status.containerStatuses or initContainerStatuses (upstream: kubelet convertToAPIContainerStatuses). */
export function containerStatus(container: Container, facts: ContainerFacts): ApiStatus {
  const { current, previous } = facts.runs;
  const { runtimeName, init } = facts;
  const sidecar = init && container.restartPolicy === 'Always';
  const state = stateOf(facts);
  const before = facts.waiting && current?.state === 'exited' ? current : previous;
  const running = state.running !== undefined;
  const started = running && (init && !sidecar ? false : (facts.probes?.started ?? false));
  const ready = init && !sidecar ? state.terminated?.exitCode === 0 : running && started && (facts.probes?.ready ?? false);
  const keepsLast = before !== undefined && (!init || sidecar || state.waiting !== undefined);
  return {
    name: container.name,
    state,
    lastState: keepsLast ? { terminated: terminated(before, runtimeName) } : {},
    ready,
    restartCount: current?.metadata.attempt ?? 0,
    image: current?.image ?? container.image ?? '',
    imageID: current?.imageId ?? '',
    ...(current ? { containerID: `${runtimeName}://${current.id}` } : {}),
    started,
    ...resourcesOf(container, state),
    ...(container.volumeMounts?.length
      ? {
          volumeMounts: container.volumeMounts.map(({ name, mountPath, readOnly }) => ({
            name,
            mountPath,
            ...(readOnly ? { readOnly: true, recursiveReadOnly: 'Disabled' } : {}),
          })),
        }
      : {}),
  };
}

/** Of a container that has been made: what it was given (upstream: convertContainerStatusResources). */
function resourcesOf({ resources }: Container, { waiting }: ContainerState): Pick<ApiStatus, 'allocatedResources' | 'resources'> {
  if (waiting) return {};
  const requests = resources?.requests ?? {};
  return { ...(Object.keys(requests).length ? { allocatedResources: requests } : {}), resources: resources ?? {} };
}
