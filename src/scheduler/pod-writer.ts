import type { Pod } from '../api/generated/types/core.v1.ts';
import { type Draft, type KubeObject, keyOf } from '../api/object.ts';
import { hasReason } from '../api/status.ts';
import type { ResourceClient } from '../client/client.ts';
import type { EventRecorder } from '../client/event-recorder.ts';
import { type Clock, timestamp } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';

/** What became of a binding: `refused` for good, as long as nothing changes; `failed`, and may go well the next time. */
export type BindingOutcome = { type: 'bound' } | { type: 'failed' } | { type: 'refused'; message: string };

/** Why a pod has no node yet, as its condition and event say. */
export interface Unscheduled {
  /** `Unschedulable`: no node takes it; `SchedulerError`: something went wrong. */
  reason: 'Unschedulable' | 'SchedulerError';
  message: string;
  /** Where room is being made for it. */
  nominatedNodeName?: string | undefined;
}

/** Answers that say the same however often they are asked for. */
const REFUSALS = ['Invalid', 'Forbidden', 'BadRequest'];

/** Writes what the scheduler has decided. Never rejects: what fails is an outcome, or logged. */
export class PodWriter {
  readonly #pods: ResourceClient<Pod>;
  readonly #recorder: EventRecorder;
  readonly #clock: Clock;
  readonly #log: Log;

  constructor({ pods, recorder, clock, log }: { pods: ResourceClient<Pod>; recorder: EventRecorder; clock: Clock; log: Log }) {
    this.#pods = pods;
    this.#recorder = recorder;
    this.#clock = clock;
    this.#log = log;
  }

  async bind(pod: Pod, node: string): Promise<BindingOutcome> {
    const { namespace = '', name = '', uid = '' } = pod.metadata;
    const binding: Draft<KubeObject> & { target: object } = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name, namespace, uid },
      target: { kind: 'Node', name: node },
    };
    try {
      await this.#pods.createSubresource(namespace, name, 'binding', binding);
    } catch (error) {
      this.#logUnlessGone('binding failed', pod, error);
      const refused = REFUSALS.some((reason) => hasReason(error, reason));
      return refused ? { type: 'refused', message: `running Bind plugin "DefaultBinder": ${messageOf(error)}` } : { type: 'failed' };
    }
    this.#recorder.event(pod, { type: 'Normal', reason: 'Scheduled', message: `Successfully assigned ${namespace}/${name} to ${node}` });
    return { type: 'bound' };
  }

  /** Deletes a pod that has to make room. */
  async evict(victim: Pod, { preemptor, node }: { preemptor: Pod; node: string }): Promise<void> {
    const { namespace = '', name = '', uid = '' } = victim.metadata;
    try {
      await this.#pods.delete(namespace, name, { uid });
    } catch (error) {
      this.#logUnlessGone('victim not deleted', victim, error);
      return;
    }
    this.#recorder.event(victim, { type: 'Normal', reason: 'Preempted', message: `Preempted by pod ${preemptor.metadata.uid} on node ${node}` });
  }

  /** Takes back that room is being made for the pod. */
  async clearNomination(pod: Pod): Promise<void> {
    const { namespace = '', name = '', uid } = pod.metadata;
    const patch = { metadata: { uid }, status: { nominatedNodeName: null } };
    try {
      await this.#pods.patch(namespace, name, patch, 'application/strategic-merge-patch+json', { subresource: 'status' });
    } catch (error) {
      this.#logUnlessGone('nomination not taken back', pod, error);
    }
  }

  /** Tells why the pod has no node: an event each time, and the condition where it says something new. */
  async tellUnscheduled(pod: Pod, { reason, message, nominatedNodeName }: Unscheduled): Promise<void> {
    this.#recorder.event(pod, { type: 'Warning', reason: 'FailedScheduling', message });
    const old = pod.status.conditions?.find(({ type }) => type === 'PodScheduled');
    if (old?.status === 'False' && old.reason === reason && old.message === message && nominatedNodeName === undefined) return;
    const now = timestamp(this.#clock.now());
    const condition = {
      type: 'PodScheduled',
      ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
      status: 'False',
      lastTransitionTime: old?.status === 'False' ? (old.lastTransitionTime ?? now) : now,
      reason,
      message,
    };
    const { namespace = '', name = '', uid } = pod.metadata;
    const patch = { metadata: { uid }, status: { ...(nominatedNodeName === undefined ? {} : { nominatedNodeName }), conditions: [condition] } };
    try {
      await this.#pods.patch(namespace, name, patch, 'application/strategic-merge-patch+json', { subresource: 'status' });
    } catch (error) {
      this.#logUnlessGone('condition not written', pod, error);
    }
  }

  #logUnlessGone(what: string, pod: Pod, error: unknown): void {
    if (!hasReason(error, 'NotFound') && !hasReason(error, 'Conflict')) this.#log.info(what, { pod: keyOf(pod), error: messageOf(error) });
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
