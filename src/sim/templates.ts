import type { PodTemplateSpec } from '../api/generated/types/core.v1.ts';

const HASH = 'pod-template-hash';

/**
 * Whether two templates make the same pods: all that says something must say the same, but for the hash label. This is the
 * simulator's own judgement; the controller has its own (controllers/deployment/template.ts).
 */
export function makeSamePods(a: PodTemplateSpec, b: PodTemplateSpec): boolean {
  return saysTheSame(a, b, []);
}

function saysTheSame(a: unknown, b: unknown, path: readonly string[]): boolean {
  if (path.at(-1) === HASH && path.at(-2) === 'labels') return true;
  if (saysNothing(a, path) || saysNothing(b, path)) return saysNothing(a, path) && saysNothing(b, path);
  if (typeof a !== 'object' || typeof b !== 'object') return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].every((key) => saysTheSame(left[key], right[key], [...path, key]));
}

/** Maps that say as much when they are empty as when they are left out. (Of other structures, an empty one may say something.) */
const PLAIN_MAPS = new Set(['labels', 'annotations', 'resources', 'limits', 'requests']);

function saysNothing(value: unknown, path: readonly string[]): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  const name = path.at(-1) ?? '';
  if (typeof value !== 'object' || !PLAIN_MAPS.has(name)) return false;
  return Object.keys(value).every((key) => name === 'labels' && key === HASH);
}
