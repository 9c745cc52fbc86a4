import { age } from '../api/duration.ts';
import type { KubeList, KubeObject } from '../api/object.ts';
import type { Cell } from '../api/resource.ts';
import type { ServedResource } from './registry.ts';

export interface TableOptions {
  includeObject: 'None' | 'Metadata' | 'Object';
  withHeaders: boolean;
  nowMs: number;
  describeColumn: (resource: ServedResource, name: string) => string;
}

/** An object or a list as a Table: what `kubectl get` prints (apimachinery: meta/v1 Table). */
export function toTable(
  resource: ServedResource,
  input: KubeObject | KubeList,
  { includeObject, withHeaders, nowMs, describeColumn }: TableOptions,
): KubeObject {
  const objects = 'items' in input ? input.items : [input];
  const columns = resource.facts.columns ?? DEFAULT_COLUMNS;
  const rows = objects.map((object) => ({ cells: cells(resource, object, nowMs), ...rowConditions(object), object: rowObject(object, includeObject) }));
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
      ? columns.map(([name, type, format, priority]) => ({
          name,
          type,
          format: format ?? '',
          description: describeColumn(resource, name),
          priority: priority ?? 0,
        }))
      : [],
    rows,
  } as unknown as KubeObject;
}

const DEFAULT_COLUMNS: NonNullable<ServedResource['facts']['columns']> = [
  ['Name', 'string', 'name', null],
  ['Age', 'string', null, null],
];

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

/** Pods that have come to their end are marked, so that clients can hide them (printers/internalversion: podSuccessConditions). */
function rowConditions(object: KubeObject): { conditions?: object[] } {
  if (object.kind !== 'Pod') return {};
  const phase = (object as KubeObject & { status?: { phase?: string } }).status?.phase;
  if (phase === 'Succeeded')
    return { conditions: [{ type: 'Completed', status: 'True', reason: 'Succeeded', message: 'The pod has completed successfully.' }] };
  if (phase === 'Failed') return { conditions: [{ type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' }] };
  return {};
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
