import type { CustomResourceDefinition } from '../../api/generated/types/apiextensions.v1.ts';
import { CustomResourceDefinitions } from '../../api/resources.ts';
import type { GroupVersionResource, Registry } from '../registry.ts';
import type { ServedResource } from '../served-resource.ts';
import { Mirror } from '../storage/mirror.ts';
import type { Storage } from '../storage/storage.ts';
import { type CustomKind, customKind, servesTheSame } from './custom-kind.ts';

export interface CustomResourcesOptions {
  storage: Storage;
  registry: Registry;
  /** Makes a served resource of a kind, with the handlers of stored ones. */
  serve: (kind: CustomKind) => ServedResource;
}

interface Served {
  definition: CustomResourceDefinition;
  resources: readonly GroupVersionResource[];
}

/** Serves what custom resource definitions define, for as long as they do (upstream: apiextensions-apiserver/pkg/apiserver/customresource_handler.go). */
export class CustomResources {
  /** Resolves when all that is defined from the start is served. */
  readonly ready: Promise<void>;
  readonly #options: CustomResourcesOptions;
  readonly #mirror: Mirror<CustomResourceDefinition>;
  /** By the name of the definition. */
  readonly #served = new Map<string, Served>();

  constructor(options: CustomResourcesOptions) {
    this.#options = options;
    this.#mirror = new Mirror(options.storage, options.registry.get(CustomResourceDefinitions));
    this.#mirror.onChange(() => this.#follow());
    this.ready = this.#mirror.ready;
  }

  #follow(): void {
    const defined = new Map(this.#mirror.all().map((definition) => [definition.metadata.name ?? '', definition]));
    for (const [name, served] of this.#served) {
      const definition = defined.get(name);
      if (definition && isServed(definition) && servesTheSame(definition, served.definition)) continue;
      if (!definition || !isServed(definition)) {
        this.#served.delete(name);
        for (const resource of served.resources) this.#options.registry.remove(resource);
      }
    }
    for (const [name, definition] of defined) {
      const before = this.#served.get(name);
      if (!isServed(definition) || (before && servesTheSame(definition, before.definition))) continue;
      this.#serve(name, definition, before);
    }
  }

  #serve(name: string, definition: CustomResourceDefinition, before: Served | undefined): void {
    const { registry, serve } = this.#options;
    const isDeleted = definition.metadata.deletionTimestamp !== undefined;
    const resources = definition.spec.versions
      .filter(({ served }) => served)
      .map((version) => {
        const kind = customKind(definition, version, { isDeleted });
        registry.add(serve(kind));
        const { group, version: name, resource } = kind.facts;
        return { group, version: name, resource };
      });
    this.#served.set(name, { definition, resources });
    const isKept = (one: GroupVersionResource): boolean => resources.some(({ version, resource }) => version === one.version && resource === one.resource);
    for (const resource of before?.resources ?? []) if (!isKept(resource)) registry.remove(resource);
  }
}

function isServed({ status }: CustomResourceDefinition): boolean {
  return (status?.conditions ?? []).some(({ type, status: value }) => type === 'Established' && value === 'True');
}
