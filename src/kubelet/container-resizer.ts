import type { Container, Pod } from '../api/generated/types/core.v1.ts';
import { asNumber } from '../api/quantity.ts';
import { containerResources, podLimits } from './config/linux-resources.ts';
import type { NodeServices } from './node-services.ts';

/** Holds a running container, and its pod, to what the spec says now (upstream: kuberuntime doPodResizeAction). */
export async function resizeContainer({ runtime }: NodeServices, pod: Pod, { id, container }: { id: string; container: Container }): Promise<void> {
  const ofPod = async (): Promise<void> => {
    await runtime.cgroups?.create(pod.metadata.uid ?? '', pod.status.qosClass ?? '', podLimits(pod));
  };
  const ofContainer = (): Promise<void> =>
    runtime.runtimeService.updateContainerResources(id, containerResources(pod, container, asNumber(runtime.machine.capacity['memory'] ?? '0')));
  try {
    await ofPod();
  } catch {
    // A pod cannot be held to less than its containers still may take: they come first then.
    await ofContainer();
    return ofPod();
  }
  await ofContainer();
}
