import type { Node, Pod } from '../../api/generated/types/core.v1.ts';
import type { ContainerStatus, PodSandbox } from '../../runtime/runtime.ts';
import type { Cause, PodLife } from './pod-life.ts';

/** What probes have found of one run of a container. */
export interface ProbeFindings {
  /** Undefined: not known yet. Without a startup probe: true. */
  started: boolean | undefined;
  ready: boolean;
  /** The probe that has failed for good, if any. */
  failed: 'liveness' | 'startup' | undefined;
}

/** Why a container could not be started, and until when that is not tried again. */
export interface StartFailure extends Cause {
  /** What the event says in place of the reason, where the two are apart. */
  told?: string;
  retryAt: number;
}

/** How often in a row the sandbox could not be made ready, and until when that is not tried again. */
export interface SandboxFailure {
  attempts: number;
  retryAt: number;
}

/** What the worker remembers of its pod, because neither the runtime nor the API server can be asked for it. */
export interface PodMemory {
  life: PodLife;
  sandboxFailure: SandboxFailure | undefined;
  /** By container name. */
  startFailures: ReadonlyMap<string, StartFailure>;
  /** Ids of containers that were stopped in order to be started again, whatever the restart policy says. */
  restarting: ReadonlySet<string>;
  /** Grace periods in milliseconds of the containers that are being stopped, by id. */
  stopping: ReadonlyMap<string, number>;
  /** What containers waited for when the last plan was made, by name. */
  waiting: ReadonlyMap<string, Cause>;
  /** What running containers have been resized to (resourcesText), by id. */
  resized: ReadonlyMap<string, string>;
  /** Nothing has been reported since something last happened. */
  unreported: boolean;
  /** A container has been started since the kubelet last looked. */
  unseenStart: boolean;
  /** Something has failed: nothing is tried before this. */
  retryAt: number;
  /** A report has failed: none is tried before this. */
  reportRetryAt: number;
}

/** A life that begins. */
export const newborn: PodMemory = {
  life: { phase: 'pending', nodeIsFresh: false },
  sandboxFailure: undefined,
  startFailures: new Map(),
  restarting: new Set(),
  stopping: new Map(),
  waiting: new Map(),
  resized: new Map(),
  unreported: true,
  unseenStart: false,
  retryAt: 0,
  reportRetryAt: 0,
};

/** All that a plan is made from. Times are milliseconds since the epoch. */
export interface PodState extends PodMemory {
  pod: Pod;
  /** The pod has gone from the API server. */
  removed: boolean;
  /** Why the node cannot keep the pod any longer. */
  eviction: Cause | undefined;
  seenAt: number;
  now: number;
  /** Actions are being carried out: only what cannot wait for them is planned. */
  underWay: boolean;
  node: Node;
  /** The other pods that the node has taken and that are not over. */
  others(): readonly Pod[];
  /** Oldest first. */
  sandboxes: readonly PodSandbox[];
  /** Runs of containers, oldest first. */
  runs: readonly ContainerStatus[];
  /** By the id of the run. */
  probes: ReadonlyMap<string, ProbeFindings>;
  /** The crash-loop delay of a container that finished at the time given. */
  crashDelay(container: string, finishedAt: number): number | undefined;
}

export const sandboxOf = ({ sandboxes }: PodState): PodSandbox | undefined => sandboxes.at(-1);

/** The latest run of a container. */
export const runOf = ({ runs }: PodState, { name }: { name: string }): ContainerStatus | undefined => runs.findLast((run) => run.metadata.name === name);
