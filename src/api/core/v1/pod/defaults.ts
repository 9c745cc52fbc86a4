import type {
  Container,
  EphemeralContainer,
  LifecycleHandler,
  PodSpec,
  PodTemplateSpec,
  Probe,
  ResourceRequirements,
} from '../../../generated/types/core.v1.ts';
import { roundUpToMilli } from '../../../quantity.ts';
import { defaultPullPolicy } from './image-reference.ts';
import { setVolumeDefaults } from './volume-defaults.ts';

/** Upstream: pkg/apis/core/v1/defaults.go, SetDefaults_PodSpec and what it reaches. Writes only what changes. */
export function setPodSpecDefaults(spec: PodSpec): void {
  for (const volume of spec.volumes ?? []) setVolumeDefaults(volume);
  for (const container of spec.initContainers ?? []) setContainerDefaults(container);
  for (const container of spec.containers ?? []) setContainerDefaults(container);
  for (const container of spec.ephemeralContainers ?? []) setContainerDefaults(container);
  spec.dnsPolicy ||= 'ClusterFirst';
  spec.restartPolicy ||= 'Always';
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= 30;
  spec.schedulerName ||= 'default-scheduler';
  if (spec.overhead) roundUpResources(spec.overhead);
  if (spec.resources) setResourceDefaults(spec.resources);
  // Upstream keeps the deprecated alias in step with serviceAccountName.
  if (!spec.serviceAccountName && spec.serviceAccount) spec.serviceAccountName = spec.serviceAccount;
  if (spec.serviceAccountName && spec.serviceAccount !== spec.serviceAccountName) spec.serviceAccount = spec.serviceAccountName;
}

export function setTemplateDefaults(template: PodTemplateSpec | undefined): void {
  if (!template) return;
  template.spec ??= { containers: [] };
  setPodSpecDefaults(template.spec);
}

function setContainerDefaults(container: Container | EphemeralContainer): void {
  container.imagePullPolicy ||= defaultPullPolicy(container.image ?? '');
  container.terminationMessagePath ||= '/dev/termination-log';
  container.terminationMessagePolicy ||= 'File';
  for (const port of container.ports ?? []) port.protocol ||= 'TCP';
  for (const { valueFrom } of container.env ?? []) {
    if (valueFrom?.fieldRef) valueFrom.fieldRef.apiVersion ||= 'v1';
    if (valueFrom?.resourceFieldRef) valueFrom.resourceFieldRef.divisor ??= '0';
    if (valueFrom?.fileKeyRef) valueFrom.fileKeyRef.optional ??= false;
  }
  if (container.resources) setResourceDefaults(container.resources);
  setProbeDefaults(container.livenessProbe);
  setProbeDefaults(container.readinessProbe);
  setProbeDefaults(container.startupProbe);
  setHandlerDefaults(container.lifecycle?.postStart);
  setHandlerDefaults(container.lifecycle?.preStop);
}

function setProbeDefaults(probe: Probe | undefined): void {
  if (!probe) return;
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
  setHandlerDefaults(probe);
  if (probe.grpc) probe.grpc.service ??= '';
}

function setHandlerDefaults(handler: LifecycleHandler | undefined): void {
  if (!handler?.httpGet) return;
  handler.httpGet.path ||= '/';
  handler.httpGet.scheme ||= 'HTTP';
}

export function setResourceDefaults(resources: ResourceRequirements): void {
  if (resources.limits) roundUpResources(resources.limits);
  if (resources.requests) roundUpResources(resources.requests);
}

/** Upstream: SetDefaults_ResourceList. */
export function roundUpResources(resources: Record<string, string>): void {
  for (const [name, quantity] of Object.entries(resources)) {
    const rounded = roundUpToMilli(quantity);
    if (rounded !== quantity) resources[name] = rounded;
  }
}

/** What only a pod, not a template, gets: requests from limits, service links, host ports on the host's network. */
export function setPodOnlyDefaults(spec: PodSpec): void {
  for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    const { limits, requests } = container.resources ?? {};
    if (limits && Object.keys(limits).some((name) => requests?.[name] === undefined)) container.resources.requests = { ...limits, ...requests };
    if (spec.hostNetwork) for (const port of container.ports ?? []) port.hostPort ||= port.containerPort;
  }
  setPodLevelRequests(spec);
  spec.enableServiceLinks ??= true;
}

const POD_LEVEL = ['cpu', 'memory'];

function setPodLevelRequests(spec: PodSpec): void {
  const limits = spec.resources?.limits;
  if (!spec.resources || !limits || Object.keys(limits).length === 0) return;
  const requests: Record<string, string> = { ...spec.resources.requests };
  for (const [name, limit] of Object.entries(limits)) {
    if (POD_LEVEL.includes(name) || name.startsWith('hugepages-')) requests[name] ??= limit;
  }
  if (Object.keys(requests).length > Object.keys(spec.resources.requests ?? {}).length) spec.resources.requests = requests;
}
