import { asGiven } from '../../emptied.ts';
import type { PodSecurityContext, PodSpec, PodTemplateSpec } from '../../generated/types/core.v1.ts';
import { METADATA_FIELDS } from '../../meta/fields.ts';

/**
 * Go's internal types: the names and the order of their fields, as messages print them (pkg/apis/core/types.go and batch/types.go). After a
 * name, `=json` where the JSON name is not the name with a small first letter, then `:` and what it is: `*` a pointer, list
 * or map, `&Type` a pointer to that type, `[Type` a list of it, `=Type` one held by value, `#` a number, `?` a boolean, `%` a
 * quantity; else text. `@` stands for metadata, which is printed in line.
 */
const TYPES = {
  PodTemplateSpec: '@ Spec:=PodSpec',
  PodSpec:
    'Volumes:[Volume InitContainers:[Container Containers:[Container EphemeralContainers:[EphemeralContainer RestartPolicy TerminationGracePeriodSeconds:* ActiveDeadlineSeconds:* DNSPolicy=dnsPolicy NodeSelector:* ServiceAccountName AutomountServiceAccountToken:* NodeName SecurityContext:&PodSecurityContext ImagePullSecrets:[LocalObjectReference Hostname Subdomain SetHostnameAsFQDN:* Affinity:&Affinity SchedulerName Tolerations:[Toleration HostAliases:[HostAlias PriorityClassName Priority:* PreemptionPolicy:* DNSConfig=dnsConfig:&PodDNSConfig ReadinessGates:[PodReadinessGate RuntimeClassName:* Overhead:* EnableServiceLinks:* TopologySpreadConstraints:[TopologySpreadConstraint OS=os:&PodOS SchedulingGates:[PodSchedulingGate ResourceClaims:[PodResourceClaim Resources:&ResourceRequirements HostnameOverride:*',
  PersistentVolumeSource:
    'GCEPersistentDisk=gcePersistentDisk:&GCEPersistentDiskVolumeSource AWSElasticBlockStore=awsElasticBlockStore:&AWSElasticBlockStoreVolumeSource HostPath:&HostPathVolumeSource Glusterfs:&GlusterfsPersistentVolumeSource NFS=nfs:&NFSVolumeSource RBD=rbd:&RBDPersistentVolumeSource Quobyte:&QuobyteVolumeSource ISCSI=iscsi:&ISCSIPersistentVolumeSource FlexVolume:&FlexPersistentVolumeSource Cinder:&CinderPersistentVolumeSource CephFS=cephfs:&CephFSPersistentVolumeSource FC=fc:&FCVolumeSource Flocker:&FlockerVolumeSource AzureFile:&AzureFilePersistentVolumeSource VsphereVolume:&VsphereVirtualDiskVolumeSource AzureDisk:&AzureDiskVolumeSource PhotonPersistentDisk:&PhotonPersistentDiskVolumeSource PortworxVolume:&PortworxVolumeSource ScaleIO:&ScaleIOPersistentVolumeSource Local:&LocalVolumeSource StorageOS=storageos:&StorageOSPersistentVolumeSource CSI=csi:&CSIPersistentVolumeSource',
  PersistentVolumeClaimSpec:
    'AccessModes:* Selector:* Resources:=VolumeResourceRequirements VolumeName StorageClassName:* VolumeMode:* DataSource:&TypedLocalObjectReference DataSourceRef:&TypedObjectReference VolumeAttributesClassName:*',
  VolumeNodeAffinity: 'Required:&NodeSelector',
  Volume:
    'Name HostPath:&HostPathVolumeSource EmptyDir:&EmptyDirVolumeSource GCEPersistentDisk=gcePersistentDisk:&GCEPersistentDiskVolumeSource AWSElasticBlockStore=awsElasticBlockStore:&AWSElasticBlockStoreVolumeSource GitRepo:&GitRepoVolumeSource Secret:&SecretVolumeSource NFS=nfs:&NFSVolumeSource ISCSI=iscsi:&ISCSIVolumeSource Glusterfs:&GlusterfsVolumeSource PersistentVolumeClaim:&PersistentVolumeClaimVolumeSource RBD=rbd:&RBDVolumeSource Quobyte:&QuobyteVolumeSource FlexVolume:&FlexVolumeSource Cinder:&CinderVolumeSource CephFS=cephfs:&CephFSVolumeSource Flocker:&FlockerVolumeSource DownwardAPI:&DownwardAPIVolumeSource FC=fc:&FCVolumeSource AzureFile:&AzureFileVolumeSource ConfigMap:&ConfigMapVolumeSource VsphereVolume:&VsphereVirtualDiskVolumeSource AzureDisk:&AzureDiskVolumeSource PhotonPersistentDisk:&PhotonPersistentDiskVolumeSource Projected:&ProjectedVolumeSource PortworxVolume:&PortworxVolumeSource ScaleIO:&ScaleIOVolumeSource StorageOS=storageos:&StorageOSVolumeSource CSI=csi:&CSIVolumeSource Ephemeral:&EphemeralVolumeSource Image:&ImageVolumeSource',
  Container:
    'Name Image Command:* Args:* WorkingDir Ports:[ContainerPort EnvFrom:[EnvFromSource Env:[EnvVar Resources:=ResourceRequirements ResizePolicy:[ContainerResizePolicy RestartPolicy:* RestartPolicyRules:[ContainerRestartRule VolumeMounts:[VolumeMount VolumeDevices:[VolumeDevice LivenessProbe:&Probe ReadinessProbe:&Probe StartupProbe:&Probe Lifecycle:&Lifecycle TerminationMessagePath TerminationMessagePolicy ImagePullPolicy SecurityContext:&SecurityContext Stdin:? StdinOnce:? TTY=tty:?',
  EphemeralContainer:
    'Name Image Command:* Args:* WorkingDir Ports:[ContainerPort EnvFrom:[EnvFromSource Env:[EnvVar Resources:=ResourceRequirements ResizePolicy:[ContainerResizePolicy RestartPolicy:* RestartPolicyRules:[ContainerRestartRule VolumeMounts:[VolumeMount VolumeDevices:[VolumeDevice LivenessProbe:&Probe ReadinessProbe:&Probe StartupProbe:&Probe Lifecycle:&Lifecycle TerminationMessagePath TerminationMessagePolicy ImagePullPolicy SecurityContext:&SecurityContext Stdin:? StdinOnce:? TTY=tty:? TargetContainerName',
  PodSecurityContext:
    'HostNetwork:? HostPID:? HostIPC:? ShareProcessNamespace:* HostUsers:* SELinuxOptions=seLinuxOptions:&SELinuxOptions WindowsOptions:&WindowsSecurityContextOptions RunAsUser:* RunAsGroup:* RunAsNonRoot:* SupplementalGroups:* SupplementalGroupsPolicy:* FSGroup=fsGroup:* FSGroupChangePolicy=fsGroupChangePolicy:* Sysctls:[Sysctl SeccompProfile:&SeccompProfile AppArmorProfile:&AppArmorProfile SELinuxChangePolicy=seLinuxChangePolicy:*',
  LocalObjectReference: 'Name',
  Affinity: 'NodeAffinity:&NodeAffinity PodAffinity:&PodAffinity PodAntiAffinity:&PodAntiAffinity',
  Toleration: 'Key Operator Value Effect TolerationSeconds:*',
  HostAlias: 'IP=ip Hostnames:*',
  PodDNSConfig: 'Nameservers:* Searches:* Options:[PodDNSConfigOption',
  PodReadinessGate: 'ConditionType',
  TopologySpreadConstraint: 'MaxSkew:# TopologyKey WhenUnsatisfiable LabelSelector:* MinDomains:* NodeAffinityPolicy:* NodeTaintsPolicy:* MatchLabelKeys:*',
  PodOS: 'Name',
  PodSchedulingGate: 'Name',
  PodResourceClaim: 'Name ResourceClaimName:* ResourceClaimTemplateName:*',
  ResourceRequirements: 'Limits:* Requests:* Claims:[ResourceClaim',
  GCEPersistentDiskVolumeSource: 'PDName=pdName FSType=fsType Partition:# ReadOnly:?',
  AWSElasticBlockStoreVolumeSource: 'VolumeID FSType=fsType Partition:# ReadOnly:?',
  HostPathVolumeSource: 'Path Type:*',
  GlusterfsPersistentVolumeSource: 'EndpointsName=endpoints Path ReadOnly:? EndpointsNamespace:*',
  NFSVolumeSource: 'Server Path ReadOnly:?',
  RBDPersistentVolumeSource: 'CephMonitors=monitors:* RBDImage=image FSType=fsType RBDPool=pool RadosUser=user Keyring SecretRef:&SecretReference ReadOnly:?',
  QuobyteVolumeSource: 'Registry Volume ReadOnly:? User Group Tenant',
  ISCSIPersistentVolumeSource:
    'TargetPortal IQN=iqn Lun:# ISCSIInterface=iscsiInterface FSType=fsType ReadOnly:? Portals:* DiscoveryCHAPAuth=chapAuthDiscovery:? SessionCHAPAuth=chapAuthSession:? SecretRef:&SecretReference InitiatorName:*',
  FlexPersistentVolumeSource: 'Driver FSType=fsType SecretRef:&SecretReference ReadOnly:? Options:*',
  CinderPersistentVolumeSource: 'VolumeID FSType=fsType ReadOnly:? SecretRef:&SecretReference',
  CephFSPersistentVolumeSource: 'Monitors:* Path User SecretFile SecretRef:&SecretReference ReadOnly:?',
  FCVolumeSource: 'TargetWWNs:* Lun:* FSType=fsType ReadOnly:? WWIDs=wwids:*',
  FlockerVolumeSource: 'DatasetName DatasetUUID',
  AzureFilePersistentVolumeSource: 'SecretName ShareName ReadOnly:? SecretNamespace:*',
  VsphereVirtualDiskVolumeSource: 'VolumePath FSType=fsType StoragePolicyName StoragePolicyID',
  AzureDiskVolumeSource: 'DiskName DataDiskURI=diskURI CachingMode:* FSType=fsType:* ReadOnly:* Kind:*',
  PhotonPersistentDiskVolumeSource: 'PdID FSType=fsType',
  PortworxVolumeSource: 'VolumeID FSType=fsType ReadOnly:?',
  ScaleIOPersistentVolumeSource:
    'Gateway System SecretRef:&SecretReference SSLEnabled=sslEnabled:? ProtectionDomain StoragePool StorageMode VolumeName FSType=fsType ReadOnly:?',
  LocalVolumeSource: 'Path FSType=fsType:*',
  StorageOSPersistentVolumeSource: 'VolumeName VolumeNamespace FSType=fsType ReadOnly:? SecretRef:&ObjectReference',
  CSIPersistentVolumeSource:
    'Driver VolumeHandle ReadOnly:? FSType=fsType VolumeAttributes:* ControllerPublishSecretRef:&SecretReference NodeStageSecretRef:&SecretReference NodePublishSecretRef:&SecretReference ControllerExpandSecretRef:&SecretReference NodeExpandSecretRef:&SecretReference',
  VolumeResourceRequirements: 'Limits:* Requests:*',
  TypedLocalObjectReference: 'APIGroup=apiGroup:* Kind Name',
  TypedObjectReference: 'APIGroup=apiGroup:* Kind Name Namespace:*',
  EmptyDirVolumeSource: 'Medium SizeLimit:*',
  GitRepoVolumeSource: 'Repository Revision Directory',
  SecretVolumeSource: 'SecretName Items:[KeyToPath DefaultMode:* Optional:*',
  ISCSIVolumeSource:
    'TargetPortal IQN=iqn Lun:# ISCSIInterface=iscsiInterface FSType=fsType ReadOnly:? Portals:* DiscoveryCHAPAuth=chapAuthDiscovery:? SessionCHAPAuth=chapAuthSession:? SecretRef:&LocalObjectReference InitiatorName:*',
  GlusterfsVolumeSource: 'EndpointsName=endpoints Path ReadOnly:?',
  PersistentVolumeClaimVolumeSource: 'ClaimName ReadOnly:?',
  RBDVolumeSource: 'CephMonitors=monitors:* RBDImage=image FSType=fsType RBDPool=pool RadosUser=user Keyring SecretRef:&LocalObjectReference ReadOnly:?',
  FlexVolumeSource: 'Driver FSType=fsType SecretRef:&LocalObjectReference ReadOnly:? Options:*',
  CinderVolumeSource: 'VolumeID FSType=fsType ReadOnly:? SecretRef:&LocalObjectReference',
  CephFSVolumeSource: 'Monitors:* Path User SecretFile SecretRef:&LocalObjectReference ReadOnly:?',
  DownwardAPIVolumeSource: 'Items:[DownwardAPIVolumeFile DefaultMode:*',
  AzureFileVolumeSource: 'SecretName ShareName ReadOnly:?',
  ConfigMapVolumeSource: 'Name Items:[KeyToPath DefaultMode:* Optional:*',
  ProjectedVolumeSource: 'Sources:[VolumeProjection DefaultMode:*',
  ScaleIOVolumeSource:
    'Gateway System SecretRef:&LocalObjectReference SSLEnabled=sslEnabled:? ProtectionDomain StoragePool StorageMode VolumeName FSType=fsType ReadOnly:?',
  StorageOSVolumeSource: 'VolumeName VolumeNamespace FSType=fsType ReadOnly:? SecretRef:&LocalObjectReference',
  CSIVolumeSource: 'Driver ReadOnly:* FSType=fsType:* VolumeAttributes:* NodePublishSecretRef:&LocalObjectReference',
  EphemeralVolumeSource: 'VolumeClaimTemplate:&PersistentVolumeClaimTemplate',
  ImageVolumeSource: 'Reference PullPolicy',
  ContainerPort: 'Name HostPort:# ContainerPort:# Protocol HostIP',
  EnvFromSource: 'Prefix ConfigMapRef:&ConfigMapEnvSource SecretRef:&SecretEnvSource',
  EnvVar: 'Name Value ValueFrom:&EnvVarSource',
  ContainerResizePolicy: 'ResourceName RestartPolicy',
  ContainerRestartRule: 'Action ExitCodes:&ContainerRestartRuleOnExitCodes',
  VolumeMount: 'Name ReadOnly:? RecursiveReadOnly:* MountPath SubPath MountPropagation:* SubPathExpr',
  VolumeDevice: 'Name DevicePath',
  Probe:
    'Exec:&ExecAction HTTPGet=httpGet:&HTTPGetAction TCPSocket=tcpSocket:&TCPSocketAction GRPC=grpc:&GRPCAction InitialDelaySeconds:# TimeoutSeconds:# PeriodSeconds:# SuccessThreshold:# FailureThreshold:# TerminationGracePeriodSeconds:*',
  Lifecycle: 'PostStart:&LifecycleHandler PreStop:&LifecycleHandler StopSignal:*',
  SecurityContext:
    'Capabilities:&Capabilities Privileged:* SELinuxOptions=seLinuxOptions:&SELinuxOptions WindowsOptions:&WindowsSecurityContextOptions RunAsUser:* RunAsGroup:* RunAsNonRoot:* ReadOnlyRootFilesystem:* AllowPrivilegeEscalation:* ProcMount:* SeccompProfile:&SeccompProfile AppArmorProfile:&AppArmorProfile',
  SELinuxOptions: 'User Role Type Level',
  WindowsSecurityContextOptions: 'GMSACredentialSpecName=gmsaCredentialSpecName:* GMSACredentialSpec=gmsaCredentialSpec:* RunAsUserName:* HostProcess:*',
  Sysctl: 'Name Value',
  SeccompProfile: 'Type LocalhostProfile:*',
  AppArmorProfile: 'Type LocalhostProfile:*',
  NodeAffinity: 'RequiredDuringSchedulingIgnoredDuringExecution:&NodeSelector PreferredDuringSchedulingIgnoredDuringExecution:[PreferredSchedulingTerm',
  PodAffinity: 'RequiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm PreferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm',
  PodAntiAffinity: 'RequiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm PreferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm',
  PodDNSConfigOption: 'Name Value:*',
  ResourceClaim: 'Name Request',
  SecretReference: 'Name Namespace',
  ObjectReference: 'Kind Namespace Name UID=uid APIVersion=apiVersion ResourceVersion FieldPath',
  NodeSelector: 'NodeSelectorTerms:[NodeSelectorTerm',
  NodeSelectorTerm: 'MatchExpressions:[NodeSelectorRequirement MatchFields:[NodeSelectorRequirement',
  KeyToPath: 'Key Path Mode:*',
  DownwardAPIVolumeFile: 'Path FieldRef:&ObjectFieldSelector ResourceFieldRef:&ResourceFieldSelector Mode:*',
  // By pointer, in truth. The recordings count the lines of one more source of every pod's kube-api-access volume, and so does
  // what they were recorded from; held by value, the trust bundles of the other three make up for them (docs/differences.md).
  VolumeProjection:
    'Secret:&SecretProjection DownwardAPI:&DownwardAPIProjection ConfigMap:&ConfigMapProjection ServiceAccountToken:&ServiceAccountTokenProjection ClusterTrustBundle:=ClusterTrustBundleProjection PodCertificate:&PodCertificateProjection',
  PersistentVolumeClaimTemplate: '@ Spec:=PersistentVolumeClaimSpec',
  ConfigMapEnvSource: 'Name Optional:*',
  SecretEnvSource: 'Name Optional:*',
  EnvVarSource:
    'FieldRef:&ObjectFieldSelector ResourceFieldRef:&ResourceFieldSelector ConfigMapKeyRef:&ConfigMapKeySelector SecretKeyRef:&SecretKeySelector FileKeyRef:&FileKeySelector',
  ContainerRestartRuleOnExitCodes: 'Operator Values:*',
  ExecAction: 'Command:*',
  HTTPGetAction: 'Path Port:# Host Scheme HTTPHeaders=httpHeaders:[HTTPHeader',
  TCPSocketAction: 'Port:# Host',
  GRPCAction: 'Port:# Service:*',
  LifecycleHandler: 'Exec:&ExecAction HTTPGet=httpGet:&HTTPGetAction TCPSocket=tcpSocket:&TCPSocketAction Sleep:&SleepAction',
  Capabilities: 'Add:* Drop:*',
  PreferredSchedulingTerm: 'Weight:# Preference:=NodeSelectorTerm',
  PodAffinityTerm: 'LabelSelector:* Namespaces:* TopologyKey NamespaceSelector:* MatchLabelKeys:* MismatchLabelKeys:*',
  WeightedPodAffinityTerm: 'Weight:# PodAffinityTerm:=PodAffinityTerm',
  NodeSelectorRequirement: 'Key Operator Values:*',
  ObjectFieldSelector: 'APIVersion=apiVersion FieldPath',
  ResourceFieldSelector: 'ContainerName Resource Divisor:%',
  SecretProjection: 'Name Items:[KeyToPath Optional:*',
  DownwardAPIProjection: 'Items:[DownwardAPIVolumeFile',
  ConfigMapProjection: 'Name Items:[KeyToPath Optional:*',
  ServiceAccountTokenProjection: 'Audience ExpirationSeconds:# Path',
  ClusterTrustBundleProjection: 'Name:* SignerName:* LabelSelector:* Optional:* Path',
  PodCertificateProjection: 'SignerName KeyType MaxExpirationSeconds:* CredentialBundlePath KeyPath CertificateChainPath',
  ConfigMapKeySelector: 'Name Key Optional:*',
  SecretKeySelector: 'Name Key Optional:*',
  FileKeySelector: 'VolumeName Path Key Optional:*',
  HTTPHeader: 'Name Value',
  SleepAction: 'Seconds:#',
  SuccessPolicy: 'Rules:[SuccessPolicyRule',
  SuccessPolicyRule: 'SucceededIndexes:* SucceededCount:*',
  PodFailurePolicy: 'Rules:[PodFailurePolicyRule',
  PodFailurePolicyRule: 'Action OnExitCodes:&PodFailurePolicyOnExitCodesRequirement OnPodConditions:[PodFailurePolicyOnPodConditionsPattern',
  PodFailurePolicyOnExitCodesRequirement: 'ContainerName:* Operator Values:*',
  PodFailurePolicyOnPodConditionsPattern: 'Type Status',
} as const satisfies Readonly<Record<string, string>>;

