import type { Pod, PodAffinityTerm } from '../../../api/generated/types/core.v1.ts';
import { type Selector, selectorFrom } from '../../../api/labels.ts';
import { type FilterPlugin, MAX_SCORE, type ScorePlugin } from '../../framework.ts';
import type { NodeInfo, Snapshot } from '../../node-info.ts';

interface Term {
  topologyKey: string;
  selector: Selector;
  covers(namespace: string): boolean;
  weight: number;
}

function termOf(pod: Pod, term: PodAffinityTerm, snapshot: Snapshot, weight = 1): Term {
  const { namespaces = [], namespaceSelector, topologyKey, labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] } = term;
  const labels = pod.metadata.labels ?? {};
  const keyed = (keys: readonly string[], operator: string) =>
    keys.filter((key) => labels[key] !== undefined).map((key) => ({ key, operator, values: [labels[key]!] }));
  const extra = [...keyed(matchLabelKeys, 'In'), ...keyed(mismatchLabelKeys, 'NotIn')];
  const selector = selectorFrom(labelSelector && { ...labelSelector, matchExpressions: [...(labelSelector.matchExpressions ?? []), ...extra] });
  const names = namespaces.length || namespaceSelector ? namespaces : [pod.metadata.namespace ?? ''];
  const byLabels = namespaceSelector && selectorFrom(namespaceSelector);
  return {
    topologyKey,
    selector,
    weight,
    covers: (namespace) => names.includes(namespace) || (byLabels?.matches(snapshot.namespaceLabels(namespace)) ?? false),
  };
}

const matches = (term: Term, { metadata }: Pod): boolean => term.covers(metadata.namespace ?? '') && term.selector.matches(metadata.labels);

const domainOf = ({ node }: NodeInfo, key: string): string | undefined => node.metadata.labels?.[key];

function requiredTerms(pod: Pod, kind: 'podAffinity' | 'podAntiAffinity', snapshot: Snapshot): Term[] {
  return (pod.spec.affinity?.[kind]?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((term) => termOf(pod, term, snapshot));
}

function preferredTerms(pod: Pod, kind: 'podAffinity' | 'podAntiAffinity', snapshot: Snapshot): Term[] {
  const sign = kind === 'podAffinity' ? 1 : -1;
  return (pod.spec.affinity?.[kind]?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ weight, podAffinityTerm }) =>
    termOf(pod, podAffinityTerm, snapshot, sign * weight),
  );
}

/** The domains, as `key=value`, that hold a pod for which `wanted` holds. */
function domainsWith(term: Term, snapshot: Snapshot, wanted: (pod: Pod) => boolean): Set<string> {
  const found = new Set<string>();
  for (const node of snapshot.nodes) {
    const domain = domainOf(node, term.topologyKey);
    if (domain === undefined || found.has(domain)) continue;
    for (const { pod } of node.pods.values()) if (wanted(pod)) found.add(domain);
  }
  return found;
}

/** Domains, by topology key, that pods with required anti-affinity keep free of this pod. */
function forbiddenDomains(pod: Pod, snapshot: Snapshot): Map<string, Set<string>> {
  const forbidden = new Map<string, Set<string>>();
  for (const node of snapshot.nodes) {
    for (const { pod: other } of node.pods.values()) {
      if (!other.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.length) continue;
      for (const term of requiredTerms(other, 'podAntiAffinity', snapshot)) {
        const domain = domainOf(node, term.topologyKey);
        if (domain !== undefined && matches(term, pod)) forbidden.set(term.topologyKey, (forbidden.get(term.topologyKey) ?? new Set()).add(domain));
      }
    }
  }
  return forbidden;
}

export const interPodAffinity: FilterPlugin & ScorePlugin = {
  name: 'InterPodAffinity',
  weight: 2,
  filter({ pod }, snapshot) {
    const forbidden = forbiddenDomains(pod, snapshot);
    const affinity = requiredTerms(pod, 'podAffinity', snapshot);
    const antiAffinity = requiredTerms(pod, 'podAntiAffinity', snapshot);
    if (forbidden.size === 0 && affinity.length === 0 && antiAffinity.length === 0) return undefined;
    const near = affinity.map((term) => ({ term, domains: domainsWith(term, snapshot, (other) => affinity.every((each) => matches(each, other))) }));
    const far = antiAffinity.map((term) => ({ term, domains: domainsWith(term, snapshot, (other) => matches(term, other)) }));
    // The first pod of a group that is near to itself may stand anywhere.
    const first = near.every(({ domains }) => domains.size === 0) && affinity.every((term) => matches(term, pod));
    return (node) => {
      const isNear = near.every(({ term, domains }) => {
        const domain = domainOf(node, term.topologyKey);
        return domain !== undefined && (first || domains.has(domain));
      });
      if (!isNear) return { reasons: ["node(s) didn't match pod affinity rules"], unresolvable: true };
      if (far.some(({ term, domains }) => domains.has(domainOf(node, term.topologyKey) ?? '')))
        return { reasons: ["node(s) didn't match pod anti-affinity rules"], unresolvable: false };
      for (const [key, domains] of forbidden) {
        if (domains.has(domainOf(node, key) ?? '')) return { reasons: ["node(s) didn't satisfy existing pods anti-affinity rules"], unresolvable: false };
      }
      return undefined;
    };
  },
  score({ pod }, candidates, snapshot) {
    const terms = [...preferredTerms(pod, 'podAffinity', snapshot), ...preferredTerms(pod, 'podAntiAffinity', snapshot)];
    if (terms.length === 0) return undefined;
    const weights = terms.map((term) => {
      const byDomain = new Map<string, number>();
      for (const node of snapshot.nodes) {
        const domain = domainOf(node, term.topologyKey);
        if (domain === undefined) continue;
        for (const { pod: other } of node.pods.values()) if (matches(term, other)) byDomain.set(domain, (byDomain.get(domain) ?? 0) + term.weight);
      }
      return { term, byDomain };
    });
    const sums = candidates.map((node) => weights.reduce((sum, { term, byDomain }) => sum + (byDomain.get(domainOf(node, term.topologyKey) ?? '') ?? 0), 0));
    const least = Math.min(...sums);
    const span = Math.max(...sums) - least;
    return sums.map((sum) => (span === 0 ? 0 : Math.floor((MAX_SCORE * (sum - least)) / span)));
  },
};
