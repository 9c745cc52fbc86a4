import { podRequests } from '../../api/core/v1/pod/requests.ts';
import type {
  ConfigMap,
  Container,
  EnvVarSource,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodSpec,
  Secret,
  ServiceAccountTokenProjection,
} from '../../api/generated/types/core.v1.ts';
import { asMilli, asNumber } from '../../api/quantity.ts';
import { hasReason } from '../../api/status.ts';
import { type ServiceSource, serviceEnvironment } from './service-environment.ts';

/** Reads the objects that a pod's configuration comes from. Throws StatusErrors. */
export interface ConfigSource extends ServiceSource {
  configMap(namespace: string, name: string): Promise<ConfigMap>;
  secret(namespace: string, name: string): Promise<Secret>;
  claim(namespace: string, name: string): Promise<PersistentVolumeClaim>;
  persistentVolume(name: string): Promise<PersistentVolume>;
  /** Undefined where no class is named. */
  runtimeHandler(runtimeClassName: string | undefined): Promise<string | undefined>;
  /** A token of the pod's service account; undefined where the API server gives none. */
  token(pod: Pod, projection: ServiceAccountTokenProjection): Promise<string | undefined>;
}

/** A container's configuration cannot be made; the message is upstream's. */
export class ContainerConfigError extends Error {}

export interface EnvironmentContext {
  pod: Pod;
  podIP: string;
  hostIP: string;
  /** When the kubelet first saw the pod, in RFC 3339. */
  seenAt: string;
  /** cpu and memory of the node, as quantities: the limits of containers without any. */
  allocatable: Readonly<Record<string, string>>;
}

async function optional<T>(read: Promise<T>, what: { kind: string; name: string; optional: boolean }): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (!hasReason(error, 'NotFound')) throw error;
    if (what.optional) return undefined;
    throw new ContainerConfigError(`${what.kind} "${what.name}" not found`);
  }
}

const decoded = (base64: string): string => Buffer.from(base64, 'base64').toString('utf8');

/** Replaces `$(NAME)` by what is known; `$$` stands for `$` (upstream: third_party/forked/golang/expansion). */
export function expandVariables(text: string, known: ReadonlyMap<string, string>): string {
  return text.replace(/\$\$|\$\(([^)]*)\)/g, (found, name?: string) => (name === undefined ? '$' : (known.get(name) ?? found)));
}

/** The value that a fieldRef names. */
export function fieldValue(fieldPath: string, { pod, podIP, hostIP, seenAt }: EnvironmentContext): string {
  const { metadata, spec } = pod;
  const subscript = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(fieldPath);
  if (subscript) return metadata[subscript[1] as 'labels' | 'annotations']?.[subscript[2]!] ?? '';
  const pairs = (map: Readonly<Record<string, string>> | undefined): string =>
    Object.entries(map ?? {})
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
      .join('\n');
  switch (fieldPath) {
    case 'metadata.name':
      return metadata.name ?? '';
    case 'metadata.namespace':
      return metadata.namespace ?? '';
    case 'metadata.uid':
      return metadata.uid ?? '';
    case 'metadata.labels':
      return pairs(metadata.labels);
    case 'metadata.annotations':
      // The kubelet's own stand among them (upstream: pkg/kubelet/config).
      return pairs({ ...metadata.annotations, 'kubernetes.io/config.seen': seenAt, 'kubernetes.io/config.source': 'api' });
    case 'spec.nodeName':
      return spec.nodeName ?? '';
    case 'spec.serviceAccountName':
      return spec.serviceAccountName ?? '';
    case 'status.hostIP':
    case 'status.hostIPs':
      return hostIP;
    case 'status.podIP':
    case 'status.podIPs':
      return podIP;
    default:
      throw new ContainerConfigError(`unsupported fieldPath: ${fieldPath}`);
  }
}

/** The value that a resourceFieldRef names, divided by its divisor and rounded up. */
export function resourceValue(
  spec: PodSpec,
  container: Container,
  ref: { resource: string; divisor?: string },
  allocatable: Readonly<Record<string, string>>,
): string {
  const [kind = '', name = ''] = ref.resource.split('.');
  const own = container.resources?.[kind as 'limits' | 'requests']?.[name];
  const fallback =
    kind === 'limits' ? (allocatable[name] ?? '0') : spec.resources && podRequests(spec)[name] !== undefined ? (spec.resources.requests?.[name] ?? '0') : '0';
  const quantity = own ?? fallback;
  const divisor = !ref.divisor || ref.divisor === '0' ? '1' : ref.divisor;
  return String(name === 'cpu' ? Math.ceil(asMilli(quantity) / asMilli(divisor)) : Math.ceil(asNumber(quantity) / asNumber(divisor)));
}

/**
 * The environment of a container, in order, later names overriding earlier ones.
 * @throws ContainerConfigError where something that it needs is not there
 */
export async function environmentOf(container: Container, context: EnvironmentContext, source: ConfigSource): Promise<{ name: string; value: string }[]> {
  const namespace = context.pod.metadata.namespace ?? '';
  const services = await serviceEnvironment(context.pod, source);
  const values = new Map<string, string>();
  for (const { configMapRef, secretRef, prefix = '' } of container.envFrom ?? []) {
    if (configMapRef) {
      const name = configMapRef.name ?? '';
      const object = await optional(source.configMap(namespace, name), { kind: 'configmap', name, optional: configMapRef.optional ?? false });
      for (const [key, value] of Object.entries(object?.data ?? {})) values.set(prefix + key, value);
    }
    if (secretRef) {
      const name = secretRef.name ?? '';
      const object = await optional(source.secret(namespace, name), { kind: 'secret', name, optional: secretRef.optional ?? false });
      for (const [key, value] of Object.entries(object?.data ?? {})) values.set(prefix + key, decoded(value));
    }
  }
  for (const variable of container.env ?? []) {
    const value = variable.valueFrom
      ? await referenced(variable.valueFrom, container, context, source)
      : expandVariables(variable.value ?? '', new Map([...services, ...values]));
    if (value !== undefined) values.set(variable.name, value);
  }
  for (const [name, value] of services) if (!values.has(name)) values.set(name, value);
  return [...values].map(([name, value]) => ({ name, value }));
}

async function referenced(valueFrom: EnvVarSource, container: Container, context: EnvironmentContext, source: ConfigSource): Promise<string | undefined> {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = valueFrom;
  const { pod, allocatable } = context;
  const namespace = pod.metadata.namespace ?? '';
  if (fieldRef) return fieldValue(fieldRef.fieldPath, context);
  if (resourceFieldRef) {
    const all = [...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? [])];
    const of = all.find((c) => c.name === resourceFieldRef.containerName) ?? container;
    return resourceValue(pod.spec, of, resourceFieldRef, allocatable);
  }
  if (configMapKeyRef) {
    const { name = '', key, optional: may = false } = configMapKeyRef;
    const object = await optional(source.configMap(namespace, name), { kind: 'configmap', name, optional: may });
    const value = object?.data?.[key];
    if (value === undefined && object && !may) throw new ContainerConfigError(`couldn't find key ${key} in ConfigMap ${namespace}/${name}`);
    return value;
  }
  if (secretKeyRef) {
    const { name = '', key, optional: may = false } = secretKeyRef;
    const object = await optional(source.secret(namespace, name), { kind: 'secret', name, optional: may });
    const value = object?.data?.[key];
    if (value === undefined && object && !may) throw new ContainerConfigError(`couldn't find key ${key} in Secret ${namespace}/${name}`);
    return value === undefined ? undefined : decoded(value);
  }
  return undefined;
}
