import type { Volume } from '../../../generated/types/core.v1.ts';

/** Node labels that have newer names (upstream: pkg/api/node/util.go). */
export const DEPRECATED_NODE_LABELS: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  'app.kubernetes.io/created-by': 'deprecated since v1.9',
  'scheduler.alpha.kubernetes.io/preferAvoidPods': 'deprecated since v1.22; use Taints and Tolerations instead',
  'node-role.kubernetes.io/master': 'use "node-role.kubernetes.io/control-plane" instead',
};

/** Annotations that have become fields (upstream: pkg/api/pod/warnings.go). */
export const DEPRECATED_ANNOTATIONS: readonly { key: string; words: string }[] = [
  { key: 'scheduler.alpha.kubernetes.io/critical-pod', words: 'non-functional in v1.16+; use the "priorityClassName" field instead' },
  { key: 'security.alpha.kubernetes.io/sysctls', words: 'non-functional in v1.11+; use the "sysctls" field instead' },
  { key: 'security.alpha.kubernetes.io/unsafe-sysctls', words: 'non-functional in v1.11+; use the "sysctls" field instead' },
];

/** Volumes whose drivers have gone or will go; `shown` is how upstream writes the field. */
export const DEPRECATED_VOLUMES: readonly { key: keyof Volume; shown: string; words: string }[] = [
  { key: 'photonPersistentDisk', shown: 'photonPersistentDisk', words: 'deprecated in v1.11, non-functional in v1.16+' },
  { key: 'gitRepo', shown: 'gitRepo', words: 'deprecated in v1.11' },
  { key: 'scaleIO', shown: 'scaleIO', words: 'deprecated in v1.16, non-functional in v1.22+' },
  { key: 'flocker', shown: 'flocker', words: 'deprecated in v1.22, non-functional in v1.25+' },
  { key: 'storageos', shown: 'storageOS', words: 'deprecated in v1.22, non-functional in v1.25+' },
  { key: 'quobyte', shown: 'quobyte', words: 'deprecated in v1.22, non-functional in v1.25+' },
  { key: 'glusterfs', shown: 'glusterfs', words: 'deprecated in v1.25, non-functional in v1.26+' },
  { key: 'cephfs', shown: 'cephfs', words: 'deprecated in v1.28, non-functional in v1.31+' },
  { key: 'rbd', shown: 'rbd', words: 'deprecated in v1.28, non-functional in v1.31+' },
];
