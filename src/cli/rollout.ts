import type { Deployment } from '../api/generated/types/apps.v1.ts';
import type { Pod } from '../api/generated/types/core.v1.ts';
import { selectorFrom } from '../api/labels.ts';
import { Deployments, Pods } from '../api/resources.ts';
import type { Client } from '../client/client.ts';

export interface RolloutState {
  name: string;
  desired: number;
  ready: number;
  /** In kubectl's words. */
  text: string;
  done: boolean;
  failed: boolean;
}

/** How far a Deployment's rollout is (kubectl: polymorphichelpers/rollout_status.go). */
export function rolloutState({ metadata, spec, status }: Deployment): RolloutState {
  const desired = spec.replicas ?? 1;
  const { updatedReplicas: updated = 0, replicas: total = 0, availableReplicas: available = 0 } = status;
  const name = metadata.name!;
  const state = (text: string, ending: { done?: boolean; failed?: boolean } = {}): RolloutState => ({
    name,
    desired,
    ready: Math.min(available, updated),
    text,
    done: ending.done ?? false,
    failed: ending.failed ?? false,
  });
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0)) return state('waiting for the rollout to begin');
  const progressing = status.conditions?.find((c) => c.type === 'Progressing');
  if (progressing?.reason === 'ProgressDeadlineExceeded') return state('exceeded its progress deadline', { failed: true });
  if (updated < desired) return state(`${updated} of ${desired} new replicas have been updated`);
  if (total > updated) return state(`${total - updated} old replicas are pending termination`);
  if (available < updated) return state(`${available} of ${updated} updated replicas are available`);
  return state('successfully rolled out', { done: true });
}

/**
 * Follows the Deployments given until every rollout has ended or time is up.
 *
 * @param show is told of every change.
 * @param timeUp aborts the wait.
 * @returns why the rollout is not complete; undefined when it is.
 */
export async function followRollouts(
  client: Client,
  targets: readonly { namespace: string; name: string }[],
  show: (states: RolloutState[]) => void,
  timeUp: AbortSignal,
): Promise<string | undefined> {
  const states = new Map<string, RolloutState>();
  const stop = new AbortController();
  timeUp.addEventListener('abort', () => stop.abort(), { once: true });
  await Promise.all(
    targets.map(async ({ namespace, name }) => {
      const watch = await client.resource(Deployments).watch({ namespace, fieldSelector: `metadata.name=${name}`, signal: stop.signal });
      for await (const { type, object } of watch) {
        if (type !== 'ADDED' && type !== 'MODIFIED') continue;
        const state = rolloutState(object);
        states.set(`${namespace}/${name}`, state);
        show([...states.values()]);
        if (state.done || state.failed) return;
      }
    }),
  );
  const open = targets.filter(({ namespace, name }) => !states.get(`${namespace}/${name}`)?.done);
  if (open.length === 0) return undefined;
  const reasons = await Promise.all(open.map(({ namespace, name }) => explain(client, namespace, name)));
  return reasons.join('\n');
}

/** Why a Deployment is not where it should be: what its pods wait for. */
async function explain(client: Client, namespace: string, name: string): Promise<string> {
  const deployment = await client.resource(Deployments).get(namespace, name);
  const { text, failed } = rolloutState(deployment);
  const selector = selectorFrom(deployment.spec.selector);
  const pods = (await client.resource(Pods).list({ namespace, labelSelector: selector.toString() })).items;
  const causes = [...new Set(pods.map(troubleOf).filter((cause) => cause !== undefined))];
  const failure = deployment.status.conditions?.find((c) => c.type === 'ReplicaFailure' && c.status === 'True');
  if (failure?.message) causes.push(failure.message);
  return `deployment ${JSON.stringify(name)} ${failed ? text : `is not complete: ${text}`}${causes.length ? `\n${causes.map((cause) => `  ${cause}`).join('\n')}` : ''}`;
}

function troubleOf({ metadata, status }: Pod): string | undefined {
  const unscheduled = status.conditions?.find((c) => c.type === 'PodScheduled' && c.status === 'False');
  if (unscheduled) return `pod ${metadata.name}: ${unscheduled.reason}: ${unscheduled.message}`;
  for (const { name, state, lastState, ready } of status.containerStatuses ?? []) {
    if (state?.waiting?.reason)
      return `pod ${metadata.name}, container ${name}: ${state.waiting.reason}${state.waiting.message ? `: ${state.waiting.message}` : ''}`;
    if (lastState?.terminated)
      return `pod ${metadata.name}, container ${name}: exited with code ${lastState.terminated.exitCode} (${lastState.terminated.reason})`;
    if (!ready) return `pod ${metadata.name}, container ${name}: running, but not ready`;
  }
  return undefined;
}
