import { meetsFieldSelector, parseFieldSelector } from '../../api/field-selectors.ts';
import { parseSelector } from '../../api/label-parser.ts';
import type { KubeObject } from '../../api/object.ts';
import { badRequest } from '../../api/status.ts';
import type { ServedResource } from '../served-resource.ts';
import type { ListOptions } from './list-options.ts';

export interface Selection {
  /** True when everything is wanted, so that nobody needs to look. */
  all: boolean;
  matches(object: KubeObject): boolean;
  /** The one name that the field selector asks for, if it does. */
  name?: string;
}

/**
 * @param onlyName the one object that the path names, if it does.
 * @throws StatusError BadRequest for a selector that cannot be read or names a field that the kind does not select by.
 */
export function selectionOf(resource: ServedResource, { labelSelector = '', fieldSelector = '' }: ListOptions, onlyName?: string): Selection {
  if (labelSelector === '' && fieldSelector === '' && onlyName === undefined) return { all: true, matches: () => true };
  try {
    const labels = parseSelector(labelSelector);
    const fields = [
      ...parseFieldSelector(fieldSelector),
      ...(onlyName === undefined ? [] : [{ field: 'metadata.name', operator: '=' as const, value: onlyName }]),
    ];
    for (const { field } of fields) checkField(resource, field);
    const name = fields.find(({ field, operator }) => field === 'metadata.name' && operator === '=')?.value;
    return {
      all: false,
      matches: (object) => labels.matches(object.metadata.labels) && meetsFieldSelector(fields, (field) => readField(resource, object, field)),
      ...(name !== undefined ? { name } : {}),
    };
  } catch (error) {
    if (error instanceof RangeError) throw badRequest(error.message);
    throw error;
  }
}

function readField(resource: ServedResource, object: KubeObject, field: string): string {
  if (field === 'metadata.name') return object.metadata.name ?? '';
  if (field === 'metadata.namespace') return object.metadata.namespace ?? '';
  const own = resource.behaviour.selectableFields ?? {};
  return Object.hasOwn(own, field) ? own[field]!(object) : '';
}

function checkField(resource: ServedResource, field: string): void {
  if (field === 'metadata.name' || (field === 'metadata.namespace' && resource.namespaced)) return;
  const own = resource.behaviour.selectableFields;
  if (own && Object.hasOwn(own, field)) return;
  if (own) throw badRequest(`field label not supported: ${field}`);
  const known = resource.namespaced ? ['metadata.name', 'metadata.namespace'] : ['metadata.name'];
  throw badRequest(`${JSON.stringify(field)} is not a known field selector: only ${known.map((f) => JSON.stringify(f)).join(', ')}`);
}
