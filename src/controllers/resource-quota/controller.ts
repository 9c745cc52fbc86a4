import { deepEqual } from '../../api/equality.ts';
import type { Pod, ResourceQuota } from '../../api/generated/types/core.v1.ts';
import { type KubeObject, keyOf, qualifiedResource, type Resource } from '../../api/object.ts';
import { canonicalQuantity } from '../../api/quantity.ts';
import { ResourceQuotas } from '../../api/resources.ts';
import { add, podMatchesScope, type Usage, usageOf } from '../../api/usage.ts';
import type { InformerFactory } from '../../client/informer.ts';
import { byKey, type Change, type Controller, watchRule } from '../runtime/controller.ts';
import type { Plan } from '../runtime/plan.ts';
import { type ServedResources, selectResources } from '../runtime/served-resources.ts';

export interface QuotaSnapshot {
  quota: ResourceQuota;
  /** What the namespace holds, of every resource that quotas count. */
  content: readonly { resource: Resource; objects: readonly KubeObject[] }[];
  /** Milliseconds since the epoch. */
  now: number;
}

/**
 * Keeps `status.hard` and `status.used` of every ResourceQuota. (Admission counts what is being created; this controller
 * gives back what is gone.) Upstream: pkg/controller/resourcequota.
 */
export function resourceQuotaController(informers: InformerFactory, resources: ServedResources): Controller<QuotaSnapshot> {
  const quotas = informers.lister(ResourceQuotas);
  const counted = selectResources(
    resources,
    ({ namespaced, group, resource }) => namespaced && !(resource === 'events' && (group === '' || group === 'events.k8s.io')),
  );
  const others = selectResources(counted, ({ resource }) => resource !== ResourceQuotas.resource);
  const givenBack = (resource: Resource, change: Change): string[] =>
    changesUsage(resource, change) ? quotas.list({ namespace: change.object.metadata.namespace ?? '' }).map(keyOf) : [];
  return {
    name: 'resourcequota-controller',
    watches: [watchRule(ResourceQuotas, (change) => [...(changesHard(change) ? [keyOf(change.object)] : []), ...givenBack(ResourceQuotas, change)])],
    watchesAll: { resources: others, rule: (resource) => watchRule(resource, (change) => givenBack(resource, change)) },
    observe: async (key, { now }) => {
      const quota = byKey(quotas, key);
      if (!quota) return undefined;
      const { namespace = '' } = quota.metadata;
      const content = counted.current().map((resource) => ({ resource, objects: informers.lister(resource).list({ namespace }) }));
      return { quota, content, now };
    },
    plan: planQuota,
  };
}

/** A status is written by this controller and by admission, and asks for nothing. */
function changesHard({ type, object, old }: Change): boolean {
  return type !== 'updated' || !deepEqual((object as ResourceQuota).spec.hard, (old as ResourceQuota).spec.hard);
}

/**
 * What is created, admission has booked already; to count it again before the caches show it would take it off the books
 * (upstream: QuotaMonitor has no handler for additions, DefaultUpdateFilter).
 */
function changesUsage(resource: Resource, { type, object, old }: Change): boolean {
  if (type !== 'updated') return type === 'deleted';
  return !deepEqual(usageOf(resource, object), usageOf(resource, old!)) || isTerminating(object) !== isTerminating(old!);
}

function isTerminating(object: KubeObject): boolean {
  return (object as Partial<Pod>).spec?.activeDeadlineSeconds !== undefined;
}

/** Looks again every five minutes, as upstream (--resource-quota-sync-period): a pod that stays past its grace period is no change. */
const SYNC_PERIOD_MS = 300_000;

export function planQuota({ quota, content, now }: QuotaSnapshot): Plan {
  const hard = canonical((quota.spec.hard ?? {}) as Usage);
  let total: Usage = {};
  for (const { resource, objects } of content) {
    if (!Object.keys(hard).some((name) => concerns(name, resource))) continue;
    for (const object of objects) if (isInScope(quota, resource, object)) total = add(total, usageOf(resource, object, now));
  }
  const used = canonical(Object.fromEntries(Object.keys(hard).map((name) => [name, total[name] ?? '0'])));
  if (deepEqual(quota.status?.hard ?? {}, hard) && deepEqual(quota.status?.used ?? {}, used)) return { actions: [], requeueAfterMs: SYNC_PERIOD_MS };
  const object: ResourceQuota = { ...quota, status: { ...quota.status, hard, used } };
  return { actions: [{ type: 'update', resource: ResourceQuotas, subresource: 'status', object }], requeueAfterMs: SYNC_PERIOD_MS };
}

/** Whether the quota's scopes let it count the object. Quotas with scopes count pods only. */
function isInScope({ spec }: ResourceQuota, { group, resource }: Resource, object: KubeObject): boolean {
  const scopes = [...(spec.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' })), ...(spec.scopeSelector?.matchExpressions ?? [])];
  if (scopes.length === 0) return true;
  if (group !== '' || resource !== 'pods') return false;
  return scopes.every(({ scopeName, ...rest }) => podMatchesScope(object as Pod, scopeName, rest));
}

/** Spares a walk through resources that this amount says nothing of. */
function concerns(name: string, resource: Resource): boolean {
  if (name.startsWith('count/')) return name === `count/${qualifiedResource(resource)}`;
  if (resource.group !== '') return false;
  if (name === resource.resource || name.startsWith(`${resource.resource}.`)) return true;
  if (resource.resource === 'persistentvolumeclaims') return name === 'requests.storage' || name.includes('.storageclass.storage.k8s.io/');
  return resource.resource === 'pods' && !name.includes('.storageclass.');
}

function canonical(amounts: Usage): Usage {
  return Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, canonicalQuantity(amount)]));
}
