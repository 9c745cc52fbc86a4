import { podResources } from '../../api/core/v1/pod/requests.ts';
import type { Container, LimitRange, LimitRangeItem, PersistentVolumeClaim, Pod } from '../../api/generated/types/core.v1.ts';
import { asMilli, compareQuantities } from '../../api/quantity.ts';
import { LimitRanges } from '../../api/resources.ts';
import { forbidden } from '../../api/status.ts';
import type { AdmissionPlugin } from './admission.ts';

const ANNOTATION = 'kubernetes.io/limit-ranger';

type Resources = Readonly<Record<string, string>>;

/** Fills in and enforces a namespace's LimitRanges (plugin/pkg/admission/limitranger). */
export const limitRanger: AdmissionPlugin = {
  name: 'LimitRanger',

  async admit({ operation, resource, subresource, namespace, object }, context) {
    if (operation !== 'CREATE' || subresource || resource.facts.kind !== 'Pod') return object;
    for (const range of await context.all(LimitRanges, namespace)) setDefaults(object as Pod, range);
    return object;
  },

  async validate({ operation, resource, subresource, namespace, name, object }, context) {
    const { kind } = resource.facts;
    if (subresource || (kind === 'Pod' ? operation !== 'CREATE' : kind !== 'PersistentVolumeClaim' || operation === 'DELETE')) return;
    const faults = (await context.all(LimitRanges, namespace)).flatMap((range) =>
      kind === 'Pod' ? podFaults(object as Pod, range) : claimFaults(object as PersistentVolumeClaim, range),
    );
    if (faults.length) throw forbidden(resource.facts, name, faults.length === 1 ? faults[0]! : `[${faults.join(', ')}]`);
  },
};

function setDefaults(pod: Pod, range: LimitRange): void {
  const item = range.spec.limits.find((limit) => limit.type === 'Container');
  if (!item) return;
  const notes: string[] = [];
  const fill = (container: Container, word: string): void => {
    const requests = fillIn(container, 'requests', defaultRequests(item));
    const limits = fillIn(container, 'limits', item.default ?? {});
    if (requests.length) notes.push(`${requests.join(', ')} request for ${word} ${container.name}`);
    if (limits.length) notes.push(`${limits.join(', ')} limit for ${word} ${container.name}`);
  };
  for (const container of pod.spec.containers) fill(container, 'container');
  for (const container of pod.spec.initContainers ?? []) fill(container, 'init container');
  if (notes.length) pod.metadata.annotations = { ...pod.metadata.annotations, [ANNOTATION]: `LimitRanger plugin set: ${notes.join('; ')}` };
}

/** A limit without a request sets the request; upstream's API defaulting has done that for the client's own limits. */
function defaultRequests(item: LimitRangeItem): Resources {
  return { ...(item.defaultRequest ?? {}) };
}

function fillIn(container: Container, which: 'requests' | 'limits', defaults: Resources): string[] {
  const current = container.resources?.[which] ?? {};
  const added = Object.keys(defaults)
    .filter((name) => current[name] === undefined)
    .sort();
  if (added.length)
    container.resources = { ...container.resources, [which]: { ...current, ...Object.fromEntries(added.map((name) => [name, defaults[name]!])) } };
  return added;
}

function podFaults(pod: Pod, range: LimitRange): string[] {
  const faults: string[] = [];
  for (const item of range.spec.limits) {
    if (item.type === 'Container')
      for (const container of [...pod.spec.containers, ...(pod.spec.initContainers ?? [])])
        faults.push(...itemFaults(item, container.resources?.requests ?? {}, container.resources?.limits ?? {}));
    if (item.type === 'Pod') {
      const options = { overhead: false };
      faults.push(...itemFaults(item, podResources(pod.spec, 'requests', options), podResources(pod.spec, 'limits', options)));
    }
  }
  return faults;
}

function itemFaults(item: LimitRangeItem, requests: Resources, limits: Resources): string[] {
  const faults: string[] = [];
  for (const [name, min] of Object.entries(item.min ?? {})) {
    const [request, limit] = [requests[name], limits[name]];
    if (request === undefined && limit === undefined) faults.push(`minimum ${name} usage per ${item.type} is ${min}.  No request is specified`);
    else if (request !== undefined && compareQuantities(request, min) < 0)
      faults.push(`minimum ${name} usage per ${item.type} is ${min}, but request is ${request}`);
    else if (limit !== undefined && compareQuantities(limit, min) < 0) faults.push(`minimum ${name} usage per ${item.type} is ${min}, but limit is ${limit}`);
  }
  for (const [name, max] of Object.entries(item.max ?? {})) {
    const [request, limit] = [requests[name], limits[name]];
    if (limit === undefined) faults.push(`maximum ${name} usage per ${item.type} is ${max}.  No limit is specified`);
    else if (compareQuantities(limit, max) > 0) faults.push(`maximum ${name} usage per ${item.type} is ${max}, but limit is ${limit}`);
    else if (request !== undefined && compareQuantities(request, max) > 0)
      faults.push(`maximum ${name} usage per ${item.type} is ${max}, but request is ${request}`);
  }
  for (const [name, ratio] of Object.entries(item.maxLimitRequestRatio ?? {})) {
    const [request, limit] = [requests[name], limits[name]];
    if (request === undefined || asMilli(request) === 0)
      faults.push(`${name} max limit to request ratio per ${item.type} is ${ratio}, but no request is specified or request is 0`);
    else if (limit === undefined || asMilli(limit) === 0)
      faults.push(`${name} max limit to request ratio per ${item.type} is ${ratio}, but no limit is specified or limit is 0`);
    else if (asMilli(limit) / asMilli(request) > asMilli(ratio) / 1000)
      faults.push(`${name} max limit to request ratio per ${item.type} is ${ratio}, but provided ratio is ${(asMilli(limit) / asMilli(request)).toFixed(6)}`);
  }
  return faults;
}

function claimFaults(claim: PersistentVolumeClaim, range: LimitRange): string[] {
  const faults: string[] = [];
  for (const item of range.spec.limits) {
    if (item.type !== 'PersistentVolumeClaim') continue;
    const request = claim.spec.resources?.requests?.['storage'] ?? '0';
    const { storage: min } = item.min ?? {};
    const { storage: max } = item.max ?? {};
    if (min !== undefined && compareQuantities(request, min) < 0)
      faults.push(`minimum storage usage per PersistentVolumeClaim is ${min}, but request is ${request}`);
    if (max !== undefined && compareQuantities(request, max) > 0)
      faults.push(`maximum storage usage per PersistentVolumeClaim is ${max}, but request is ${request}`);
  }
  return faults;
}
