export type { KubeList, KubeObject } from './api/object.ts';
export * as resources from './api/resources.ts';
export { StatusError } from './api/status.ts';
export { Client, ResourceClient } from './client/client.ts';
export { ManifestError } from './cluster/apply-manifests.ts';
export { Cluster, type ClusterOptions } from './cluster/cluster.ts';
