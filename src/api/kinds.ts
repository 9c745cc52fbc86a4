import { validatingAdmissionPolicy } from './admissionregistration/v1/validating-admission-policy.ts';
import { validatingAdmissionPolicyBinding } from './admissionregistration/v1/validating-admission-policy-binding.ts';
import { mutatingWebhookConfiguration, validatingWebhookConfiguration } from './admissionregistration/v1/webhook-configurations.ts';
import { customResourceDefinition } from './apiextensions/v1/custom-resource-definition.ts';
import { apiService } from './apiregistration/v1/api-service.ts';
import { controllerRevision } from './apps/v1/controller-revision.ts';
import { daemonSet } from './apps/v1/daemon-set.ts';
import { deployment } from './apps/v1/deployment.ts';
import { replicaSet } from './apps/v1/replica-set.ts';
import { statefulSet } from './apps/v1/stateful-set.ts';
import { localSubjectAccessReview, selfSubjectAccessReview, subjectAccessReview } from './authorization/v1/access-reviews.ts';
import { horizontalPodAutoscalerV1 } from './autoscaling/v1/horizontal-pod-autoscaler.ts';
import { horizontalPodAutoscaler } from './autoscaling/v2/horizontal-pod-autoscaler.ts';
import { cronJob } from './batch/v1/cron-job.ts';
import { job } from './batch/v1/job.ts';
import { certificateSigningRequest } from './certificates/v1/certificate-signing-request.ts';
import { lease } from './coordination/v1/lease.ts';
import { componentStatus } from './core/v1/component-status.ts';
import { configMap } from './core/v1/config-map.ts';
import { endpoints } from './core/v1/endpoints.ts';
import { event } from './core/v1/event.ts';
import { limitRange } from './core/v1/limit-range.ts';
import { namespace } from './core/v1/namespace.ts';
import { node } from './core/v1/node.ts';
import { persistentVolume } from './core/v1/persistent-volume.ts';
import { persistentVolumeClaim } from './core/v1/persistent-volume-claim.ts';
import { pod } from './core/v1/pod.ts';
import { podTemplate } from './core/v1/pod-template.ts';
import { replicationController } from './core/v1/replication-controller.ts';
import { resourceQuota } from './core/v1/resource-quota.ts';
import { secret } from './core/v1/secret.ts';
import { service } from './core/v1/service.ts';
import { serviceAccount } from './core/v1/service-account.ts';
import { endpointSlice } from './discovery/v1/endpoint-slice.ts';
import { eventsEvent } from './events/v1/event.ts';
import { flowSchema } from './flowcontrol/v1/flow-schema.ts';
import { priorityLevelConfiguration } from './flowcontrol/v1/priority-level-configuration.ts';
import type { KindBehaviour } from './kind.ts';
import { ingress } from './networking/v1/ingress.ts';
import { ingressClass } from './networking/v1/ingress-class.ts';
import { networkPolicy } from './networking/v1/network-policy.ts';
import { ipAddress, serviceCIDR } from './networking/v1/service-addresses.ts';
import { runtimeClass } from './node/v1/runtime-class.ts';
import type { KubeObject } from './object.ts';
import { podDisruptionBudget } from './policy/v1/pod-disruption-budget.ts';
import { clusterRole } from './rbac/v1/cluster-role.ts';
import { clusterRoleBinding } from './rbac/v1/cluster-role-binding.ts';
import { role } from './rbac/v1/role.ts';
import { roleBinding } from './rbac/v1/role-binding.ts';
import { deviceClass, resourceClaim, resourceSlice } from './resource/v1/dynamic-resources.ts';
import { priorityClass } from './scheduling/v1/priority-class.ts';
import { csiDriver } from './storage/v1/csi-driver.ts';
import { csiNode } from './storage/v1/csi-node.ts';
import { csiStorageCapacity } from './storage/v1/csi-storage-capacity.ts';
import { storageClass } from './storage/v1/storage-class.ts';
import { volumeAttachment } from './storage/v1/volume-attachment.ts';
import { volumeAttributesClass } from './storage/v1/volume-attributes-class.ts';

/** Lets kinds of different types stand in one list; a behaviour is only ever called with objects of its own kind. */
const of = <T extends KubeObject>(behaviour: KindBehaviour<T>): KindBehaviour => behaviour as unknown as KindBehaviour;

/** Every kind that is more than its schema. A new kind is one file and one line here. */
export const kinds: readonly KindBehaviour[] = [
  of(namespace),
  of(node),
  of(pod),
  of(replicationController),
  of(service),
  of(componentStatus),
  of(subjectAccessReview),
  of(selfSubjectAccessReview),
  of(localSubjectAccessReview),
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
  of(controllerRevision),
  of(daemonSet),
  of(statefulSet),
  of(horizontalPodAutoscalerV1),
  of(horizontalPodAutoscaler),
  of(certificateSigningRequest),
  of(cronJob),
  of(job),
  of(limitRange),
  of(resourceQuota),
  of(persistentVolume),
  of(persistentVolumeClaim),
  of(podTemplate),
  of(ingress),
  of(ingressClass),
  of(networkPolicy),
  of(podDisruptionBudget),
  of(priorityClass),
  of(role),
  of(clusterRole),
  of(roleBinding),
  of(clusterRoleBinding),
  of(storageClass),
  of(mutatingWebhookConfiguration),
  of(validatingWebhookConfiguration),
  of(validatingAdmissionPolicy),
  of(validatingAdmissionPolicyBinding),
  of(apiService),
  of(customResourceDefinition),
  of(flowSchema),
  of(priorityLevelConfiguration),
  of(runtimeClass),
  of(deviceClass),
  of(resourceClaim),
  of(resourceSlice),
  of(ipAddress),
  of(serviceCIDR),
  of(csiDriver),
  of(csiNode),
  of(csiStorageCapacity),
  of(volumeAttachment),
  of(volumeAttributesClass),
];