export type InternalType = keyof typeof TYPES;

type Fields = Readonly<Record<string, unknown>>;

/** The value as Go's JSON of the internal type has it. */
export function asInternal(type: InternalType, value: object | undefined): Fields {
  const source = (value ?? {}) as Fields;
  const result: Record<string, unknown> = {};
  for (const field of TYPES[type].split(' ')) {
    if (field === '@') {
      const metadata = (source['metadata'] ?? {}) as Fields;
      for (const name of METADATA_FIELDS) if (metadata[name] !== undefined) result[name] = metadata[name];
      continue;
    }
    const [, name = '', json = lowerFirst(name), mark = '', of = ''] = /^(\w+)(?:=(\w+))?(?::([*#?%=[&])(\w*))?$/.exec(field) ?? [];
    result[name] = converted(source, json, mark, of as InternalType);
  }
  return result;
}

const lowerFirst = (name: string): string => `${name[0]?.toLowerCase() ?? ''}${name.slice(1)}`;

const ZEROS: Readonly<Record<string, unknown>> = { '': '', '#': 0, '?': false, '%': '0' };

function converted(owner: Fields, field: string, mark: string, of: InternalType): unknown {
  const value = owner[field];
  switch (mark) {
    case '*':
      return asGiven(owner, field);
    case '=':
      return asInternal(of, value as object | undefined);
    case '&':
      return value === undefined || value === null ? null : asInternal(of, value);
    case '[': {
      const list = asGiven(owner, field) as object[] | null;
      return list?.map((element) => asInternal(of, element)) ?? null;
    }
    default:
      return value ?? ZEROS[mark];
  }
}

/** A pod's spec; its security context holds the host namespaces, too. */
export function internalPodSpec(spec: PodSpec): Fields {
  return asInternal('PodSpec', withHostNamespaces(spec));
}

/** A pod template's metadata and spec. */
export function internalPodTemplate(template: PodTemplateSpec): Fields {
  const { metadata, spec } = template;
  return asInternal('PodTemplateSpec', { metadata, spec: withHostNamespaces(spec) });
}

function withHostNamespaces(spec: PodSpec): PodSpec {
  const { hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers } = spec;
  return { ...spec, securityContext: { ...spec.securityContext, hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers } as PodSecurityContext };
}
