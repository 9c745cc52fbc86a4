import type { Pod } from '../../api/generated/types/core.v1.ts';
import type { Eviction, PodDisruptionBudget } from '../../api/generated/types/policy.v1.ts';
import { selectorFrom } from '../../api/labels.ts';
import type { KubeObject } from '../../api/object.ts';
import { PodDisruptionBudgets } from '../../api/resources.ts';
import { badRequest, notFound, StatusError, tooManyRequests } from '../../api/status.ts';
import { timestamp } from '../../lib/clock.ts';
import type { Registry } from '../registry.ts';
import type { Handlers } from '../served-resource.ts';
import { serverOptions, writeOptions } from '../write/options.ts';
import { type Target, targetOfRequest } from '../write/write.ts';
import { announcedAs } from '../write/write-path.ts';
import type { HandlerParts } from './parts.ts';

/** Pods in these states do not count for any budget. */
const UNGUARDED_PHASES = new Set(['Pending', 'Succeeded', 'Failed']);

/** Deletes a pod if its disruption budget allows one more disruption (pkg/registry/core/pod/storage: EvictionREST). */
export function evictionHandlers(parts: HandlerParts, registry: Registry): Handlers {
  const { storage, writes, bodies } = parts;
  return {
    async create(resource, request) {
      const options = writeOptions('CreateOptions', request);
      const { object } = bodies.decode(request, bodies.targetOfKind('policy/v1', 'Eviction'), options.fieldValidation);
      const eviction = object as unknown as Eviction;
      const target = targetOfRequest(resource, request);
      const { name } = target;
      if (eviction.metadata?.name && eviction.metadata.name !== name) throw badRequest('name in URL does not match name in Eviction object');
      await writes.announce({ ...target, ...announcedAs('CREATE', object, options) }, []);
      const current = await storage.get(resource, target);
      if (!current) throw notFound(resource.facts, name);
      const pod = current.object as Pod;
      const isGuarded = !UNGUARDED_PHASES.has(pod.status.phase ?? '') && !pod.metadata.deletionTimestamp;
      if (isGuarded) await useBudget(parts, registry, target, pod, options.dryRun);
      await writes.delete({ ...target, subresource: '' }, { ...eviction.deleteOptions, ...(options.dryRun ? { dryRun: ['All'] } : {}) });
      return { code: 201, object: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 } as KubeObject };
    },
  };
}

async function useBudget({ storage, writes, clock }: HandlerParts, registry: Registry, target: Target, pod: Pod, dryRun: boolean): Promise<void> {
  const resource = registry.get(PodDisruptionBudgets);
  const all = (await storage.all(resource, target.namespace)) as PodDisruptionBudget[];
  const matching = all.filter((budget) => selectorFrom(budget.spec.selector).matches(pod.metadata.labels));
  if (matching.length > 1)
    throw new StatusError(500, 'InternalError', `This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.`);
  const [budget] = matching;
  if (!budget) return;
  const ready = pod.status.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') ?? false;
  const { currentHealthy, desiredHealthy } = budget.status;
  if (!ready && (budget.spec.unhealthyPodEvictionPolicy === 'AlwaysAllow' || (currentHealthy >= desiredHealthy && desiredHealthy > 0))) return;
  const now = timestamp(clock.now());
  await writes.update({ ...target, resource, name: budget.metadata.name!, subresource: 'status', options: serverOptions({ dryRun }) }, (current) => ({
    object: spend(current as PodDisruptionBudget, pod, now),
  }));
}

function spend(budget: PodDisruptionBudget, pod: Pod, now: string): PodDisruptionBudget {
  const { name } = budget.metadata;
  const { status } = budget;
  const refuse = (why: string, retryAfterSeconds = 0): StatusError =>
    tooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", retryAfterSeconds, [{ reason: 'DisruptionBudget', message: why }]);
  if ((status.observedGeneration ?? 0) < (budget.metadata.generation ?? 0))
    throw refuse(`The disruption budget ${name} is still being processed by the server.`, 10);
  if (status.disruptionsAllowed <= 0) {
    throw refuse(`The disruption budget ${name} needs ${status.desiredHealthy} healthy pods and has ${status.currentHealthy} currently`);
  }
  return {
    ...budget,
    status: {
      ...status,
      disruptionsAllowed: status.disruptionsAllowed - 1,
      disruptedPods: { ...status.disruptedPods, [pod.metadata.name!]: now },
    },
  };
}
