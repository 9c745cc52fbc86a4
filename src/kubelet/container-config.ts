import type { Container, Pod } from '../api/generated/types/core.v1.ts';
import { asNumber } from '../api/quantity.ts';
import type { ContainerConfig, Image, Mount, PodSandbox } from '../runtime/runtime.ts';
import { environmentOf, expandVariables } from './config/environment.ts';
import { hostsFile } from './config/hosts-file.ts';
import { containerResources } from './config/linux-resources.ts';
import { containerSecurity, withImageUser } from './config/security.ts';
import {
  CONTAINER_HASH_ANNOTATION,
  CONTAINER_NAME_LABEL,
  CONTAINER_TYPE_LABEL,
  POD_NAME_LABEL,
  POD_NAMESPACE_LABEL,
  POD_UID_LABEL,
  RESOURCES_ANNOTATION,
  RESTART_COUNT_ANNOTATION,
  TERMINATION_MESSAGE_POLICY_ANNOTATION,
} from './labels.ts';
import type { NodeServices } from './node-services.ts';
import { containerHash, resourcesText } from './pod-containers.ts';
import { terminationMount } from './termination-message.ts';

const HOSTS = '/etc/hosts';

export interface ContainerToMake {
  pod: Pod;
  sandbox: PodSandbox;
  container: Container;
  attempt: number;
  /** That of the container, where it is known. */
  image: Image | undefined;
}

/**
 * What the runtime is told of one run of a container (upstream: kuberuntime generateContainerConfig, kubelet_pods.go).
 * Makes the files that it mounts.
 *
 * @throws ContainerConfigError
 */
export async function containerConfig(services: NodeServices, { pod, sandbox, container, attempt, image }: ContainerToMake): Promise<ContainerConfig> {
  const { hostIP, runtime, paths } = services;
  const { namespace, name, uid } = pod.metadata;
  const podIP = sandbox.ips[0] ?? hostIP;
  const env = await environmentOf(container, { ...services.environmentContext(pod), podIP }, services.config);
  const known = new Map(env.map((variable) => [variable.name, variable.value]));
  const expanded = (texts: readonly string[] | undefined): string[] => (texts ?? []).map((text) => expandVariables(text, known));
  const targetId = await targetOf(services, pod, container);
  const mounts = [...(await services.volumes.mounts(pod, container, known)), ...(await hostsMount(services, pod, container, sandbox))];
  mounts.push(await terminationMount(services, pod, container, attempt));
  await runtime.files.makeDirectory(`${paths.logs(pod.metadata)}/${container.name}`, { mode: 0o755, inMemory: false });
  return {
    metadata: { name: container.name, attempt },
    image: container.image ?? '',
    ...(image ? { imageId: image.id } : {}),
    command: expanded(container.command),
    args: expanded(container.args),
    workingDir: container.workingDir ?? '',
    env,
    mounts,
    labels: {
      [CONTAINER_NAME_LABEL]: container.name,
      [CONTAINER_TYPE_LABEL]: typeOf(pod, container),
      [POD_NAME_LABEL]: name ?? '',
      [POD_NAMESPACE_LABEL]: namespace ?? '',
      [POD_UID_LABEL]: uid ?? '',
    },
    annotations: {
      [CONTAINER_HASH_ANNOTATION]: containerHash(container),
      [RESOURCES_ANNOTATION]: resourcesText(container),
      [RESTART_COUNT_ANNOTATION]: String(attempt),
      [TERMINATION_MESSAGE_POLICY_ANNOTATION]: container.terminationMessagePolicy ?? 'File',
    },
    stdin: container.stdin ?? false,
    stdinOnce: container.stdinOnce ?? false,
    tty: container.tty ?? false,
    resources: containerResources(pod, container, asNumber(runtime.machine.capacity['memory'] ?? '0')),
    securityContext: withImageUser(containerSecurity(pod, container, targetId), image),
    logPath: `${container.name}/${attempt}.log`,
  };
}

/** The container whose processes an ephemeral one asks to see. */
async function targetOf({ runtime }: NodeServices, { metadata }: Pod, container: Container & { targetContainerName?: string }): Promise<string | undefined> {
  const { targetContainerName } = container;
  if (!targetContainerName) return undefined;
  const labelSelector = { [POD_UID_LABEL]: metadata.uid ?? '', [CONTAINER_NAME_LABEL]: targetContainerName };
  return (await runtime.runtimeService.listContainers({ state: 'running', labelSelector })).at(-1)?.id;
}

/** The pod's /etc/hosts, written anew for each container; one that mounts its own keeps it. */
async function hostsMount({ runtime, paths, clusterDns }: NodeServices, pod: Pod, container: Container, { ips }: PodSandbox): Promise<Mount[]> {
  if ((container.volumeMounts ?? []).some(({ mountPath }) => mountPath === HOSTS)) return [];
  const machineHosts = pod.spec.hostNetwork ? Buffer.from((await runtime.files.readFile(HOSTS)) ?? []).toString() : '';
  const content = Buffer.from(hostsFile(pod, { podIPs: ips, clusterDomain: clusterDns.domain, machineHosts }));
  const hostPath = paths.hostsFile(pod.metadata.uid ?? '');
  await runtime.files.writeFile(hostPath, { content, mode: 0o644 });
  return [{ containerPath: HOSTS, hostPath, readOnly: false }];
}

/** `INIT` for one that is to end before the others begin; a sidecar is not. */
function typeOf({ spec }: Pod, { name, restartPolicy }: Container): 'INIT' | 'CONTAINER' {
  return restartPolicy !== 'Always' && spec.initContainers?.some((init) => init.name === name) ? 'INIT' : 'CONTAINER';
}
