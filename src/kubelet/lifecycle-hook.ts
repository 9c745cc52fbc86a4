import type { Container, LifecycleHandler } from '../api/generated/types/core.v1.ts';
import { sleep } from '../lib/clock.ts';
import type { NodeServices } from './node-services.ts';
import { actionOf } from './probes.ts';

export interface HookRun {
  hook: LifecycleHandler;
  container: Container;
  id: string;
  podIP: string;
  kind: 'postStart' | 'preStop';
  timeoutMs: number;
}

/** Runs a hook of a container (upstream: pkg/kubelet/lifecycle). Returns whether it went well. */
export async function runHook(services: NodeServices, { hook, container, id, podIP, kind, timeoutMs }: HookRun): Promise<boolean> {
  if (hook.sleep) {
    await sleep(services.clock, Math.min(hook.sleep.seconds * 1000, timeoutMs));
    return true;
  }
  const action = actionOf(hook, container, podIP);
  if (!action) return true;
  const { ok } = await services.runtime.podNetwork.probe(action, { containerId: id, kind, timeoutMs });
  return ok;
}
