import type { PodSpec } from '../../../../generated/types/core.v1.ts';
import { type InternalTypes, internalJson } from '../../../../internal-json.ts';

/** Go's internal types of a pod's spec (pkg/apis/core/types.go). */
const TYPES: InternalTypes = {
  PodSpec:
    'Volumes[Volume InitContainers[Container Containers[Container EphemeralContainers* RestartPolicy TerminationGracePeriodSeconds* ActiveDeadlineSeconds* DNSPolicy NodeSelector* ServiceAccountName AutomountServiceAccountToken* NodeName SecurityContext&PodSecurityContext ImagePullSecrets[Named Hostname Subdomain SetHostnameAsFQDN* Affinity* SchedulerName Tolerations[Toleration HostAliases[HostAlias PriorityClassName Priority* PreemptionPolicy* DNSConfig&PodDNSConfig ReadinessGates[ReadinessGate RuntimeClassName* Overhead* EnableServiceLinks* TopologySpreadConstraints* OS&Named SchedulingGates[Named ResourceClaims* Resources&ResourceRequirements HostnameOverride*',
  Container:
    'Name Image Command* Args* WorkingDir Ports[ContainerPort EnvFrom* Env[EnvVar Resources=ResourceRequirements ResizePolicy* RestartPolicy* RestartPolicyRules* VolumeMounts[VolumeMount VolumeDevices* LivenessProbe&Probe ReadinessProbe&Probe StartupProbe&Probe Lifecycle* TerminationMessagePath TerminationMessagePolicy ImagePullPolicy SecurityContext&SecurityContext Stdin? StdinOnce? TTY?',
  ContainerPort: 'Name HostPort# ContainerPort# Protocol HostIP',
  EnvVar: 'Name Value ValueFrom&EnvVarSource',
  EnvVarSource: 'FieldRef&FieldRef ResourceFieldRef* ConfigMapKeyRef&KeyRef SecretKeyRef&KeyRef FileKeyRef*',
  FieldRef: 'APIVersion FieldPath',
  KeyRef: 'Name Key Optional*',
  ResourceRequirements: 'Limits* Requests* Claims*',
  VolumeMount: 'Name ReadOnly? RecursiveReadOnly* MountPath SubPath MountPropagation* SubPathExpr',
  Probe:
    'Exec&ExecAction HTTPGet&HTTPGetAction TCPSocket* GRPC* InitialDelaySeconds# TimeoutSeconds# PeriodSeconds# SuccessThreshold# FailureThreshold# TerminationGracePeriodSeconds*',
  ExecAction: 'Command*',
  HTTPGetAction: 'Path Port Host Scheme HTTPHeaders*',
  SecurityContext:
    'Capabilities* Privileged* SELinuxOptions* WindowsOptions* RunAsUser* RunAsGroup* RunAsNonRoot* ReadOnlyRootFilesystem* AllowPrivilegeEscalation* ProcMount* SeccompProfile* AppArmorProfile*',
  PodSecurityContext:
    'HostNetwork? HostPID? HostIPC? ShareProcessNamespace* HostUsers* SELinuxOptions* WindowsOptions* RunAsUser* RunAsGroup* RunAsNonRoot* SupplementalGroups* SupplementalGroupsPolicy* FSGroup* Sysctls* FSGroupChangePolicy* SeccompProfile* AppArmorProfile* SELinuxChangePolicy*',
  Toleration: 'Key Operator Value Effect TolerationSeconds*',
  HostAlias: 'IP Hostnames*',
  PodDNSConfig: 'Nameservers* Searches* Options*',
  ReadinessGate: 'ConditionType',
  Named: 'Name',
  Volume:
    'Name HostPath* EmptyDir&EmptyDir GCEPersistentDisk* AWSElasticBlockStore* GitRepo* Secret&SecretVolume NFS* ISCSI* Glusterfs* PersistentVolumeClaim&Claim RBD* Quobyte* FlexVolume* Cinder* CephFS* Flocker* DownwardAPI* FC* AzureFile* ConfigMap&ConfigMapVolume VsphereVolume* AzureDisk* PhotonPersistentDisk* Projected&Projected PortworxVolume* ScaleIO* StorageOS* CSI* Ephemeral* Image*',
  EmptyDir: 'Medium SizeLimit*',
  SecretVolume: 'SecretName Items[KeyToPath DefaultMode* Optional*',
  ConfigMapVolume: 'Name Items[KeyToPath DefaultMode* Optional*',
  Claim: 'ClaimName ReadOnly?',
  KeyToPath: 'Key Path Mode*',
  Projected: 'Sources[Projection DefaultMode*',
  Projection:
    'Secret&ConfigMapProjection DownwardAPI&DownwardAPIProjection ConfigMap&ConfigMapProjection ServiceAccountToken&Token ClusterTrustBundle=TrustBundle PodCertificate*',
  ConfigMapProjection: 'Name Items[KeyToPath Optional*',
  DownwardAPIProjection: 'Items[DownwardAPIFile',
  DownwardAPIFile: 'Path FieldRef&FieldRef ResourceFieldRef* Mode*',
  // A recording of v1.34.0 counts six more lines a source than six pointers give; a trust bundle held by value gives them.
  TrustBundle: 'Name* SignerName* LabelSelector* Optional* Path',
  Token: 'Audience ExpirationSeconds# Path',
};

const JSON_NAMES: Readonly<Record<string, string>> = {
  DNSPolicy: 'dnsPolicy',
  SetHostnameAsFQDN: 'setHostnameAsFQDN',
  DNSConfig: 'dnsConfig',
  OS: 'os',
  TTY: 'tty',
  HTTPGet: 'httpGet',
  TCPSocket: 'tcpSocket',
  GRPC: 'grpc',
  HTTPHeaders: 'httpHeaders',
  HostIP: 'hostIP',
  HostPID: 'hostPID',
  HostIPC: 'hostIPC',
  IP: 'ip',
  APIVersion: 'apiVersion',
  SELinuxOptions: 'seLinuxOptions',
  SELinuxChangePolicy: 'seLinuxChangePolicy',
  FSGroup: 'fsGroup',
  FSGroupChangePolicy: 'fsGroupChangePolicy',
  GCEPersistentDisk: 'gcePersistentDisk',
  AWSElasticBlockStore: 'awsElasticBlockStore',
  NFS: 'nfs',
  ISCSI: 'iscsi',
  RBD: 'rbd',
  CephFS: 'cephfs',
  FC: 'fc',
  StorageOS: 'storageos',
  CSI: 'csi',
};

/** The spec as Go's JSON of the internal type has it. Its security context holds the host namespaces, too. */
export function internalPodSpec(spec: PodSpec): unknown {
  const { hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers } = spec;
  const securityContext = { ...spec.securityContext, hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers };
  return internalJson({ ...spec, securityContext }, 'PodSpec', { types: TYPES, jsonNames: JSON_NAMES });
}
