import type { Container } from '../../api/generated/types/core.v1.ts';
import type { EventNote } from '../../client/event-recorder.ts';
import type { ContainerStatus, PodSandbox } from '../../runtime/runtime.ts';
import type { Cause } from './pod-life.ts';

/** The rule of SPEC.md that asks for an action, and the facts that it was applied to. */
export interface Because {
  rule: `KUB-${number}`;
  [fact: string]: string | number | boolean | undefined;
}

/** What the API server is to be told. The writer adds what has changed until it writes: what others have written, what probes
 * have found, what containers wait for, and the time. */
export type StatusReport =
  /** This node does not take the pod. */
  | { of: 'refusal'; cause: Cause }
  | {
      of: 'containers';
      sandbox: PodSandbox | undefined;
      /** Oldest first. */
      runs: readonly ContainerStatus[];
      /** Everything has been stopped, nothing will run again. */
      over: boolean;
      failure: Cause | undefined;
    };

export type StartContainer = { type: 'startContainer'; container: Container; attempt: number; finishedAt: number | undefined };
export type StopContainer = { type: 'stopContainer'; id: string; container: Container; message: string; graceMs: number; restart: boolean };

/** One thing to do, as plain data. */
export type PodAction = { because: Because } & (
  | { type: 'refreshNode' }
  | { type: 'createSandbox'; attempt: number }
  | StartContainer
  /** Of a container that the kubelet has not started itself, or not in this life. */
  | { type: 'startProbes'; container: Container; id: string; startedAt: number }
  | { type: 'stopProbes'; id: string }
  | StopContainer
  /** Independent of each other: side by side. */
  | { type: 'stopTogether'; stops: readonly StopContainer[] }
  /** Beside the stop that is under way: SIGKILL comes sooner. */
  | { type: 'hurryContainer'; id: string; graceMs: number }
  /** Of one that runs, to what its spec says now. */
  | { type: 'resizeContainer'; id: string; container: Container }
  | { type: 'removeContainer'; id: string }
  | { type: 'stopPodSandbox'; id: string }
  | { type: 'removePodSandbox'; id: string }
  | { type: 'tellEvent'; note: EventNote }
  /** Written after `afterMs`, unless another report comes first. */
  | { type: 'reportStatus'; report: StatusReport; afterMs: number }
  /** Waits for the kubelet's next look at its containers. */
  | { type: 'awaitRelist' }
  /** What is under way has been overtaken: what it waits for is given up, and what was to follow is left out. */
  | { type: 'interrupt' }
  /** The API server is asked to drop the pod. */
  | { type: 'deletePod' }
  /** Nothing is left of the pod; the kubelet forgets it. */
  | { type: 'forgetPod' }
);
