import type { ControllerRevision } from '../api/generated/types/apps.v1.ts';
import type { PodTemplateSpec } from '../api/generated/types/core.v1.ts';
import { stringifyExact } from '../lib/exact-json.ts';
import { safeEncode } from './deployment/template.ts';
import { byAge } from './ownership.ts';

// The past of StatefulSets and DaemonSets: a ControllerRevision for each template that they had, holding a patch that
// brings it back. Upstream: pkg/controller/history/controller_history.go.

/** What brings a template back, as it stands in a revision's data. */
export interface TemplatePatch {
  spec: { template: PodTemplateSpec & { $patch: 'replace' } };
}

export function templatePatch(template: PodTemplateSpec): TemplatePatch {
  return { spec: { template: { ...template, $patch: 'replace' } } };
}

/** The template that a revision holds. */
export function templateOf(revision: ControllerRevision): PodTemplateSpec {
  const { $patch: _, ...template } = (revision.data as TemplatePatch).spec.template;
  return template;
}

/** The text of a revision's data, by which revisions are compared and named: Go's JSON, keys in order. */
export function dataText(data: unknown): string {
  return sortedJson(data).replaceAll(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join()}]`;
  if (typeof value !== 'object' || value === null) return stringifyExact(value);
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${sortedJson(inner)}`).join()}}`;
}

export function sameData(a: unknown, b: unknown): boolean {
  return dataText(a) === dataText(b);
}

/** 32 bits of FNV-1 over the data and the count of collisions, in letters that make no words. Upstream: HashControllerRevision. */
export function revisionHash(data: unknown, collisionCount: number): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(dataText(data) + collisionCount)) hash = Math.imul(hash, 0x01000193) ^ byte;
  return safeEncode(hash >>> 0);
}

const MAX_PREFIX = 223;

export function revisionName(ownerName: string, hash: string): string {
  return `${ownerName.slice(0, MAX_PREFIX)}-${hash}`;
}

/** Lowest revision first; of the same, the eldest. Upstream: SortControllerRevisions. */
export function byRevision(a: ControllerRevision, b: ControllerRevision): number {
  return a.revision - b.revision || byAge(a, b);
}
