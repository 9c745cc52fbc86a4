import type { Pod } from '../api/generated/types/core.v1.ts';
import type { PodSandboxConfig } from '../runtime/runtime.ts';
import { podLimits } from './config/linux-resources.ts';
import { sandboxConfig } from './config/sandbox-config.ts';
import type { NodeServices } from './node-services.ts';
import type { SandboxFailure } from './plan/state.ts';
import { missingClaims } from './volumes/missing-claims.ts';

/** A claim that is not there is looked for again after this long. */
const CLAIM_RETRY_MS = 12_000;
const FIRST_VOLUME_RETRY_MS = 500;
const LAST_VOLUME_RETRY_MS = 122_000;
const SANDBOX_RETRY_MS = 10_000;

/**
 * Makes a pod's sandbox, once its volumes can be mounted (upstream: WaitForAttachAndMount, kuberuntime createPodSandbox).
 * @param options.before what the last attempt came to
 * @returns when to try again, where it cannot be made now
 */
export async function startSandbox(
  services: NodeServices,
  pod: Pod,
  { attempt, before }: { attempt: number; before: SandboxFailure | undefined },
): Promise<SandboxFailure | undefined> {
  const { runtime, recorder, clock, config, volumes } = services;
  const attempts = before?.attempts ?? 0;
  const unmounted = (message: string): void => recorder.event(pod, { type: 'Warning', reason: 'FailedMount', message });
  const unclaimed = await missingClaims(pod, config);
  if (unclaimed !== undefined) {
    unmounted(unclaimed);
    return { attempts, retryAt: clock.now() + CLAIM_RETRY_MS };
  }
  const fault = await volumes.setUp(pod);
  if (fault !== undefined) {
    unmounted(fault);
    return { attempts: attempts + 1, retryAt: clock.now() + Math.min(FIRST_VOLUME_RETRY_MS * 2 ** attempts, LAST_VOLUME_RETRY_MS) };
  }
  try {
    await runtime.cgroups?.create(pod.metadata.uid ?? '', pod.status.qosClass ?? '', podLimits(pod));
    await runtime.files.makeDirectory(services.paths.logs(pod.metadata), { mode: 0o755, inMemory: false });
    await runtime.runtimeService.runPodSandbox(await sandboxConfigOf(services, pod, attempt));
    return undefined;
  } catch (error) {
    const message = `Failed to create pod sandbox: ${error instanceof Error ? error.message : String(error)}`;
    recorder.event(pod, { type: 'Warning', reason: 'FailedCreatePodSandBox', message });
    return { attempts, retryAt: clock.now() + SANDBOX_RETRY_MS };
  }
}

/** What the runtime has been told of a pod's sandbox, or is to be told. */
export async function sandboxConfigOf({ runtime, paths, clusterDns, config }: NodeServices, pod: Pod, attempt: number): Promise<PodSandboxConfig> {
  const cgroupParent = runtime.cgroups?.nameOf(pod.metadata.uid ?? '', pod.status.qosClass ?? '');
  const runtimeHandler = await config.runtimeHandler(pod.spec.runtimeClassName);
  return sandboxConfig(pod, { attempt, paths, clusterDns, machine: runtime.machine, cgroupParent, runtimeHandler });
}
