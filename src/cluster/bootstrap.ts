import { API_SERVER_CLUSTER_IP, SERVICE_NETWORK } from '../api/core/v1/service-network.ts';
import { MANDATORY_FLOW_SCHEMAS, MANDATORY_PRIORITY_LEVELS } from '../api/flowcontrol/v1/mandatory.ts';
import { bootstrapFacts } from '../api/generated/bootstrap-facts.ts';
import type { Draft, KubeObject, Resource } from '../api/object.ts';
import {
  ClusterRoleBindings,
  ClusterRoles,
  EndpointSlices,
  EndpointsResource,
  FlowSchemas,
  Namespaces,
  PriorityClasses,
  PriorityLevelConfigurations,
  RoleBindings,
  Roles,
  ServiceCIDRs,
  Services,
} from '../api/resources.ts';
import { hasReason } from '../api/status.ts';
import type { Client } from '../client/client.ts';

const SYSTEM_NAMESPACES = ['kube-system', 'kube-public', 'kube-node-lease', 'default'];

/** Creates what every cluster has from its first moment, where it is not there yet. */
export async function bootstrap(client: Client, port: number): Promise<void> {
  await Promise.all([bootstrapObjects(client, port), bootstrapFlowControl(client.as(FLOW_CONTROL_PRODUCER)), bootstrapRoles(client)]);
}

async function bootstrapObjects(client: Client, port: number): Promise<void> {
  await Promise.all(SYSTEM_NAMESPACES.map((name) => ensure(client, Namespaces, { metadata: { name } })));
  await Promise.all([
    ensure(client, PriorityClasses, {
      metadata: { name: 'system-node-critical' },
      value: 2000001000,
      description: 'Used for system critical pods that must not be moved from their current node.',
    }),
    ensure(client, PriorityClasses, {
      metadata: { name: 'system-cluster-critical' },
      value: 2000000000,
      description: 'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
    }),
    publishApiServer(client, port),
  ]);
}

const FLOW_CONTROL_PRODUCER = 'api-priority-and-fairness-config-producer-v1';

async function bootstrapFlowControl(client: Client): Promise<void> {
  const { priorityLevels, flowSchemas } = bootstrapFacts;
  const named = <Spec>(specs: Readonly<Record<string, Spec>>) => Object.entries(specs).map(([name, spec]) => ({ metadata: { name }, spec }));
  const annotations = { 'apf.kubernetes.io/autoupdate-spec': 'true' };
  await ensureAll(client, PriorityLevelConfigurations, [...named(MANDATORY_PRIORITY_LEVELS), ...priorityLevels], { annotations });
  await ensureAll(client, FlowSchemas, [...named(MANDATORY_FLOW_SCHEMAS), ...flowSchemas], { annotations });
}

async function bootstrapRoles(client: Client): Promise<void> {
  const { clusterRoles, clusterRoleBindings, roles, roleBindings } = bootstrapFacts;
  const labels = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };
  const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'true' };
  await ensureAll(client, ClusterRoles, clusterRoles, { annotations, labels });
  await ensureAll(client, ClusterRoleBindings, clusterRoleBindings, { annotations, labels });
  await ensureAll(client, Roles, roles, { annotations, labels });
  await ensureAll(client, RoleBindings, roleBindings, { annotations, labels });
}

async function ensureAll<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  drafts: readonly unknown[],
  { annotations, labels }: Marks,
): Promise<void> {
  const marked = (drafts as Draft<KubeObject>[]).map(({ metadata, ...rest }) => ({
    ...rest,
    metadata: { ...metadata, annotations, ...(labels ? { labels: { ...labels, ...metadata?.labels } } : {}) },
  }));
  await Promise.all(marked.map((draft) => ensure(client, resource, draft as Draft<T>)));
}

/** What tells that the server made an object, and keeps it up to date. */
interface Marks {
  annotations: Record<string, string>;
  labels?: Record<string, string>;
}

/** The service `kubernetes`, by which pods find the API server. */
async function publishApiServer(client: Client, port: number): Promise<void> {
  const labels = { component: 'apiserver', provider: 'kubernetes' };
  const address = '127.0.0.1';
  await ensure(client, ServiceCIDRs, {
    metadata: { name: 'kubernetes', finalizers: ['networking.k8s.io/service-cidr-finalizer'] },
    spec: { cidrs: [SERVICE_NETWORK] },
  });
  await ensure(client, Services, {
    metadata: { name: 'kubernetes', namespace: 'default', labels },
    spec: { type: 'ClusterIP', clusterIP: API_SERVER_CLUSTER_IP, ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: port }] },
  });
  const slice = {
    metadata: { name: 'kubernetes', namespace: 'default', labels: { 'kubernetes.io/service-name': 'kubernetes' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
    ports: [{ name: 'https', port, protocol: 'TCP' }],
  };
  const endpoints = {
    metadata: { name: 'kubernetes', namespace: 'default', labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
    subsets: [{ addresses: [{ ip: address }], ports: [{ name: 'https', port, protocol: 'TCP' }] }],
  };
  await replace(client, EndpointsResource, endpoints);
  await replace(client, EndpointSlices, slice);
}

async function ensure<T extends KubeObject>(client: Client, resource: Resource<T>, draft: Draft<T>): Promise<void> {
  try {
    await client.resource(resource).create(draft);
  } catch (error) {
    if (!hasReason(error, 'AlreadyExists')) throw error;
  }
}

/** The port may be another one after a restart. */
async function replace<T extends KubeObject>(client: Client, resource: Resource<T>, draft: Draft<T>): Promise<void> {
  const { name = '', namespace = '' } = (draft as KubeObject).metadata;
  try {
    await client.resource(resource).create(draft);
  } catch (error) {
    if (!hasReason(error, 'AlreadyExists')) throw error;
    await client.resource(resource).patch(namespace, name, draft, 'application/merge-patch+json');
  }
}
