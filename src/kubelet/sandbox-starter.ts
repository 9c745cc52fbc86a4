import type { Pod } from '../api/generated/types/core.v1.ts';
import { POD_NAME_LABEL, POD_NAMESPACE_LABEL, POD_UID_LABEL } from './labels.ts';
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
  const { name = '', namespace = '', uid = '', labels = {}, annotations = {} } = pod.metadata;
  try {
    await runtime.runtimeService.runPodSandbox({
      metadata: { name, namespace, uid, attempt },
      hostname: pod.spec.hostname || name,
      hostNetwork: pod.spec.hostNetwork ?? false,
      labels: { ...labels, [POD_NAME_LABEL]: name, [POD_NAMESPACE_LABEL]: namespace, [POD_UID_LABEL]: uid },
      annotations,
      logDirectory: `/var/log/pods/${namespace}_${name}_${uid}`,
    });
    return undefined;
  } catch (error) {
    const message = `Failed to create pod sandbox: ${error instanceof Error ? error.message : String(error)}`;
    recorder.event(pod, { type: 'Warning', reason: 'FailedCreatePodSandBox', message });
    return { attempts, retryAt: clock.now() + SANDBOX_RETRY_MS };
  }
}
