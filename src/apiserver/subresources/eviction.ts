import type { Pod } from '../../api/generated/types/core.v1.ts';
import type { Eviction, PodDisruptionBudget } from '../../api/generated/types/policy.v1.ts';
import { selectorFrom } from '../../api/labels.ts';
import type { KubeObject } from '../../api/object.ts';
import type { ApiRequest, ApiResponse } from '../../api/request.ts';
import { badRequest, notFound, StatusError, tooManyRequests } from '../../api/status.ts';
import { timestamp } from '../../lib/clock.ts';
import { type ApiContext, read, readAll } from '../context.ts';
import { decodeBody, writeOptions } from '../operation.ts';
import type { ServedResource } from '../registry.ts';
import { removeObject } from '../verbs/delete.ts';
import { modify } from '../verbs/update.ts';

const EVICTION = { schemaId: 'io.k8s.api.policy.v1.Eviction', kind: 'Eviction', apiVersion: 'policy/v1' };
/** Pods in these states do not count for any budget. */
const UNGUARDED_PHASES = new Set(['Pending', 'Succeeded', 'Failed']);

/** Deletes a pod if its disruption budget allows one more disruption (pkg/registry/core/pod/storage: EvictionREST). */
export async function evict(context: ApiContext, resource: ServedResource, request: ApiRequest): Promise<ApiResponse> {
  const options = writeOptions('CreateOptions', request);
  const eviction = decodeBody(request, EVICTION, options.fieldValidation, []) as unknown as Eviction;
  const name = request.name!;
  if (eviction.metadata?.name && eviction.metadata.name !== name) throw badRequest('name in URL does not match name in Eviction object');
  const current = await read(context, resource, request.namespace ?? '', name);
  if (!current) throw notFound(resource.facts, name);
  const pod = current.object as Pod;
  const deleteOptions = { ...eviction.deleteOptions, ...(options.dryRun ? { dryRun: ['All'] } : {}) };
  if (!UNGUARDED_PHASES.has(pod.status.phase ?? '') && !pod.metadata.deletionTimestamp) await useBudget(context, request, pod, options.dryRun);
  await removeObject(context, resource, request, name, deleteOptions);
  return { code: 201, object: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 } as KubeObject };
}

async function useBudget(context: ApiContext, request: ApiRequest, pod: Pod, dryRun: boolean): Promise<void> {
  const budgets = context.registry.find({ group: 'policy', version: 'v1', resource: 'poddisruptionbudgets' })!;
  const all = (await readAll(context, budgets, request.namespace ?? '')) as PodDisruptionBudget[];
  const matching = all.filter((budget) => selectorFrom(budget.spec.selector).matches(pod.metadata.labels));
  if (matching.length > 1)
    throw new StatusError(500, 'InternalError', `This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.`);
  const [budget] = matching;
  if (!budget) return;
  const ready = pod.status.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') ?? false;
  if (
    !ready &&
    (budget.spec.unhealthyPodEvictionPolicy === 'AlwaysAllow' ||
      (budget.status.currentHealthy >= budget.status.desiredHealthy && budget.status.desiredHealthy > 0))
  )
    return;
  const change = (object: KubeObject): KubeObject => spend(object as PodDisruptionBudget, pod, context);
  const options = { dryRun, fieldValidation: 'Ignore' as const, fieldManager: 'kube-apiserver', force: false };
  await modify(
    context,
    budgets,
    { ...request, group: 'policy', resource: 'poddisruptionbudgets', name: budget.metadata.name!, subresource: 'status' },
    options,
    [],
    change,
  );
}

function spend(budget: PodDisruptionBudget, pod: Pod, context: ApiContext): KubeObject {
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
      disruptedPods: { ...status.disruptedPods, [pod.metadata.name!]: timestamp(context.clock.now()) },
    },
  } as KubeObject;
}
