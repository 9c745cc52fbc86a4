import type { Container, Pod } from '../api/generated/types/core.v1.ts';
import { hasReason } from '../api/status.ts';
import type { EventNote } from '../client/event-recorder.ts';
import { secondsToMs } from '../lib/duration.ts';
import type { PodSandbox } from '../runtime/runtime.ts';
import { ContainerConfigError, environmentOf, expandVariables } from './environment.ts';
import {
  CONTAINER_HASH_ANNOTATION,
  CONTAINER_NAME_LABEL,
  CONTAINER_TYPE_LABEL,
  POD_NAME_LABEL,
  POD_NAMESPACE_LABEL,
  POD_UID_LABEL,
  RESTART_COUNT_ANNOTATION,
  TERMINATION_MESSAGE_POLICY_ANNOTATION,
} from './labels.ts';
import { runHook } from './lifecycle-hook.ts';
import type { NodeServices } from './node-services.ts';
import type { StartFailure } from './plan/state.ts';
import { containerHash, fieldPathOf } from './pod-containers.ts';
import { terminationMount } from './termination-message.ts';

/** A configuration that is not complete is looked at again after this long. */
const CONFIG_RETRY_MS = 5_000;

export interface StartRequest {
  pod: Pod;
  sandbox: PodSandbox;
  container: Container;
  attempt: number;
  /** When the run before this one ended. */
  finishedAt: number | undefined;
  signal: AbortSignal;
}

export const crashKey = (pod: Pod, container: string): string => `${pod.metadata.uid}_${container}`;

/**
 * Brings one container up: image, configuration, creation, start, postStart hook, first probes
 * (upstream: kuberuntime startContainer).
 * @returns why it could not be started, where that is not for the runtime to tell
 */
export async function startContainer(services: NodeServices, request: StartRequest): Promise<StartFailure | undefined> {
  const { pod, container, finishedAt, signal } = request;
  const { clock, images, recorder } = services;
  const tell = (note: EventNote): void => recorder.event(pod, { ...note, fieldPath: fieldPathOf(pod, container.name) });
  await tellMissingSecrets(services, pod, tell);
  const missing = await images.ensure(pod, container, tell, signal);
  if (signal.aborted) return undefined;
  if (missing) {
    tell({ type: 'Warning', reason: 'Failed', message: `Error: ${missing.reason}` });
    return missing;
  }
  if (finishedAt !== undefined) services.crashes.next(crashKey(pod, container.name), { eventAt: finishedAt, now: clock.now() });
  let id: string;
  try {
    id = await create(services, request);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    tell({ type: 'Warning', reason: 'Failed', message: `Error: ${message}` });
    const reason = error instanceof ContainerConfigError ? 'CreateContainerConfigError' : 'CreateContainerError';
    return { reason, message, retryAt: clock.now() + CONFIG_RETRY_MS };
  }
  tell({ type: 'Normal', reason: 'Created', message: `Created container: ${container.name}` });
  try {
    await services.runtime.runtimeService.startContainer(id);
  } catch (error) {
    tell({ type: 'Warning', reason: 'Failed', message: `Error: ${error instanceof Error ? error.message : String(error)}` });
    return undefined;
  }
  tell({ type: 'Normal', reason: 'Started', message: `Started container ${container.name}` });
  if (!(await afterStart(services, request, id, tell))) return undefined;
  await services.probes.add({ id, pod, podIP: request.sandbox.ips[0] ?? services.hostIP, container, startedAt: clock.now() });
  return undefined;
}

/** Registries are asked without the pull secrets that are not there (upstream: kubelet getPullSecretsForPod). */
async function tellMissingSecrets({ config }: NodeServices, { metadata, spec }: Pod, tell: (note: EventNote) => void): Promise<void> {
  const absent: string[] = [];
  for (const { name = '' } of spec.imagePullSecrets ?? []) {
    try {
      await config.secret(metadata.namespace ?? '', name);
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error;
      absent.push(name);
    }
  }
  if (absent.length === 0) return;
  const message = `Unable to retrieve some image pull secrets (${absent.join(', ')}); attempting to pull the image may not succeed.`;
  tell({ type: 'Warning', reason: 'FailedToRetrieveImagePullSecret', message });
}

async function create(services: NodeServices, { pod, sandbox, container, attempt }: StartRequest): Promise<string> {
  const { hostIP } = services;
  const { namespace, name, uid } = pod.metadata;
  const context = { pod, podIP: sandbox.ips[0] ?? hostIP, hostIP, allocatable: services.node().status.allocatable ?? {} };
  const env = await environmentOf(container, context, services.config);
  const known = new Map(env.map((variable) => [variable.name, variable.value]));
  const expanded = (texts: readonly string[] | undefined): string[] => (texts ?? []).map((text) => expandVariables(text, known));
  return services.runtime.runtimeService.createContainer(sandbox.id, {
    metadata: { name: container.name, attempt },
    image: container.image ?? '',
    command: expanded(container.command),
    args: expanded(container.args),
    workingDir: container.workingDir ?? '',
    env,
    mounts: [...services.volumes.mounts(pod, container, known), await terminationMount(services.runtime, pod, container, attempt)],
    labels: {
      [CONTAINER_NAME_LABEL]: container.name,
      [CONTAINER_TYPE_LABEL]: typeOf(pod, container),
      [POD_NAME_LABEL]: name ?? '',
      [POD_NAMESPACE_LABEL]: namespace ?? '',
      [POD_UID_LABEL]: uid ?? '',
    },
    annotations: {
      [CONTAINER_HASH_ANNOTATION]: containerHash(container),
      [RESTART_COUNT_ANNOTATION]: String(attempt),
      [TERMINATION_MESSAGE_POLICY_ANNOTATION]: container.terminationMessagePolicy ?? 'File',
    },
    stdin: container.stdin ?? false,
    tty: container.tty ?? false,
    resources: { limits: container.resources?.limits ?? {}, requests: container.resources?.requests ?? {} },
    logPath: `/var/log/pods/${namespace}_${name}_${uid}/${container.name}/${attempt}.log`,
  });
}

/** `INIT` for one that is to end before the others begin; a sidecar is not. */
function typeOf({ spec }: Pod, { name, restartPolicy }: Container): 'INIT' | 'CONTAINER' {
  return restartPolicy !== 'Always' && spec.initContainers?.some((init) => init.name === name) ? 'INIT' : 'CONTAINER';
}

/** Runs the postStart hook. Returns whether the container is still up. */
async function afterStart(services: NodeServices, { pod, sandbox, container }: StartRequest, id: string, tell: (note: EventNote) => void): Promise<boolean> {
  const hook = container.lifecycle?.postStart;
  if (!hook) return true;
  if (await runHook(services, { hook, container, id, podIP: sandbox.ips[0] ?? services.hostIP, kind: 'postStart', timeoutMs: Number.MAX_SAFE_INTEGER }))
    return true;
  tell({ type: 'Warning', reason: 'FailedPostStartHook', message: 'PostStartHook failed' });
  tell({ type: 'Normal', reason: 'Killing', message: 'FailedPostStartHook' });
  await services.runtime.runtimeService.stopContainer(id, secondsToMs(pod.spec.terminationGracePeriodSeconds ?? 30));
  return false;
}
