import type { Pod, ResourceQuota } from '../../api/generated/types/core.v1.ts';
import type { KubeObject } from '../../api/object.ts';
import { compareQuantities, subtractQuantities } from '../../api/quantity.ts';
import { ResourceQuotas } from '../../api/resources.ts';
import { forbidden } from '../../api/status.ts';
import { add, podMatchesScope, type Usage, usageOf } from '../../api/usage.ts';
import type { AdmissionAttributes, AdmissionContext, AdmissionPlugin, Undo } from './admission.ts';

/** Amounts that a quota on them makes every pod name. */
const MUST_BE_NAMED = ['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory'];

/**
 * Refuses what would exceed a namespace's quotas, and books what is let in on their status (plugin resourcequota). What
 * counts is what the controller has taken over into the status; it corrects the books when objects go.
 */
export function resourceQuota(): AdmissionPlugin {
  return {
    name: 'ResourceQuota',
    async validate(attributes, context) {
      const { operation, resource, subresource, namespace } = attributes;
      if (subresource || !resource.namespaced || operation === 'DELETE' || resource.facts.kind === 'ResourceQuota' || resource.facts.kind === 'Event') return;
      const quotas = await context.all(ResourceQuotas, namespace);
      if (quotas.length === 0) return;
      const delta = increase(attributes, context.clock.now());
      if (Object.keys(delta).length === 0) return;
      const concerned = quotas.filter((quota) => appliesTo(quota, attributes.object!, resource.facts.kind));
      for (const quota of concerned) check(quota, delta, attributes);
      if (attributes.dryRun) return;
      return book(context, concerned, delta, attributes);
    },
  };
}

/** What the write adds to the usage; an update that uses no more adds nothing. */
function increase({ operation, resource, object, old }: AdmissionAttributes, nowMs: number): Usage {
  const after = usageOf(resource.facts, object!, nowMs);
  if (operation === 'CREATE') return after;
  const before = usageOf(resource.facts, old!, nowMs);
  const delta: Usage = {};
  for (const [name, value] of Object.entries(after)) {
    const more = before[name] === undefined ? value : subtractQuantities(value, before[name]);
    if (compareQuantities(more, '0') > 0) delta[name] = more;
  }
  return delta;
}

function appliesTo({ spec }: ResourceQuota, object: KubeObject, kind: string): boolean {
  const scopes = [
    ...(spec.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists', values: [] as string[] })),
    ...(spec.scopeSelector?.matchExpressions ?? []),
  ];
  return scopes.every(({ scopeName, ...rest }) => kind === 'Pod' && podMatchesScope(object as Pod, scopeName, rest));
}

function check(quota: ResourceQuota, delta: Usage, { resource, name, object, operation }: AdmissionAttributes): void {
  const { hard = {}, used = {} } = quota.status;
  const refuse = (why: string): Error => forbidden(resource.facts, name || (object!.metadata.name ?? ''), why);
  if (resource.facts.kind === 'Pod' && operation === 'CREATE') {
    const missing = Object.keys(hard)
      .filter((key) => MUST_BE_NAMED.includes(key) && !namedByAll(object as Pod, key))
      .sort();
    if (missing.length) {
      const containers = missing.map(
        (key) =>
          `${key} for: ${(object as Pod).spec.containers
            .filter((c) => !names(c, key))
            .map((c) => c.name)
            .join(',')}`,
      );
      throw refuse(`failed quota: ${quota.metadata.name}: must specify ${containers.join('; ')}`);
    }
  }
  const unknown = Object.keys(hard)
    .filter((key) => delta[key] !== undefined && used[key] === undefined)
    .sort();
  if (unknown.length) throw refuse(`status unknown for quota: ${quota.metadata.name}, resources: ${unknown.join(',')}`);
  const over = Object.keys(hard)
    .filter((key) => delta[key] !== undefined && compareQuantities(add({ [key]: used[key] ?? '0' }, { [key]: delta[key]! })[key]!, hard[key]!) > 0)
    .sort();
  if (over.length === 0) return;
  const list = (values: Usage): string => over.map((key) => `${key}=${values[key] ?? '0'}`).join(',');
  throw refuse(`exceeded quota: ${quota.metadata.name}, requested: ${list(delta)}, used: ${list(used)}, limited: ${list(hard)}`);
}

type Container = Pod['spec']['containers'][number];

function names({ resources }: Container, key: string): boolean {
  const [kind, name] = key.includes('.') ? (key.split('.') as [string, string]) : ['requests', key];
  return resources?.[kind as 'requests' | 'limits']?.[name] !== undefined;
}

function namedByAll(pod: Pod, key: string): boolean {
  return [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].every((container) => names(container, key));
}

async function book(context: AdmissionContext, quotas: readonly ResourceQuota[], delta: Usage, attributes: AdmissionAttributes): Promise<Undo> {
  const done: (() => Promise<void>)[] = [];
  for (const quota of quotas) {
    const amounts = Object.fromEntries(Object.entries(delta).filter(([key]) => quota.status.hard?.[key] !== undefined));
    if (Object.keys(amounts).length === 0) continue;
    await adjust(context, quota, attributes, (used) => add(used, amounts), delta);
    done.push(() =>
      adjust(context, quota, attributes, (used) =>
        Object.fromEntries(Object.entries(used).map(([key, value]) => [key, amounts[key] === undefined ? value : subtractQuantities(value, amounts[key])])),
      ),
    );
  }
  return async () => {
    for (const step of done) await step();
  };
}

async function adjust(
  context: AdmissionContext,
  quota: ResourceQuota,
  attributes: AdmissionAttributes,
  change: (used: Usage) => Usage,
  delta?: Usage,
): Promise<void> {
  await context.updateStatus(ResourceQuotas, quota, (current) => {
    // Another writer may have used the room in the meantime.
    if (delta) check(current, delta, attributes);
    const { resourceVersion: _, ...metadata } = current.metadata;
    return { ...current, metadata, status: { ...current.status, used: change(current.status.used ?? {}) } };
  });
}
