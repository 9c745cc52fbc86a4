import type { Container, Pod } from '../api/generated/types/core.v1.ts';
import type { ContainerStatus, PodSandbox } from '../runtime/runtime.ts';
import { fieldPathOf, partOf, runHook } from './container-starter.ts';
import type { NodeServices } from './node-services.ts';

/** The least that a container gets between SIGTERM and SIGKILL once its preStop hook has run. */
const MINIMUM_STOP_MS = 2_000;

export interface StopRequest {
  pod: Pod;
  container: Container;
  id: string;
  podIP: string;
  message: string;
  graceMs: number;
}

/** Stops one container: event, preStop hook, SIGTERM, SIGKILL (upstream: kuberuntime killContainer). */
export async function stopContainer(services: NodeServices, { pod, container, id, podIP, message, graceMs }: StopRequest): Promise<void> {
  const { clock, recorder, probes, runtime } = services;
  const fieldPath = fieldPathOf(container, partOf(pod, container.name));
  recorder.event(pod, { type: 'Normal', reason: 'Killing', message, fieldPath });
  const begunAt = clock.now();
  const hook = container.lifecycle?.preStop;
  if (hook && graceMs > 0 && !(await runHook(services, { hook, container, id, podIP, kind: 'preStop', timeoutMs: graceMs }))) {
    recorder.event(pod, { type: 'Warning', reason: 'FailedPreStopHook', message: 'PreStopHook failed', fieldPath });
  }
  const left = graceMs - (clock.now() - begunAt);
  await runtime.runtimeService.stopContainer(id, hook ? Math.max(left, MINIMUM_STOP_MS) : left);
  probes.remove(id);
}

/** Stops all that runs of a pod: its containers together, then its sidecars from the last to the first, then the sandbox. */
export async function stopPod(
  services: NodeServices,
  { pod, sandbox, containers, graceMs }: { pod: Pod; sandbox: PodSandbox | undefined; containers: readonly ContainerStatus[]; graceMs: number },
): Promise<void> {
  const podIP = sandbox?.ips[0] ?? services.hostIP;
  const begunAt = services.clock.now();
  const inits = pod.spec.initContainers ?? [];
  const stop = async (container: Container): Promise<void> => {
    const run = containers.findLast((status) => status.metadata.name === container.name && status.state === 'running');
    if (!run) return;
    const left = Math.max(graceMs - (services.clock.now() - begunAt), 0);
    await stopContainer(services, { pod, container, id: run.id, podIP, message: `Stopping container ${container.name}`, graceMs: left });
  };
  const regularInits = inits.filter((container) => container.restartPolicy !== 'Always');
  await Promise.all([...(pod.spec.containers ?? []).map((container) => stop(container)), ...regularInits.map((container) => stop(container))]);
  for (const container of inits.filter((c) => c.restartPolicy === 'Always').reverse()) await stop(container);
  if (sandbox) await services.runtime.runtimeService.stopPodSandbox(sandbox.id);
}
