import type { Deployment, ReplicaSet } from '../api/generated/types/apps.v1.ts';
import type { Pod } from '../api/generated/types/core.v1.ts';
import type { KubeObject } from '../api/object.ts';
import { ownerUid, type Write } from './cluster-model.ts';
import { isReady } from './pods.ts';

/** What happened in a run, in order, a line each. Lines are made when they are asked for. */
export class EventLog {
  readonly #entries: (() => string)[] = [];

  get lines(): readonly string[] {
    return this.#entries.map((line) => line());
  }

  /** What a user, a fault or the simulator did. */
  note(atMs: number, text: string): void {
    this.#entries.push(() => `${time(atMs)}  ${text}`);
  }

  write(atMs: number, write: Write): void {
    this.#entries.push(() => `${time(atMs)}  ${describe(write)}`);
  }
}

function time(ms: number): string {
  return (ms / 1000).toFixed(3).padStart(9);
}

function describe({ revision, resource, writer, before, after }: Write): string {
  const object = (after ?? before)!;
  const verb = after ? (before ? 'updated' : 'created') : 'removed';
  const going = object.metadata.deletionTimestamp && after ? ' (going)' : '';
  return `#${revision} ${writer} ${verb} ${resource}/${object.metadata.name}${going} ${summary(object)}`;
}

function summary(object: KubeObject): string {
  switch (object.kind) {
    case 'Deployment': {
      const { metadata, spec, status = {} } = object as Deployment;
      const { replicas = 0, updatedReplicas = 0, availableReplicas = 0, observedGeneration = 0 } = status;
      const progress = status.conditions?.find(({ type }) => type === 'Progressing');
      const revision = metadata.annotations?.['deployment.kubernetes.io/revision'];
      return `${spec.template.spec.containers[0]?.image} wants ${spec.replicas}, has ${replicas}, updated ${updatedReplicas}, available ${availableReplicas}; generation ${metadata.generation} observed ${observedGeneration}; revision ${revision}; ${progress?.reason}`;
    }
    case 'ReplicaSet': {
      const { metadata, spec, status } = object as ReplicaSet;
      const revision = metadata.annotations?.['deployment.kubernetes.io/revision'];
      return `${spec.template?.spec.containers[0]?.image} wants ${spec.replicas}, has ${status?.replicas ?? 0}, available ${status?.availableReplicas ?? 0}; revision ${revision}; ${ownerUid(object) ? 'owned' : 'orphan'}`;
    }
    default: {
      const pod = object as Pod;
      return `${pod.spec.nodeName ?? 'unplaced'} ${pod.status.phase}${isReady(pod) ? ' ready' : ''}${ownerUid(pod) ? '' : ' orphan'}`;
    }
  }
}
