import { goDump } from '../../api/core/v1/go-dump.ts';
import type { Deployment, ReplicaSet } from '../../api/generated/types/apps.v1.ts';
import type { PodTemplateSpec } from '../../api/generated/types/core.v1.ts';
import { byAge } from '../ownership.ts';

export const TEMPLATE_HASH = 'pod-template-hash';

const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const MAX_NAME = 253;
/** The collision count is hashed as a little-endian number in so many bytes. */
const COUNT_BYTES = 8;

/**
 * The value of the pod-template-hash label, upstream's own: 32 bits of FNV-1a over a dump of the template in Go's types
 * and over the collision count, in letters that make no words (pkg/controller/controller_utils.go, ComputeHash).
 */
export function templateHash(template: PodTemplateSpec, collisionCount: number | undefined): string {
  let hash = 0x811c9dc5;
  const add = (byte: number): void => {
    hash = Math.imul(hash ^ byte, 0x01000193);
  };
  for (const byte of new TextEncoder().encode(goDump('PodTemplateSpec', template))) add(byte);
  if (collisionCount !== undefined) {
    for (let index = 0; index < COUNT_BYTES; index++) add(index < 4 ? (collisionCount >>> (8 * index)) & 0xff : 0);
  }
  return safeEncode(hash >>> 0);
}

/** The digits of a number as letters that make no words. Upstream: rand.SafeEncodeString. */
export function safeEncode(number: number): string {
  return [...String(number)].map((digit) => ALPHABET[digit.charCodeAt(0) % ALPHABET.length]).join('');
}

/** `<deployment>-<hash>`, the first part cut so that the whole fits (new in v1.34). */
export function replicaSetName(deploymentName: string, hash: string): string {
  return `${deploymentName.slice(0, MAX_NAME - hash.length - 1)}-${hash}`;
}

/** Whether both make the same pods: all but the hash label counts. Upstream: EqualIgnoreHash. */
export function sameTemplate(a: PodTemplateSpec, b: PodTemplateSpec): boolean {
  return a === b || canonical(withoutHash(a)) === canonical(withoutHash(b));
}

export function withoutHash(template: PodTemplateSpec): PodTemplateSpec {
  if (template.metadata?.labels?.[TEMPLATE_HASH] === undefined) return template;
  const { [TEMPLATE_HASH]: _, ...labels } = template.metadata.labels;
  return { ...template, metadata: { ...template.metadata, labels } };
}

/** The Deployment's ReplicaSet of today: of several with its template, the eldest. Upstream: FindNewReplicaSet. */
export function findNewReplicaSet({ spec }: Deployment, replicaSets: readonly ReplicaSet[]): ReplicaSet | undefined {
  return replicaSets.toSorted(byAge).find((replicaSet) => sameTemplate(replicaSet.spec.template, spec.template));
}

/** What says the same empty and left out. (An empty struct may say more: `emptyDir: {}`.) */
const MAPS = new Set(['annotations', 'labels', 'limits', 'matchLabels', 'nodeSelector', 'overhead', 'requests', 'resources']);

/** JSON with the keys in order and without what is empty. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (key, part: unknown) => {
    if (part === null) return undefined;
    if (typeof part === 'bigint') return String(part);
    if (typeof part !== 'object') return part;
    if (Array.isArray(part)) return part.length === 0 && key !== '' ? undefined : part;
    const entries = Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1));
    return entries.length === 0 && MAPS.has(key) ? undefined : Object.fromEntries(entries);
  });
}
