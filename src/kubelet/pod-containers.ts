import type { Container, Pod } from '../api/generated/types/core.v1.ts';

/** An init container that is kept up as long as the others run. */
export const isSidecar = (container: Container): boolean => container.restartPolicy === 'Always';

/** The containers of all three lists of the pod's spec; ephemeral ones have the same fields. */
export function allContainers({ spec }: Pod): Container[] {
  return [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...((spec.ephemeralContainers ?? []) as Container[])];
}

/** The container of this name; one that only the runtime knows has no more than its name. */
export function containerNamed(pod: Pod, name: string): Container {
  return allContainers(pod).find((container) => container.name === name) ?? { name, resources: {} };
}

/** The container as events name it, e.g. `spec.containers{app}`. */
export function fieldPathOf({ spec }: Pod, name: string): string {
  const isIn = (list: readonly { name: string }[] | undefined): boolean => (list ?? []).some((container) => container.name === name);
  const list = isIn(spec.initContainers) ? 'initContainers' : isIn(spec.ephemeralContainers) ? 'ephemeralContainers' : 'containers';
  return `spec.${list}{${name}}`;
}

/** What a container is given of processor and memory, in a text that is the same for the same. */
export function resourcesText({ resources }: Container): string {
  const of = (list: Readonly<Record<string, string>> | undefined): string => ['cpu', 'memory'].map((name) => list?.[name] ?? '').join(',');
  return `${of(resources?.requests)};${of(resources?.limits)}`;
}

/**
 * Tells whether a running container is still the one that its pod's spec asks for: of all that makes a container, only
 * its image may change while it runs (upstream: kubecontainer.HashContainer). FNV-1a, 32 bits, in hexadecimal.
 */
export function containerHash({ name, image = '' }: Container): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(JSON.stringify([name, image]))) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16);
}
