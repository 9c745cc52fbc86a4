import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The cases of a file of recordings: what a real v1.34 control plane answered. */
export function recordings<T>(file: string): T[] {
  return readFileSync(join(import.meta.dirname, file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
}

/** As the replayer compares: managedFields count only where a case is about them. */
export function withoutManagedFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutManagedFields);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, inner]) => key !== 'managedFields' && inner !== undefined)
      .map(([key, inner]) => [key, withoutManagedFields(inner)]),
  );
}

/** A plain copy, as JSON would carry it. */
export function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
