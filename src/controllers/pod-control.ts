import type { Pod, PodTemplateSpec } from '../api/generated/types/core.v1.ts';
import type { Draft, KubeObject, Resource } from '../api/object.ts';
import { Pods } from '../api/resources.ts';
import { controllerReference } from './ownership.ts';
import { type ActionEvents, type Because, type CreateAction, type DeleteAction, deletionOf } from './runtime/plan.ts';

const MAX_NAME = 253;

/** Whoever makes pods from a template. */
export interface PodOwner {
  object: KubeObject;
  resource: Resource;
}

/** A pod as the template has it, named by the API server after its owner. Upstream: controller.GetPodFromTemplate. */
export function podFromTemplate(template: PodTemplateSpec, { object, resource }: PodOwner): Draft<Pod> {
  const { namespace = '', name = '' } = object.metadata;
  const { labels, annotations, finalizers } = template.metadata;
  return {
    metadata: {
      namespace,
      generateName: name.length + 1 > MAX_NAME ? name : `${name}-`,
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
      ...(finalizers ? { finalizers } : {}),
      ownerReferences: [controllerReference(resource, object)],
    },
    spec: template.spec,
  };
}

/** Creates the pod and tells of it; where the namespace is going away, neither counts as a failure. */
export function podCreation({ object }: PodOwner, pod: Draft<Pod>, because: Because): CreateAction {
  const events: ActionEvents = {
    about: object,
    success: { reason: 'SuccessfulCreate', message: 'Created pod: {name}' },
    failure: { reason: 'FailedCreate', prefix: 'Error creating' },
  };
  return { type: 'create', resource: Pods, object: pod, ignoreTerminatingNamespace: true, events, because };
}

/** Deletes the pod and tells of it. */
export function podDeletion(owner: KubeObject, pod: Pod, because: Because): DeleteAction {
  const events: ActionEvents = {
    about: owner,
    success: { reason: 'SuccessfulDelete', message: 'Deleted pod: {name}' },
    failure: { reason: 'FailedDelete', prefix: 'Error deleting' },
  };
  return { ...deletionOf(Pods, pod), events, because };
}
