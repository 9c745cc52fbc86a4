import type { Container, Pod, Secret } from '../api/generated/types/core.v1.ts';
import { hasReason } from '../api/status.ts';
import type { EventNote } from '../client/event-recorder.ts';
import { secondsToMs } from '../lib/duration.ts';
import { type PodSandbox, RuntimeError } from '../runtime/runtime.ts';
import { ContainerConfigError } from './config/environment.ts';
import { checkNonRoot } from './config/security.ts';
import { containerConfig } from './container-config.ts';
import { runHook } from './lifecycle-hook.ts';
import type { NodeServices } from './node-services.ts';
import type { StartFailure } from './plan/state.ts';
import { fieldPathOf } from './pod-containers.ts';
import { sandboxConfigOf } from './sandbox-starter.ts';

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
  const secrets = await pullSecrets(services, pod, tell);
  const missing = await images.ensure(pod, container, { tell, secrets, signal });
  if (signal.aborted) return undefined;
  if (missing) {
    tell({ type: 'Warning', reason: 'Failed', message: `Error: ${missing.told ?? missing.reason}` });
    return missing;
  }
  if (finishedAt !== undefined) services.crashes.next(crashKey(pod, container.name), { eventAt: finishedAt, now: clock.now() });
  let id: string;
  try {
    id = await create(services, request);
  } catch (error) {
    const message = spoken(error);
    tell({ type: 'Warning', reason: 'Failed', message: `Error: ${message}` });
    const reason = error instanceof ContainerConfigError ? 'CreateContainerConfigError' : 'CreateContainerError';
    return { reason, message, retryAt: clock.now() + CONFIG_RETRY_MS };
  }
  tell({ type: 'Normal', reason: 'Created', message: `Created container: ${container.name}` });
  try {
    await services.runtime.runtimeService.startContainer(id);
  } catch (error) {
    tell({ type: 'Warning', reason: 'Failed', message: `Error: ${spoken(error)}` });
    return undefined;
  }
  tell({ type: 'Normal', reason: 'Started', message: `Started container ${container.name}` });
  if (!(await afterStart(services, request, id, tell))) return undefined;
  await services.probes.add({ id, pod, podIP: request.sandbox.ips[0] ?? services.hostIP, container, startedAt: clock.now() });
  return undefined;
}

/** What the runtime itself says, without what gRPC adds. */
function spoken(error: unknown): string {
  if (error instanceof RuntimeError) return error.description;
  return error instanceof Error ? error.message : String(error);
}

/** Registries are asked without the pull secrets that are not there (upstream: kubelet getPullSecretsForPod). */
async function pullSecrets({ config }: NodeServices, { metadata, spec }: Pod, tell: (note: EventNote) => void): Promise<Secret[]> {
  const secrets: Secret[] = [];
  const absent: string[] = [];
  for (const { name = '' } of spec.imagePullSecrets ?? []) {
    try {
      secrets.push(await config.secret(metadata.namespace ?? '', name));
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error;
      absent.push(name);
    }
  }
  if (absent.length > 0) {
    const message = `Unable to retrieve some image pull secrets (${absent.join(', ')}); attempting to pull the image may not succeed.`;
    tell({ type: 'Warning', reason: 'FailedToRetrieveImagePullSecret', message });
  }
  return secrets;
}

async function create(services: NodeServices, request: StartRequest): Promise<string> {
  const { pod, sandbox, container } = request;
  const image = await services.runtime.imageService.imageStatus(container.image ?? '');
  checkNonRoot(pod, container, image);
  const config = await containerConfig(services, { ...request, image });
  const sandboxConfig = await sandboxConfigOf(services, pod, sandbox.metadata.attempt);
  return services.runtime.runtimeService.createContainer(sandbox.id, config, sandboxConfig);
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
