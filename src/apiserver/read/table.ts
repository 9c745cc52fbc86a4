import { age } from '../../api/duration.ts';
import type { Cell, RowCondition } from '../../api/kind.ts';
import type { KubeList, KubeObject } from '../../api/object.ts';
import type { Column } from '../../api/resource-facts.ts';
import type { ServedResource } from '../served-resource.ts';

export interface TableOptions {
  includeObject: 'None' | 'Metadata' | 'Object';
  withHeaders: boolean;
  nowMs: number;
  /** What the API says of its fields. */
  descriptions: Descriptions;
}

export type Descriptions = Readonly<Record<string, { fields: Readonly<Record<string, string>> }>>;

/** An object or a list as a Table: what `kubectl get` prints (apimachinery: meta/v1 Table). */
export function toTable(resource: ServedResource, input: KubeObject | KubeList, { includeObject, withHeaders, nowMs, descriptions }: TableOptions): KubeObject {
  const objects = 'items' in input ? input.items : [input];
  const columns = resource.facts.columns ?? DEFAULT_COLUMNS;
  const rows = objects.map((object) => ({
    cells: cells(resource, object, nowMs),
    ...conditionsOf(resource, object),
    object: rowObject(object, includeObject),
  }));
  const { resourceVersion, ...more } = input.metadata as { resourceVersion?: string; continue?: string; remainingItemCount?: number };
  const paging = 'items' in input ? more : {};
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: {
      ...(resourceVersion ? { resourceVersion } : {}),
      ...('continue' in paging && paging.continue ? { continue: paging.continue } : {}),
      ...('remainingItemCount' in paging && paging.remainingItemCount !== undefined ? { remainingItemCount: paging.remainingItemCount } : {}),
    },
    columnDefinitions: withHeaders
      ? columns.map(([name, type, format, priority, description]) => ({
          name,
          type,
          format: format ?? '',
          description: textOf(description, descriptions),
          priority: priority ?? 0,
        }))
      : [],
    rows,
  } as unknown as KubeObject;
}

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
const DEFAULT_COLUMNS: readonly Column[] = [
  ['Name', 'string', 'name', null, { of: `${META}.name` }],
  ['Age', 'string', null, null, { of: `${META}.creationTimestamp` }],
];

function textOf(description: Column[4], descriptions: Descriptions): string {
  if (typeof description !== 'object') return description ?? '';
  const dot = description.of.lastIndexOf('.');
  return descriptions[description.of.slice(0, dot)]?.fields[description.of.slice(dot + 1)] ?? '';
}

function cells(resource: ServedResource, object: KubeObject, nowMs: number): Cell[] {
  const own = resource.behaviour.row?.(object, nowMs);
  if (own) return own;
  return (resource.facts.columns ?? DEFAULT_COLUMNS).map(([name]) => {
    if (name === 'Name') return object.metadata.name ?? '';
    if (name === 'Age') return age(object.metadata.creationTimestamp, nowMs);
    if (name === 'Created At') return object.metadata.creationTimestamp ?? '';
    return '<none>';
  });
}

function conditionsOf({ behaviour }: ServedResource, object: KubeObject): { conditions?: RowCondition[] } {
  const conditions = behaviour.rowConditions?.(object) ?? [];
  return conditions.length ? { conditions } : {};
}

function rowObject(object: KubeObject, include: TableOptions['includeObject']): KubeObject | null {
  if (include === 'None') return null;
  return include === 'Object' ? object : toPartial(object);
}

/** An object with its metadata alone. */
export function toPartial(object: KubeObject): KubeObject {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata };
}

export function toPartialList(input: KubeObject | KubeList): KubeObject | KubeList {
  if (!('items' in input)) return toPartial(input);
  return { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata: input.metadata, items: input.items.map(toPartial) };
}
