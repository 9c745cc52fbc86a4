import { descriptions } from '../api/generated/descriptions.ts';
import type { ServedResource } from './registry.ts';

/** Columns that say what a field of the API says of itself, as `<type>.<field>` of the resource's own group unless a group stands before it. */
const FIELDS: Record<string, Record<string, string>> = {
  '*': { Name: 'meta/ObjectMeta.name', Age: 'meta/ObjectMeta.creationTimestamp', 'Created At': 'meta/ObjectMeta.creationTimestamp' },
  configmaps: { Data: 'ConfigMap.data' },
  controllerrevisions: { Revision: 'ControllerRevision.revision' },
  cronjobs: {
    Schedule: 'CronJobSpec.schedule',
    Timezone: 'CronJobSpec.timeZone',
    Suspend: 'CronJobSpec.suspend',
    Active: 'CronJobStatus.active',
    'Last Schedule': 'CronJobStatus.lastScheduleTime',
    Selector: 'JobSpec.selector',
  },
  csidrivers: {
    AttachRequired: 'CSIDriverSpec.attachRequired',
    PodInfoOnMount: 'CSIDriverSpec.podInfoOnMount',
    StorageCapacity: 'CSIDriverSpec.storageCapacity',
    TokenRequests: 'CSIDriverSpec.tokenRequests',
    RequiresRepublish: 'CSIDriverSpec.requiresRepublish',
    Modes: 'CSIDriverSpec.volumeLifecycleModes',
  },
  daemonsets: {
    Desired: 'DaemonSetStatus.desiredNumberScheduled',
    Current: 'DaemonSetStatus.currentNumberScheduled',
    Ready: 'DaemonSetStatus.numberReady',
    'Up-to-date': 'DaemonSetStatus.updatedNumberScheduled',
    Available: 'DaemonSetStatus.numberAvailable',
    'Node Selector': 'core/PodSpec.nodeSelector',
    Selector: 'DaemonSetSpec.selector',
  },
  deployments: { 'Up-to-date': 'DeploymentStatus.updatedReplicas', Available: 'DeploymentStatus.availableReplicas', Selector: 'DeploymentSpec.selector' },
  endpoints: { Endpoints: 'Endpoints.subsets' },
  endpointslices: { AddressType: 'EndpointSlice.addressType', Ports: 'EndpointSlice.ports', Endpoints: 'EndpointSlice.endpoints' },
  events: {
    'Last Seen': 'core/Event.lastTimestamp',
    Type: 'core/Event.type',
    Reason: 'core/Event.reason',
    Object: 'core/Event.involvedObject',
    Subobject: 'core/ObjectReference.fieldPath',
    Source: 'core/Event.source',
    Message: 'core/Event.message',
    'First Seen': 'core/Event.firstTimestamp',
    Count: 'core/Event.count',
  },
  horizontalpodautoscalers: {
    Reference: 'HorizontalPodAutoscalerSpec.scaleTargetRef',
    Targets: 'HorizontalPodAutoscalerSpec.metrics',
    MinPods: 'HorizontalPodAutoscalerSpec.minReplicas',
    MaxPods: 'HorizontalPodAutoscalerSpec.maxReplicas',
    Replicas: 'HorizontalPodAutoscalerStatus.currentReplicas',
  },
  jobs: { Status: 'JobStatus.conditions', Completions: 'JobStatus.succeeded', Selector: 'JobSpec.selector' },
  leases: { Holder: 'LeaseSpec.holderIdentity' },
  networkpolicies: { 'Pod-Selector': 'NetworkPolicySpec.podSelector' },
  nodes: {
    Version: 'NodeSystemInfo.kubeletVersion',
    'Internal-IP': 'NodeStatus.addresses',
    'External-IP': 'NodeStatus.addresses',
    'OS-Image': 'NodeSystemInfo.osImage',
    'Kernel-Version': 'NodeSystemInfo.kernelVersion',
    'Container-Runtime': 'NodeSystemInfo.containerRuntimeVersion',
  },
  persistentvolumeclaims: {
    Status: 'PersistentVolumeClaimStatus.phase',
    Volume: 'PersistentVolumeClaimSpec.volumeName',
    Capacity: 'PersistentVolumeClaimStatus.capacity',
    'Access Modes': 'PersistentVolumeClaimStatus.accessModes',
  },
  persistentvolumes: {
    Capacity: 'PersistentVolumeSpec.capacity',
    'Access Modes': 'PersistentVolumeSpec.accessModes',
    'Reclaim Policy': 'PersistentVolumeSpec.persistentVolumeReclaimPolicy',
    Status: 'PersistentVolumeStatus.phase',
    Claim: 'PersistentVolumeSpec.claimRef',
    Reason: 'PersistentVolumeStatus.reason',
  },
  pods: { IP: 'PodStatus.podIP', Node: 'PodSpec.nodeName', 'Nominated Node': 'PodStatus.nominatedNodeName', 'Readiness Gates': 'PodSpec.readinessGates' },
  priorityclasses: { Value: 'PriorityClass.value', 'Global-Default': 'PriorityClass.globalDefault', PreemptionPolicy: 'PriorityClass.preemptionPolicy' },
  replicasets: {
    Desired: 'ReplicaSetSpec.replicas',
    Current: 'ReplicaSetStatus.replicas',
    Ready: 'ReplicaSetStatus.readyReplicas',
    Selector: 'ReplicaSetSpec.selector',
  },
  replicationcontrollers: {
    Desired: 'ReplicationControllerSpec.replicas',
    Current: 'ReplicationControllerStatus.replicas',
    Ready: 'ReplicationControllerStatus.readyReplicas',
    Selector: 'ReplicationControllerSpec.selector',
  },
  resourcequotas: { Request: 'ResourceQuotaStatus.hard', Limit: 'ResourceQuotaStatus.used' },
  secrets: { Type: 'Secret.type', Data: 'Secret.data' },
  serviceaccounts: { Secrets: 'ServiceAccount.secrets' },
  services: {
    Type: 'ServiceSpec.type',
    'Cluster-IP': 'ServiceSpec.clusterIP',
    'External-IP': 'ServiceSpec.externalIPs',
    'Port(s)': 'ServiceSpec.ports',
    Selector: 'ServiceSpec.selector',
  },
  statefulsets: { Ready: 'StatefulSetStatus.readyReplicas' },
  storageclasses: {
    Provisioner: 'StorageClass.provisioner',
    ReclaimPolicy: 'StorageClass.reclaimPolicy',
    VolumeBindingMode: 'StorageClass.volumeBindingMode',
    AllowVolumeExpansion: 'StorageClass.allowVolumeExpansion',
  },
};

