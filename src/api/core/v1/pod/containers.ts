import { at } from '../../../field-error.ts';
import type { Container, EphemeralContainer, PodSpec } from '../../../generated/types/core.v1.ts';

export interface ContainerAt {
  container: Container;
  path: string;
}

/** All containers of a pod, in the order in which upstream visits them. */
export function containersOf(spec: PodSpec, field: string): ContainerAt[] {
  return (['initContainers', 'containers', 'ephemeralContainers'] as const).flatMap((list) =>
    ((spec[list] ?? []) as readonly (Container | EphemeralContainer)[]).map((container, index) => ({
      container: container as Container,
      path: at(`${field}.${list}`, index),
    })),
  );
}
