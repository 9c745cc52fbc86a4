/**
 * Go's types of a pod template in v1.34: what `%#v` prints of a value, so what the pod-template-hash is made from
 * (staging/src/k8s.io/api/core/v1/types.go, staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/types.go).
 *
 * Each type lists its fields in Go's order: the Go name, `=json` where the JSON name is not the Go name with a small
 * first letter, `:` and the Go type (none: string). `^` stands before an embedded struct. A type without a package is of
 * package v1; one that is neither listed here nor basic is a string with a name.
 */
const SHAPES: Readonly<Record<string, string>> = {
  PodTemplateSpec: 'ObjectMeta=metadata:ObjectMeta Spec:PodSpec',
  ObjectMeta:
    'Name GenerateName Namespace SelfLink UID=uid:types.UID ResourceVersion Generation:int64 CreationTimestamp:Time DeletionTimestamp:*Time DeletionGracePeriodSeconds:*int64 Labels:map[string]string Annotations:map[string]string OwnerReferences:[]OwnerReference Finalizers:[]string ManagedFields:[]ManagedFieldsEntry',
  OwnerReference: 'APIVersion=apiVersion Kind Name UID=uid:types.UID Controller:*bool BlockOwnerDeletion:*bool',
  ManagedFieldsEntry: 'Manager Operation:ManagedFieldsOperationType APIVersion=apiVersion Time:*Time FieldsType FieldsV1:*FieldsV1 Subresource',
  PodSpec:
    'Volumes:[]Volume InitContainers:[]Container Containers:[]Container EphemeralContainers:[]EphemeralContainer RestartPolicy:RestartPolicy TerminationGracePeriodSeconds:*int64 ActiveDeadlineSeconds:*int64 DNSPolicy=dnsPolicy:DNSPolicy NodeSelector:map[string]string ServiceAccountName DeprecatedServiceAccount=serviceAccount AutomountServiceAccountToken:*bool NodeName HostNetwork:bool HostPID:bool HostIPC:bool ShareProcessNamespace:*bool SecurityContext:*PodSecurityContext ImagePullSecrets:[]LocalObjectReference Hostname Subdomain Affinity:*Affinity SchedulerName Tolerations:[]Toleration HostAliases:[]HostAlias PriorityClassName Priority:*int32 DNSConfig=dnsConfig:*PodDNSConfig ReadinessGates:[]PodReadinessGate RuntimeClassName:*string EnableServiceLinks:*bool PreemptionPolicy:*PreemptionPolicy Overhead:ResourceList TopologySpreadConstraints:[]TopologySpreadConstraint SetHostnameAsFQDN:*bool OS=os:*PodOS HostUsers:*bool SchedulingGates:[]PodSchedulingGate ResourceClaims:[]PodResourceClaim Resources:*ResourceRequirements HostnameOverride:*string',
  LocalObjectReference: 'Name',
  HostAlias: 'IP=ip Hostnames:[]string',
  PodDNSConfig: 'Nameservers:[]string Searches:[]string Options:[]PodDNSConfigOption',
  PodDNSConfigOption: 'Name Value:*string',
  PodReadinessGate: 'ConditionType:PodConditionType',
  PodOS: 'Name:OSName',
  PodSchedulingGate: 'Name',
  PodResourceClaim: 'Name ResourceClaimName:*string ResourceClaimTemplateName:*string',
  TopologySpreadConstraint:
    'MaxSkew:int32 TopologyKey WhenUnsatisfiable:UnsatisfiableConstraintAction LabelSelector:*LabelSelector MinDomains:*int32 NodeAffinityPolicy:*NodeInclusionPolicy NodeTaintsPolicy:*NodeInclusionPolicy MatchLabelKeys:[]string',
  Toleration: 'Key Operator:TolerationOperator Value Effect:TaintEffect TolerationSeconds:*int64',
  LabelSelector: 'MatchLabels:map[string]string MatchExpressions:[]LabelSelectorRequirement',
  LabelSelectorRequirement: 'Key Operator:LabelSelectorOperator Values:[]string',

  Affinity: 'NodeAffinity:*NodeAffinity PodAffinity:*PodAffinity PodAntiAffinity:*PodAntiAffinity',
  NodeAffinity: 'RequiredDuringSchedulingIgnoredDuringExecution:*NodeSelector PreferredDuringSchedulingIgnoredDuringExecution:[]PreferredSchedulingTerm',
  NodeSelector: 'NodeSelectorTerms:[]NodeSelectorTerm',
  NodeSelectorTerm: 'MatchExpressions:[]NodeSelectorRequirement MatchFields:[]NodeSelectorRequirement',
  NodeSelectorRequirement: 'Key Operator:NodeSelectorOperator Values:[]string',
  PreferredSchedulingTerm: 'Weight:int32 Preference:NodeSelectorTerm',
  PodAffinity: 'RequiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm PreferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm',
  PodAntiAffinity: 'RequiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm PreferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm',
  PodAffinityTerm:
    'LabelSelector:*LabelSelector Namespaces:[]string TopologyKey NamespaceSelector:*LabelSelector MatchLabelKeys:[]string MismatchLabelKeys:[]string',
  WeightedPodAffinityTerm: 'Weight:int32 PodAffinityTerm:PodAffinityTerm',

  PodSecurityContext:
    'SELinuxOptions=seLinuxOptions:*SELinuxOptions WindowsOptions:*WindowsSecurityContextOptions RunAsUser:*int64 RunAsGroup:*int64 RunAsNonRoot:*bool SupplementalGroups:[]int64 SupplementalGroupsPolicy:*SupplementalGroupsPolicy FSGroup=fsGroup:*int64 Sysctls:[]Sysctl FSGroupChangePolicy=fsGroupChangePolicy:*PodFSGroupChangePolicy SeccompProfile:*SeccompProfile AppArmorProfile:*AppArmorProfile SELinuxChangePolicy=seLinuxChangePolicy:*PodSELinuxChangePolicy',
  SecurityContext:
    'Capabilities:*Capabilities Privileged:*bool SELinuxOptions=seLinuxOptions:*SELinuxOptions WindowsOptions:*WindowsSecurityContextOptions RunAsUser:*int64 RunAsGroup:*int64 RunAsNonRoot:*bool ReadOnlyRootFilesystem:*bool AllowPrivilegeEscalation:*bool ProcMount:*ProcMountType SeccompProfile:*SeccompProfile AppArmorProfile:*AppArmorProfile',
  Capabilities: 'Add:[]Capability Drop:[]Capability',
  SELinuxOptions: 'User Role Type Level',
  WindowsSecurityContextOptions:
    'GMSACredentialSpecName=gmsaCredentialSpecName:*string GMSACredentialSpec=gmsaCredentialSpec:*string RunAsUserName:*string HostProcess:*bool',
  SeccompProfile: 'Type:SeccompProfileType LocalhostProfile:*string',
  AppArmorProfile: 'Type:AppArmorProfileType LocalhostProfile:*string',
  Sysctl: 'Name Value',

  Container:
    'Name Image Command:[]string Args:[]string WorkingDir Ports:[]ContainerPort EnvFrom:[]EnvFromSource Env:[]EnvVar Resources:ResourceRequirements ResizePolicy:[]ContainerResizePolicy RestartPolicy:*ContainerRestartPolicy RestartPolicyRules:[]ContainerRestartRule VolumeMounts:[]VolumeMount VolumeDevices:[]VolumeDevice LivenessProbe:*Probe ReadinessProbe:*Probe StartupProbe:*Probe Lifecycle:*Lifecycle TerminationMessagePath TerminationMessagePolicy:TerminationMessagePolicy ImagePullPolicy:PullPolicy SecurityContext:*SecurityContext Stdin:bool StdinOnce:bool TTY=tty:bool',
  EphemeralContainer: '^EphemeralContainerCommon TargetContainerName',
  EphemeralContainerCommon:
    'Name Image Command:[]string Args:[]string WorkingDir Ports:[]ContainerPort EnvFrom:[]EnvFromSource Env:[]EnvVar Resources:ResourceRequirements ResizePolicy:[]ContainerResizePolicy RestartPolicy:*ContainerRestartPolicy RestartPolicyRules:[]ContainerRestartRule VolumeMounts:[]VolumeMount VolumeDevices:[]VolumeDevice LivenessProbe:*Probe ReadinessProbe:*Probe StartupProbe:*Probe Lifecycle:*Lifecycle TerminationMessagePath TerminationMessagePolicy:TerminationMessagePolicy ImagePullPolicy:PullPolicy SecurityContext:*SecurityContext Stdin:bool StdinOnce:bool TTY=tty:bool',
  ContainerPort: 'Name HostPort:int32 ContainerPort:int32 Protocol:Protocol HostIP',
  EnvFromSource: 'Prefix ConfigMapRef:*ConfigMapEnvSource SecretRef:*SecretEnvSource',
  ConfigMapEnvSource: '^LocalObjectReference Optional:*bool',
  SecretEnvSource: '^LocalObjectReference Optional:*bool',
  EnvVar: 'Name Value ValueFrom:*EnvVarSource',
  EnvVarSource:
    'FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector ConfigMapKeyRef:*ConfigMapKeySelector SecretKeyRef:*SecretKeySelector FileKeyRef:*FileKeySelector',
  ObjectFieldSelector: 'APIVersion=apiVersion FieldPath',
  ResourceFieldSelector: 'ContainerName Resource Divisor:resource.Quantity',
  ConfigMapKeySelector: '^LocalObjectReference Key Optional:*bool',
  SecretKeySelector: '^LocalObjectReference Key Optional:*bool',
  FileKeySelector: 'VolumeName Path Key Optional:*bool',
  ResourceRequirements: 'Limits:ResourceList Requests:ResourceList Claims:[]ResourceClaim',
  ResourceClaim: 'Name Request',
  ContainerResizePolicy: 'ResourceName:ResourceName RestartPolicy:ResourceResizeRestartPolicy',
  ContainerRestartRule: 'Action:ContainerRestartRuleAction ExitCodes:*ContainerRestartRuleOnExitCodes',
  ContainerRestartRuleOnExitCodes: 'Operator:ContainerRestartRuleOnExitCodesOperator Values:[]int32',
  VolumeMount: 'Name ReadOnly:bool RecursiveReadOnly:*RecursiveReadOnlyMode MountPath SubPath MountPropagation:*MountPropagationMode SubPathExpr',
  VolumeDevice: 'Name DevicePath',
  Probe:
    '^ProbeHandler InitialDelaySeconds:int32 TimeoutSeconds:int32 PeriodSeconds:int32 SuccessThreshold:int32 FailureThreshold:int32 TerminationGracePeriodSeconds:*int64',
  ProbeHandler: 'Exec:*ExecAction HTTPGet=httpGet:*HTTPGetAction TCPSocket=tcpSocket:*TCPSocketAction GRPC=grpc:*GRPCAction',
  Lifecycle: 'PostStart:*LifecycleHandler PreStop:*LifecycleHandler StopSignal:*Signal',
  LifecycleHandler: 'Exec:*ExecAction HTTPGet=httpGet:*HTTPGetAction TCPSocket=tcpSocket:*TCPSocketAction Sleep:*SleepAction',
  ExecAction: 'Command:[]string',
  HTTPGetAction: 'Path Port:intstr.IntOrString Host Scheme:URIScheme HTTPHeaders=httpHeaders:[]HTTPHeader',
  HTTPHeader: 'Name Value',
  TCPSocketAction: 'Port:intstr.IntOrString Host',
  GRPCAction: 'Port:int32 Service:*string',
  SleepAction: 'Seconds:int64',

  Volume: 'Name ^VolumeSource',
  VolumeSource:
    'HostPath:*HostPathVolumeSource EmptyDir:*EmptyDirVolumeSource GCEPersistentDisk=gcePersistentDisk:*GCEPersistentDiskVolumeSource AWSElasticBlockStore=awsElasticBlockStore:*AWSElasticBlockStoreVolumeSource GitRepo:*GitRepoVolumeSource Secret:*SecretVolumeSource NFS=nfs:*NFSVolumeSource ISCSI=iscsi:*ISCSIVolumeSource Glusterfs:*GlusterfsVolumeSource PersistentVolumeClaim:*PersistentVolumeClaimVolumeSource RBD=rbd:*RBDVolumeSource FlexVolume:*FlexVolumeSource Cinder:*CinderVolumeSource CephFS=cephfs:*CephFSVolumeSource Flocker:*FlockerVolumeSource DownwardAPI:*DownwardAPIVolumeSource FC=fc:*FCVolumeSource AzureFile:*AzureFileVolumeSource ConfigMap:*ConfigMapVolumeSource VsphereVolume:*VsphereVirtualDiskVolumeSource Quobyte:*QuobyteVolumeSource AzureDisk:*AzureDiskVolumeSource PhotonPersistentDisk:*PhotonPersistentDiskVolumeSource Projected:*ProjectedVolumeSource PortworxVolume:*PortworxVolumeSource ScaleIO:*ScaleIOVolumeSource StorageOS=storageos:*StorageOSVolumeSource CSI=csi:*CSIVolumeSource Ephemeral:*EphemeralVolumeSource Image:*ImageVolumeSource',
  HostPathVolumeSource: 'Path Type:*HostPathType',
  EmptyDirVolumeSource: 'Medium:StorageMedium SizeLimit:*resource.Quantity',
  GCEPersistentDiskVolumeSource: 'PDName=pdName FSType=fsType Partition:int32 ReadOnly:bool',
  AWSElasticBlockStoreVolumeSource: 'VolumeID FSType=fsType Partition:int32 ReadOnly:bool',
  GitRepoVolumeSource: 'Repository Revision Directory',
  SecretVolumeSource: 'SecretName Items:[]KeyToPath DefaultMode:*int32 Optional:*bool',
  KeyToPath: 'Key Path Mode:*int32',
  NFSVolumeSource: 'Server Path ReadOnly:bool',
  ISCSIVolumeSource:
    'TargetPortal IQN=iqn Lun:int32 ISCSIInterface=iscsiInterface FSType=fsType ReadOnly:bool Portals:[]string DiscoveryCHAPAuth=chapAuthDiscovery:bool SessionCHAPAuth=chapAuthSession:bool SecretRef:*LocalObjectReference InitiatorName:*string',
  GlusterfsVolumeSource: 'EndpointsName=endpoints Path ReadOnly:bool',
  PersistentVolumeClaimVolumeSource: 'ClaimName ReadOnly:bool',
  RBDVolumeSource:
    'CephMonitors=monitors:[]string RBDImage=image FSType=fsType RBDPool=pool RadosUser=user Keyring=keyring SecretRef:*LocalObjectReference ReadOnly:bool',
  FlexVolumeSource: 'Driver FSType=fsType SecretRef:*LocalObjectReference ReadOnly:bool Options:map[string]string',
  CinderVolumeSource: 'VolumeID FSType=fsType ReadOnly:bool SecretRef:*LocalObjectReference',
  CephFSVolumeSource: 'Monitors:[]string Path User SecretFile SecretRef:*LocalObjectReference ReadOnly:bool',
  FlockerVolumeSource: 'DatasetName DatasetUUID',
  DownwardAPIVolumeSource: 'Items:[]DownwardAPIVolumeFile DefaultMode:*int32',
  DownwardAPIVolumeFile: 'Path FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector Mode:*int32',
  FCVolumeSource: 'TargetWWNs:[]string Lun:*int32 FSType=fsType ReadOnly:bool WWIDs=wwids:[]string',
  AzureFileVolumeSource: 'SecretName ShareName ReadOnly:bool',
  ConfigMapVolumeSource: '^LocalObjectReference Items:[]KeyToPath DefaultMode:*int32 Optional:*bool',
  VsphereVirtualDiskVolumeSource: 'VolumePath FSType=fsType StoragePolicyName StoragePolicyID',
  QuobyteVolumeSource: 'Registry Volume ReadOnly:bool User Group Tenant',
  AzureDiskVolumeSource: 'DiskName DataDiskURI=diskURI CachingMode:*AzureDataDiskCachingMode FSType=fsType:*string ReadOnly:*bool Kind:*AzureDataDiskKind',
  PhotonPersistentDiskVolumeSource: 'PdID FSType=fsType',
  ProjectedVolumeSource: 'Sources:[]VolumeProjection DefaultMode:*int32',
  VolumeProjection:
    'Secret:*SecretProjection DownwardAPI:*DownwardAPIProjection ConfigMap:*ConfigMapProjection ServiceAccountToken:*ServiceAccountTokenProjection ClusterTrustBundle:*ClusterTrustBundleProjection PodCertificate:*PodCertificateProjection',
  SecretProjection: '^LocalObjectReference Items:[]KeyToPath Optional:*bool',
  DownwardAPIProjection: 'Items:[]DownwardAPIVolumeFile',
  ConfigMapProjection: '^LocalObjectReference Items:[]KeyToPath Optional:*bool',
  ServiceAccountTokenProjection: 'Audience ExpirationSeconds:*int64 Path',
  ClusterTrustBundleProjection: 'Name:*string SignerName:*string LabelSelector:*LabelSelector Optional:*bool Path',
  PodCertificateProjection: 'SignerName KeyType MaxExpirationSeconds:*int32 CredentialBundlePath KeyPath CertificateChainPath',
  PortworxVolumeSource: 'VolumeID FSType=fsType ReadOnly:bool',
  ScaleIOVolumeSource:
    'Gateway System SecretRef:*LocalObjectReference SSLEnabled=sslEnabled:bool ProtectionDomain StoragePool StorageMode VolumeName FSType=fsType ReadOnly:bool',
  StorageOSVolumeSource: 'VolumeName VolumeNamespace FSType=fsType ReadOnly:bool SecretRef:*LocalObjectReference',
  CSIVolumeSource: 'Driver ReadOnly:*bool FSType=fsType:*string VolumeAttributes:map[string]string NodePublishSecretRef:*LocalObjectReference',
  EphemeralVolumeSource: 'VolumeClaimTemplate:*PersistentVolumeClaimTemplate',
  PersistentVolumeClaimTemplate: 'ObjectMeta=metadata:ObjectMeta Spec:PersistentVolumeClaimSpec',
  PersistentVolumeClaimSpec:
    'AccessModes:[]PersistentVolumeAccessMode Selector:*LabelSelector Resources:VolumeResourceRequirements VolumeName StorageClassName:*string VolumeMode:*PersistentVolumeMode DataSource:*TypedLocalObjectReference DataSourceRef:*TypedObjectReference VolumeAttributesClassName:*string',
  VolumeResourceRequirements: 'Limits:ResourceList Requests:ResourceList',
  TypedLocalObjectReference: 'APIGroup=apiGroup:*string Kind Name',
  TypedObjectReference: 'APIGroup=apiGroup:*string Kind Name Namespace:*string',
  ImageVolumeSource: 'Reference PullPolicy:PullPolicy',
};

/** One field of a Go struct. An embedded struct has no JSON name: its fields stand in its owner. */
export interface GoField {
  readonly name: string;
  readonly json: string | undefined;
  readonly type: string;
}

function parseField(text: string): GoField {
  if (text.startsWith('^')) return { name: text.slice(1), json: undefined, type: text.slice(1) };
  const [, name = '', json, type = 'string'] = /^(\w+)(?:=(\w+))?(?::(.+))?$/.exec(text) ?? [];
  return { name, json: json ?? `${name[0]!.toLowerCase()}${name.slice(1)}`, type };
}

/** The structs by name, read from the table once. */
export const goStructs: ReadonlyMap<string, readonly GoField[]> = new Map(
  Object.entries(SHAPES).map(([name, fields]) => [name, fields.split(' ').map(parseField)]),
);
