import type {
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from './generated/types/admissionregistration.v1.ts';
import type { CustomResourceDefinition } from './generated/types/apiextensions.v1.ts';
import type { APIService } from './generated/types/apiregistration.v1.ts';
import type { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from './generated/types/apps.v1.ts';
import type { TokenReview } from './generated/types/authentication.v1.ts';
import type { SubjectAccessReview } from './generated/types/authorization.v1.ts';
import type { HorizontalPodAutoscaler } from './generated/types/autoscaling.v2.ts';
import type { CronJob, Job } from './generated/types/batch.v1.ts';
import type { CertificateSigningRequest } from './generated/types/certificates.v1.ts';
import type { Lease } from './generated/types/coordination.v1.ts';
import type {
  ConfigMap,
  Event as CoreEvent,
  Endpoints,
  LimitRange,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  ReplicationController,
  ResourceQuota,
  Secret,
  Service,
  ServiceAccount,
} from './generated/types/core.v1.ts';
import type { EndpointSlice } from './generated/types/discovery.v1.ts';
import type { FlowSchema, PriorityLevelConfiguration } from './generated/types/flowcontrol.v1.ts';
import type { IPAddress, ServiceCIDR } from './generated/types/networking.v1.ts';
import type { RuntimeClass } from './generated/types/node.v1.ts';
import type { PodDisruptionBudget } from './generated/types/policy.v1.ts';
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from './generated/types/rbac.v1.ts';
import type { PriorityClass } from './generated/types/scheduling.v1.ts';
import type { StorageClass } from './generated/types/storage.v1.ts';
import type { KubeObject, Resource } from './object.ts';

function resource<T extends KubeObject>(group: string, version: string, plural: string, kind: T['kind'], namespaced = true): Resource<T> {
  return { group, version, resource: plural, kind, namespaced };
}

/** The resources that our own components use, by the names of their kinds in the plural. */
export const Namespaces = resource<Namespace>('', 'v1', 'namespaces', 'Namespace', false);
export const Nodes = resource<Node>('', 'v1', 'nodes', 'Node', false);
export const Pods = resource<Pod>('', 'v1', 'pods', 'Pod');
export const ReplicationControllers = resource<ReplicationController>('', 'v1', 'replicationcontrollers', 'ReplicationController');
export const Services = resource<Service>('', 'v1', 'services', 'Service');
export const ServiceAccounts = resource<ServiceAccount>('', 'v1', 'serviceaccounts', 'ServiceAccount');
export const ConfigMaps = resource<ConfigMap>('', 'v1', 'configmaps', 'ConfigMap');
export const Secrets = resource<Secret>('', 'v1', 'secrets', 'Secret');
export const Events = resource<CoreEvent>('', 'v1', 'events', 'Event');
export const EndpointsResource = resource<Endpoints>('', 'v1', 'endpoints', 'Endpoints');
export const LimitRanges = resource<LimitRange>('', 'v1', 'limitranges', 'LimitRange');
export const ResourceQuotas = resource<ResourceQuota>('', 'v1', 'resourcequotas', 'ResourceQuota');
export const PersistentVolumes = resource<PersistentVolume>('', 'v1', 'persistentvolumes', 'PersistentVolume', false);
export const PersistentVolumeClaims = resource<PersistentVolumeClaim>('', 'v1', 'persistentvolumeclaims', 'PersistentVolumeClaim');
export const Deployments = resource<Deployment>('apps', 'v1', 'deployments', 'Deployment');
export const ReplicaSets = resource<ReplicaSet>('apps', 'v1', 'replicasets', 'ReplicaSet');
export const DaemonSets = resource<DaemonSet>('apps', 'v1', 'daemonsets', 'DaemonSet');
export const StatefulSets = resource<StatefulSet>('apps', 'v1', 'statefulsets', 'StatefulSet');
export const ControllerRevisions = resource<ControllerRevision>('apps', 'v1', 'controllerrevisions', 'ControllerRevision');
export const Jobs = resource<Job>('batch', 'v1', 'jobs', 'Job');
export const CronJobs = resource<CronJob>('batch', 'v1', 'cronjobs', 'CronJob');
export const Leases = resource<Lease>('coordination.k8s.io', 'v1', 'leases', 'Lease');
export const EndpointSlices = resource<EndpointSlice>('discovery.k8s.io', 'v1', 'endpointslices', 'EndpointSlice');
export const HorizontalPodAutoscalers = resource<HorizontalPodAutoscaler>('autoscaling', 'v2', 'horizontalpodautoscalers', 'HorizontalPodAutoscaler');
export const PodDisruptionBudgets = resource<PodDisruptionBudget>('policy', 'v1', 'poddisruptionbudgets', 'PodDisruptionBudget');
export const RuntimeClasses = resource<RuntimeClass>('node.k8s.io', 'v1', 'runtimeclasses', 'RuntimeClass', false);
export const SubjectAccessReviews = resource<SubjectAccessReview>('authorization.k8s.io', 'v1', 'subjectaccessreviews', 'SubjectAccessReview', false);
export const TokenReviews = resource<TokenReview>('authentication.k8s.io', 'v1', 'tokenreviews', 'TokenReview', false);
export const PriorityClasses = resource<PriorityClass>('scheduling.k8s.io', 'v1', 'priorityclasses', 'PriorityClass', false);
export const CustomResourceDefinitions = resource<CustomResourceDefinition>(
  'apiextensions.k8s.io',
  'v1',
  'customresourcedefinitions',
  'CustomResourceDefinition',
  false,
);
export const FlowSchemas = resource<FlowSchema>('flowcontrol.apiserver.k8s.io', 'v1', 'flowschemas', 'FlowSchema', false);
export const PriorityLevelConfigurations = resource<PriorityLevelConfiguration>(
  'flowcontrol.apiserver.k8s.io',
  'v1',
  'prioritylevelconfigurations',
  'PriorityLevelConfiguration',
  false,
);
export const ValidatingAdmissionPolicies = resource<ValidatingAdmissionPolicy>(
  'admissionregistration.k8s.io',
  'v1',
  'validatingadmissionpolicies',
  'ValidatingAdmissionPolicy',
  false,
);
export const ValidatingAdmissionPolicyBindings = resource<ValidatingAdmissionPolicyBinding>(
  'admissionregistration.k8s.io',
  'v1',
  'validatingadmissionpolicybindings',
  'ValidatingAdmissionPolicyBinding',
  false,
);
export const ValidatingWebhookConfigurations = resource<ValidatingWebhookConfiguration>(
  'admissionregistration.k8s.io',
  'v1',
  'validatingwebhookconfigurations',
  'ValidatingWebhookConfiguration',
  false,
);
export const MutatingWebhookConfigurations = resource<MutatingWebhookConfiguration>(
  'admissionregistration.k8s.io',
  'v1',
  'mutatingwebhookconfigurations',
  'MutatingWebhookConfiguration',
  false,
);
export const CertificateSigningRequests = resource<CertificateSigningRequest>(
  'certificates.k8s.io',
  'v1',
  'certificatesigningrequests',
  'CertificateSigningRequest',
  false,
);
export const ClusterRoles = resource<ClusterRole>('rbac.authorization.k8s.io', 'v1', 'clusterroles', 'ClusterRole', false);
export const ClusterRoleBindings = resource<ClusterRoleBinding>('rbac.authorization.k8s.io', 'v1', 'clusterrolebindings', 'ClusterRoleBinding', false);
export const Roles = resource<Role>('rbac.authorization.k8s.io', 'v1', 'roles', 'Role');
export const RoleBindings = resource<RoleBinding>('rbac.authorization.k8s.io', 'v1', 'rolebindings', 'RoleBinding');
export const IPAddresses = resource<IPAddress>('networking.k8s.io', 'v1', 'ipaddresses', 'IPAddress', false);
export const ServiceCIDRs = resource<ServiceCIDR>('networking.k8s.io', 'v1', 'servicecidrs', 'ServiceCIDR', false);
export const APIServices = resource<APIService>('apiregistration.k8s.io', 'v1', 'apiservices', 'APIService', false);
export const StorageClasses = resource<StorageClass>('storage.k8s.io', 'v1', 'storageclasses', 'StorageClass', false);
