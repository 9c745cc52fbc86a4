import type { OwnerReference } from '../../api/generated/types/meta.v1.ts';
import type { KubeObject, Resource } from '../../api/object.ts';
import type { Informer, InformerFactory } from '../../client/informer.ts';
import { resourceId, type ServedResources } from '../runtime/served-resources.ts';

const BY_OWNER = 'owner';

/** An object together with its resource, which it does not name itself. */
export interface Item {
  resource: Resource;
  object: KubeObject;
}

interface Known {
  resource: Resource;
  informer: Informer<KubeObject>;
}

/** Who owns whom, over all resources, as far as the caches know. */
export class OwnerGraph {
  readonly #informers: InformerFactory;
  readonly #resources: ServedResources;
  #byKind = new Map<string, Known>();
  #byId = new Map<string, Known>();

  constructor(informers: InformerFactory, resources: ServedResources) {
    this.#informers = informers;
    this.#resources = resources;
    this.#learn();
    resources.onChange(() => this.#learn());
  }

  #learn(): void {
    const all = this.#resources.current().map((resource): Known => ({ resource, informer: this.#informers.informer(resource) }));
    for (const { informer } of all) informer.addIndex(BY_OWNER, ({ metadata }) => (metadata.ownerReferences ?? []).map(({ uid }) => uid));
    this.#byKind = new Map(all.map((known) => [`${known.resource.group}/${known.resource.kind}`, known]));
    this.#byId = new Map(all.map((known) => [resourceId(known.resource), known]));
  }

  keyOf({ resource, object: { metadata } }: Item): string {
    return `${resourceId(resource)}|${metadata.namespace ?? ''}|${metadata.name}`;
  }

  /** The object by this key, if it is there. */
  get(key: string): Item | undefined {
    const [id = '', namespace = '', name = ''] = key.split('|');
    const known = this.#byId.get(id);
    const object = known?.informer.lister.get(namespace, name);
    return known && object && { resource: known.resource, object };
  }

  dependentsOf(uid: string): Item[] {
    return [...this.#byId.values()].flatMap(({ resource, informer }) => informer.lister.by(BY_OWNER, uid).map((object) => ({ resource, object })));
  }

  /** The resource that a reference names; undefined where nobody serves it. */
  resourceOf(reference: OwnerReference): Resource | undefined {
    return this.#byKind.get(kindOf(reference))?.resource;
  }

  /** The owner, if the cache has it with the uid of the reference. */
  ownerOf(reference: OwnerReference, dependent: KubeObject): Item | undefined {
    const known = this.#byKind.get(kindOf(reference));
    const object = known?.informer.lister.get(known.resource.namespaced ? (dependent.metadata.namespace ?? '') : '', reference.name);
    return known && object?.metadata.uid === reference.uid ? { resource: known.resource, object } : undefined;
  }
}

/** The versions of a group share their kinds. */
function kindOf({ apiVersion, kind }: OwnerReference): string {
  const slash = apiVersion.indexOf('/');
  return `${slash < 0 ? '' : apiVersion.slice(0, slash)}/${kind}`;
}
