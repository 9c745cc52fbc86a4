import type { Resource } from '../../api/object.ts';

/** The resources that a cluster serves and controllers look after: those that can be listed, watched and deleted, each once. */
export interface ServedResources {
  current(): readonly Resource[];
  /** Calls `listener` after resources have come or gone. */
  onChange(listener: () => void): void;
}

/** Resources that stay as they are. */
export function fixedResources(resources: readonly Resource[]): ServedResources {
  return { current: () => resources, onChange: () => {} };
}

/** Those of the resources that a controller is concerned with. */
export function selectResources(source: ServedResources, concerns: (resource: Resource) => boolean): ServedResources {
  return { current: () => source.current().filter(concerns), onChange: (listener) => source.onChange(listener) };
}

export function resourceId({ group, version, resource }: Resource): string {
  return `${group}/${version}/${resource}`;
}
