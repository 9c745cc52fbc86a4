import type { PodSpec } from '../../../generated/types/core.v1.ts';

/** The cells CONTAINERS and IMAGES of kinds with a pod template. */
export function templateCells(spec: PodSpec | undefined): [string, string] {
  const containers = spec?.containers ?? [];
  return [containers.map((c) => c.name).join(','), containers.map((c) => c.image ?? '').join(',')];
}
