import type { VolumeAttachmentSpec } from '../../generated/types/storage.v1.ts';
import { type InternalTypes, internalJson } from '../../internal-json.ts';

/** Go's internal types of a VolumeAttachment's spec (pkg/apis/storage/types.go, pkg/apis/core/types.go). */
const TYPES: InternalTypes = {
  VolumeAttachmentSpec: 'Attacher Source=VolumeAttachmentSource NodeName',
  VolumeAttachmentSource: 'PersistentVolumeName* InlineVolumeSpec&PersistentVolumeSpec',
  PersistentVolumeSpec:
    'Capacity* GCEPersistentDisk&GCEPersistentDiskVolumeSource AWSElasticBlockStore&AWSElasticBlockStoreVolumeSource HostPath&HostPathVolumeSource Glusterfs&GlusterfsPersistentVolumeSource NFS&NFSVolumeSource RBD&RBDPersistentVolumeSource Quobyte&QuobyteVolumeSource ISCSI&ISCSIPersistentVolumeSource FlexVolume&FlexPersistentVolumeSource Cinder&CinderPersistentVolumeSource CephFS&CephFSPersistentVolumeSource FC&FCVolumeSource Flocker&FlockerVolumeSource AzureFile&AzureFilePersistentVolumeSource VsphereVolume&VsphereVirtualDiskVolumeSource AzureDisk&AzureDiskVolumeSource PhotonPersistentDisk&PhotonPersistentDiskVolumeSource PortworxVolume&PortworxVolumeSource ScaleIO&ScaleIOPersistentVolumeSource Local&LocalVolumeSource StorageOS&StorageOSPersistentVolumeSource CSI&CSIPersistentVolumeSource AccessModes* ClaimRef&ObjectReference PersistentVolumeReclaimPolicy StorageClassName MountOptions* VolumeMode* NodeAffinity&VolumeNodeAffinity VolumeAttributesClassName*',
  GCEPersistentDiskVolumeSource: 'PDName FSType Partition# ReadOnly?',
  AWSElasticBlockStoreVolumeSource: 'VolumeID FSType Partition# ReadOnly?',
  HostPathVolumeSource: 'Path Type*',
  GlusterfsPersistentVolumeSource: 'EndpointsName Path ReadOnly? EndpointsNamespace*',
  NFSVolumeSource: 'Server Path ReadOnly?',
  RBDPersistentVolumeSource: 'CephMonitors* RBDImage FSType RBDPool RadosUser Keyring SecretRef&SecretReference ReadOnly?',
  SecretReference: 'Name Namespace',
  QuobyteVolumeSource: 'Registry Volume ReadOnly? User Group Tenant',
  ISCSIPersistentVolumeSource:
    'TargetPortal IQN Lun# ISCSIInterface FSType ReadOnly? Portals* DiscoveryCHAPAuth? SessionCHAPAuth? SecretRef&SecretReference InitiatorName*',
  FlexPersistentVolumeSource: 'Driver FSType SecretRef&SecretReference ReadOnly? Options*',
  CinderPersistentVolumeSource: 'VolumeID FSType ReadOnly? SecretRef&SecretReference',
  CephFSPersistentVolumeSource: 'Monitors* Path User SecretFile SecretRef&SecretReference ReadOnly?',
  FCVolumeSource: 'TargetWWNs* Lun* FSType ReadOnly? WWIDs*',
  FlockerVolumeSource: 'DatasetName DatasetUUID',
  AzureFilePersistentVolumeSource: 'SecretName ShareName ReadOnly? SecretNamespace*',
  VsphereVirtualDiskVolumeSource: 'VolumePath FSType StoragePolicyName StoragePolicyID',
  AzureDiskVolumeSource: 'DiskName DataDiskURI CachingMode* FSType* ReadOnly* Kind*',
  PhotonPersistentDiskVolumeSource: 'PdID FSType',
  PortworxVolumeSource: 'VolumeID FSType ReadOnly?',
  ScaleIOPersistentVolumeSource: 'Gateway System SecretRef&SecretReference SSLEnabled? ProtectionDomain StoragePool StorageMode VolumeName FSType ReadOnly?',
  LocalVolumeSource: 'Path FSType*',
  StorageOSPersistentVolumeSource: 'VolumeName VolumeNamespace FSType ReadOnly? SecretRef&ObjectReference',
  ObjectReference: 'Kind Namespace Name UID APIVersion ResourceVersion FieldPath',
  CSIPersistentVolumeSource:
    'Driver VolumeHandle ReadOnly? FSType VolumeAttributes* ControllerPublishSecretRef&SecretReference NodeStageSecretRef&SecretReference NodePublishSecretRef&SecretReference ControllerExpandSecretRef&SecretReference NodeExpandSecretRef&SecretReference',
  VolumeNodeAffinity: 'Required&NodeSelector',
  NodeSelector: 'NodeSelectorTerms[NodeSelectorTerm',
  NodeSelectorTerm: 'MatchExpressions[NodeSelectorRequirement MatchFields[NodeSelectorRequirement',
  NodeSelectorRequirement: 'Key Operator Values*',
};

const JSON_NAMES: Readonly<Record<string, string>> = {
  GCEPersistentDisk: 'gcePersistentDisk',
  AWSElasticBlockStore: 'awsElasticBlockStore',
  NFS: 'nfs',
  RBD: 'rbd',
  ISCSI: 'iscsi',
  CephFS: 'cephfs',
  FC: 'fc',
  StorageOS: 'storageos',
  CSI: 'csi',
  PDName: 'pdName',
  FSType: 'fsType',
  EndpointsName: 'endpoints',
  CephMonitors: 'monitors',
  RBDImage: 'image',
  RBDPool: 'pool',
  RadosUser: 'user',
  IQN: 'iqn',
  ISCSIInterface: 'iscsiInterface',
  DiscoveryCHAPAuth: 'chapAuthDiscovery',
  SessionCHAPAuth: 'chapAuthSession',
  WWIDs: 'wwids',
  DataDiskURI: 'diskURI',
  SSLEnabled: 'sslEnabled',
  UID: 'uid',
  APIVersion: 'apiVersion',
};

/** The spec as Go's JSON of the internal type has it. */
export function internalSpec(spec: VolumeAttachmentSpec): unknown {
  return internalJson(spec, 'VolumeAttachmentSpec', { types: TYPES, jsonNames: JSON_NAMES });
}
