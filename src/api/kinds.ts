import { deployment } from './apps/v1/deployment.ts';
import { replicaSet } from './apps/v1/replica-set.ts';
import { lease } from './coordination/v1/lease.ts';
import { configMap } from './core/v1/config-map.ts';
import { endpoints } from './core/v1/endpoints.ts';
import { event } from './core/v1/event.ts';
import { namespace } from './core/v1/namespace.ts';
import { node } from './core/v1/node.ts';
import { pod } from './core/v1/pod.ts';
import { replicationController } from './core/v1/replication-controller.ts';
import { secret } from './core/v1/secret.ts';
import { service } from './core/v1/service.ts';
import { serviceAccount } from './core/v1/service-account.ts';
import { endpointSlice } from './discovery/v1/endpoint-slice.ts';
import { eventsEvent } from './events/v1/event.ts';
import type { KubeObject } from './object.ts';
import type { KindBehaviour } from './resource.ts';

/** Lets kinds of different types stand in one list; a behaviour is only ever called with objects of its own kind. */
const of = <T extends KubeObject>(behaviour: KindBehaviour<T>): KindBehaviour => behaviour as unknown as KindBehaviour;

/** Every kind that is more than its schema. A new kind is one file and one line here. */
export const kinds: readonly KindBehaviour[] = [
  of(namespace),
  of(node),
  of(pod),
  of(replicationController),
  of(service),
  of(configMap),
  of(secret),
  of(serviceAccount),
  of(event),
  of(endpoints),
  of(deployment),
  of(replicaSet),
  of(lease),
  of(endpointSlice),
  of(eventsEvent),
];
