import type { Container, Pod } from '../api/generated/types/core.v1.ts';
import { runHook } from './lifecycle-hook.ts';
import type { NodeServices } from './node-services.ts';
import { fieldPathOf } from './pod-containers.ts';

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
  const fieldPath = fieldPathOf(pod, container.name);
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
