import type { ReplicaSet } from '../../api/generated/types/apps.v1.ts';
import type { PodTemplateSpec, ReplicationController } from '../../api/generated/types/core.v1.ts';
import { type Selector, selectorFrom, selectorFromMap } from '../../api/labels.ts';
import type { Resource } from '../../api/object.ts';
import { ReplicaSets, ReplicationControllers } from '../../api/resources.ts';

/** What ReplicaSets and ReplicationControllers have in common: one core controls both. */
export interface Workload {
  resource: Resource;
  object: ReplicaSet | ReplicationController;
  replicas: number;
  minReadySeconds: number;
  selector: Selector;
  template: PodTemplateSpec;
}

export function replicaSetWorkload(object: ReplicaSet): Workload {
  const { replicas = 1, minReadySeconds = 0, selector, template } = object.spec;
  return { resource: ReplicaSets, object, replicas, minReadySeconds, selector: selectorFrom(selector), template };
}

export function replicationControllerWorkload(object: ReplicationController): Workload {
  const { replicas = 1, minReadySeconds = 0, selector, template } = object.spec;
  return {
    resource: ReplicationControllers,
    object,
    replicas,
    minReadySeconds,
    selector: selectorFromMap(selector),
    template: template ?? { metadata: {}, spec: { containers: [] } },
  };
}
