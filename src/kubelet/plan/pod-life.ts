/** A reason in one word, and a sentence that explains it, as statuses and events have them. */
export interface Cause {
  reason: string;
  message: string;
}

/** Why a pod ends: this node refuses it, it has gone from the API server, …, nothing of it is left to run. */
export type EndReason = 'refused' | 'removed' | 'deleted' | 'deadlineExceeded' | 'evicted' | 'declaredOver' | 'completed';

export interface End {
  reason: EndReason;
  /** What the pod's status says of it, where its containers do not tell. */
  failure: Cause | undefined;
}

/** Where a pod stands on its node, from its binding to its end. Times are milliseconds since the epoch. */
export type PodLife =
  /** Bound to this node, and not taken yet. */
  | { phase: 'pending'; nodeIsFresh: boolean }
  | { phase: 'running' }
  /** What runs of it is being stopped: for good at `since + graceMs`. */
  | ({ phase: 'terminating'; since: number; graceMs: number } & End)
  /** Nothing runs any more, and its status says so. */
  | ({ phase: 'terminated' } & End)
  /** The API server has been asked to drop it; its traces stay until it has. */
  | { phase: 'finished' };

export type Terminating = Extract<PodLife, { phase: 'terminating' }>;
