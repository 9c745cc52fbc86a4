import { addQuantities, compareQuantities } from './quantity.ts';

/** Quantities by the name of a resource. */
export type ResourceList = Readonly<Record<string, string>>;

export function addResources(a: ResourceList, b: ResourceList): ResourceList {
  return combine(a, b, addQuantities);
}

/** The larger of both, resource by resource. */
export function maxResources(a: ResourceList, b: ResourceList): ResourceList {
  return combine(a, b, (left, right) => (compareQuantities(right, left) > 0 ? right : left));
}

function combine(a: ResourceList, b: ResourceList, both: (left: string, right: string) => string): ResourceList {
  const result: Record<string, string> = { ...a };
  for (const [name, value] of Object.entries(b)) result[name] = result[name] === undefined ? value : both(result[name], value);
  return result;
}
