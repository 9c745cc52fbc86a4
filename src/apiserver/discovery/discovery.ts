import { createHash } from 'node:crypto';
import { apiVersionOf } from '../../api/object.ts';
import type { ResourceFacts } from '../../api/resource-facts.ts';
import { byVersionRank } from '../../api/version-rank.ts';
import type { Registry } from '../registry.ts';
import type { ServedResource } from '../served-resource.ts';

/** Groups in the order in which clients prefer them: upstream's priorities, as /apis lists them. */
const GROUP_ORDER = [
  'apiregistration.k8s.io',
  'apps',
  'events.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'networking.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'storage.k8s.io',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'scheduling.k8s.io',
  'coordination.k8s.io',
  'node.k8s.io',
  'discovery.k8s.io',
  'resource.k8s.io',
  'flowcontrol.apiserver.k8s.io',
];

type Json = Record<string, unknown>;

/** The documents by which clients learn what is served, in both the old and the aggregated form. */
export class Discovery {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  get #facts(): ResourceFacts[] {
    return this.#registry.all().map(({ facts }) => facts);
  }

  /** /api */
  coreVersions(address: string): Json {
    return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: address }] };
  }

  /** /apis */
  groups(): Json {
    return { kind: 'APIGroupList', apiVersion: 'v1', groups: this.#groupNames().map((name) => this.#group(name)) };
  }

  /** /apis/<group> */
  group(name: string): Json | undefined {
    return this.#groupNames().includes(name) ? { kind: 'APIGroup', apiVersion: 'v1', ...this.#group(name) } : undefined;
  }

  /** /api/v1 and /apis/<group>/<version> */
  resources(group: string, version: string): Json | undefined {
    const served = this.#registry.all().filter(({ facts }) => facts.group === group && facts.version === version);
    if (served.length === 0) return undefined;
    const resources = served.flatMap((r) => [resourceEntry(r), ...(r.facts.subresources ?? []).map((s) => subresourceEntry(r.facts, s))]);
    return {
      kind: 'APIResourceList',
      ...(group === '' ? {} : { apiVersion: 'v1' }),
      groupVersion: apiVersionOf({ group, version }),
      resources: resources.sort((a, b) => (a['name']! < b['name']! ? -1 : 1)),
    };
  }

  /** /api (core) or /apis (all others) as APIGroupDiscoveryList. */
  aggregated(which: 'core' | 'groups'): Json {
    const names = which === 'core' ? [''] : this.#groupNames();
    const items = names.map((name) => ({
      metadata: { ...(name ? { name } : {}), creationTimestamp: null },
      versions: this.#versions(name).map((version) => ({
        version,
        resources: this.#facts.filter((f) => f.group === name && f.version === version).map(aggregatedEntry),
        freshness: 'Current',
      })),
    }));
    return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
  }

  #groupNames(): string[] {
    const names = new Set(this.#facts.map((f) => f.group).filter((g) => g !== ''));
    const rank = (name: string): number => (GROUP_ORDER.includes(name) ? GROUP_ORDER.indexOf(name) : GROUP_ORDER.length);
    return [...names].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  }

  #versions(group: string): string[] {
    const ranked = this.#registry.all().filter(({ facts }) => facts.group === group);
    const versions = [...new Set(ranked.map(({ facts }) => facts.version))];
    return ranked.some(({ customSchema }) => customSchema) ? versions.sort(byVersionRank) : versions;
  }

  #group(name: string): Json {
    const versions = this.#versions(name).map((version) => ({ groupVersion: `${name}/${version}`, version }));
    return { name, versions, preferredVersion: versions[0] };
  }
}

/** The first eight bytes of a hash of where the kind is stored (apiserver/pkg/endpoints/discovery.StorageVersionHash). */
function storageVersionHash({ group, version, kind }: { group: string; version: string; kind: string }): string {
  return createHash('sha256').update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString('base64');
}

function resourceEntry({ facts, behaviour }: ServedResource): Json {
  const { group, version } = behaviour.storedAs ?? facts;
  return {
    name: facts.resource,
    singularName: facts.singular,
    namespaced: facts.scope === 'Namespaced',
    kind: facts.kind,
    verbs: facts.verbs,
    ...(facts.shortNames ? { shortNames: facts.shortNames } : {}),
    ...(facts.categories ? { categories: facts.categories } : {}),
    ...(facts.verbs.includes('watch') ? { storageVersionHash: storageVersionHash({ group, version, kind: facts.kind }) } : {}),
  };
}

type Subresource = NonNullable<ResourceFacts['subresources']>[number];

function subresourceEntry(facts: ResourceFacts, sub: Subresource): Json {
  return {
    name: `${facts.resource}/${sub.name}`,
    singularName: '',
    namespaced: facts.scope === 'Namespaced',
    ...(sub.version ? { group: sub.group, version: sub.version } : {}),
    kind: sub.kind,
    verbs: sub.verbs,
  };
}

function aggregatedEntry(facts: ResourceFacts): Json {
  const { group, version } = facts;
  return {
    resource: facts.resource,
    responseKind: { group, version, kind: facts.kind },
    scope: facts.scope,
    singularResource: facts.singular,
    verbs: facts.verbs,
    ...(facts.shortNames ? { shortNames: facts.shortNames } : {}),
    ...(facts.categories ? { categories: facts.categories } : {}),
    ...(facts.subresources
      ? {
          subresources: facts.subresources.map((s) => ({
            subresource: s.name,
            responseKind: s.version ? { group: s.group, version: s.version, kind: s.kind } : { group, version, kind: s.kind },
            verbs: s.verbs,
          })),
        }
      : {}),
  };
}