/** Columns that are computed; clients are shown these words. */
const WORDS: Record<string, Record<string, string>> = {
  '*': { Containers: 'Names of each container in the template.', Images: 'Images referenced by each container in the template.' },
  componentstatuses: {
    Status: 'Status of the component conditions',
    Message: 'Message of the component conditions',
    Error: 'Error of the component conditions',
  },
  controllerrevisions: { Controller: 'Controller of the object' },
  deployments: {
    Ready: 'Number of the pod with ready state',
    Selector: 'Label selector for pods. Existing ReplicaSets whose pods are selected by this will be the ones affected by this deployment.',
  },
  ingresses: {
    Class: 'The name of the IngressClass resource that should be used for additional configuration',
    Hosts: 'Hosts that incoming requests are matched against before the ingress rule',
    Address: 'Address is a list containing ingress points for the load-balancer',
    Ports: 'Ports of TLS configurations that open',
  },
  namespaces: { Status: 'The status of the namespace' },
  nodes: { Status: 'The status of the node', Roles: 'The roles of the node' },
  persistentvolumeclaims: { StorageClass: 'StorageClass of the pvc' },
  persistentvolumes: { StorageClass: 'StorageClass of the pv' },
  poddisruptionbudgets: {
    'Min Available': 'The minimum number of pods that must be available.',
    'Max Unavailable': 'The maximum number of pods that may be unavailable.',
    'Allowed Disruptions': 'Calculated number of pods that may be disrupted at this time.',
  },
  pods: {
    Ready: 'The aggregate readiness state of this pod for accepting traffic.',
    Status: 'The aggregate status of the containers in this pod.',
    Restarts: 'The number of times the containers in this pod have been restarted and when the last container in this pod has restarted.',
  },
  podtemplates: { 'Pod Labels': 'The labels for the pod template.' },
  replicasets: {
    Selector:
      'Selector is a label query over pods that should match the replica count. If the selector is empty, it is defaulted to the labels present on the pod template. Label keys and values that must match in order to be controlled by this replica set. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors',
  },
  statefulsets: { Ready: 'Number of the pod with ready state' },
};

/** What a column of a Table says of itself (pkg/printers/internalversion/printers.go). */
export function describeColumn({ facts, schemaId }: ServedResource, name: string): string {
  const words = WORDS[facts.resource]?.[name] ?? WORDS['*']![name];
  if (words !== undefined) return words;
  const reference = FIELDS[facts.resource]?.[name] ?? FIELDS['*']![name];
  if (reference === undefined) return '';
  const [group, path = reference] = reference.includes('/') ? reference.split('/') : [''];
  const [type = '', field = ''] = path.split('.');
  const home =
    group === 'meta' ? 'io.k8s.apimachinery.pkg.apis.meta.v1' : group === 'core' ? 'io.k8s.api.core.v1' : schemaId.slice(0, schemaId.lastIndexOf('.'));
  return descriptions[`${home}.${type}`]?.fields[field] ?? '';
}
