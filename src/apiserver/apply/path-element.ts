import type { List, Struct } from '../../api/type.ts';
import { ZERO_SCALARS } from '../decode/go-scalars.ts';

/**
 * How an element of a list of type `map` or `set` is told apart, in the form of FieldsV1: by the values of its keys, or by
 * its own value (structured-merge-diff: listItemToPathElement).
 */
export function elementOf({ listType, keys, element }: List, item: unknown): { element: string } | { fault: string } {
  if (listType === 'set') {
    const fault = setFault(item);
    return fault ? { fault } : { element: `v:${JSON.stringify(item)}` };
  }
  if (item === null || item === undefined) return { fault: 'associative list with keys may not have a null element' };
  if (typeof item !== 'object' || Array.isArray(item)) return { fault: 'associative list with keys may not have non-map elements' };
  const fields = item as Record<string, unknown>;
  const named: Record<string, unknown> = {};
  for (const key of keys) {
    const value = fields[key] ?? (element.shape === 'struct' ? defaultOf(element, key) : undefined);
    if (value !== undefined) named[key] = value;
  }
  if (Object.keys(named).length) return { element: `k:${JSON.stringify(named)}` };
  const list = `[${keys.map((key) => JSON.stringify(key)).join(' ')}]`;
  return { fault: `associative list with keys has an element that omits all key fields ${list} (and doesn't have default values for any key fields)` };
}

/** What a key counts as that is not there; of a Go type's field that is never left out, its zero. */
function defaultOf({ id, fields }: Struct, key: string): unknown {
  const field = fields.get(key);
  if (!field || field.default !== undefined) return field?.default;
  return id && field.required && field.type.shape === 'scalar' ? ZERO_SCALARS[field.type.format] : undefined;
}

function setFault(item: unknown): string | undefined {
  if (item === null) return "associative list without keys has an element that's an explicit null";
  if (Array.isArray(item)) return 'not supported: associative list with lists as elements';
  return typeof item === 'object' ? "associative list without keys has an element that's a map type" : undefined;
}
