import type { ServedResource } from './registry.ts';

/** What a column says of itself; the prose is filled in by kind. */
export function describeColumn(_resource: ServedResource, _name: string): string {
  return '';
}
