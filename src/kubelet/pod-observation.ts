import type { Pod } from '../api/generated/types/core.v1.ts';
import type { ContainerStatus, PodSandbox } from '../runtime/runtime.ts';
import { crashKey } from './container-starter.ts';
import { POD_UID_LABEL } from './labels.ts';
import type { NodeServices } from './node-services.ts';
import type { PodState, ProbeFindings } from './plan/state.ts';
import type { Probes } from './probes.ts';
import { terminationMessage } from './termination-message.ts';

/** What the runtime has of one pod, oldest first. */
export interface PodObservation {
  sandboxes: readonly PodSandbox[];
  runs: readonly ContainerStatus[];
}

/** @throws RuntimeError */
export async function observePod(services: NodeServices, uid: string): Promise<PodObservation> {
  const { runtimeService } = services.runtime;
  const labelSelector = { [POD_UID_LABEL]: uid };
  const [sandboxes, runs] = await Promise.all([runtimeService.listPodSandbox({ labelSelector }), runtimeService.listContainers({ labelSelector })]);
  const told = runs.map(async (run) => (run.state === 'exited' && run.message === '' ? { ...run, message: await terminationMessage(services, run) } : run));
  return { sandboxes, runs: await Promise.all(told) };
}

/** What is known of those runs that are probed, by their ids. */
export function findingsOf(probes: Probes, runs: readonly ContainerStatus[]): ReadonlyMap<string, ProbeFindings> {
  const found = new Map<string, ProbeFindings>();
  for (const { id } of runs) {
    const findings = probes.findings(id);
    if (findings) found.set(id, findings);
  }
  return found;
}

/** What else a plan is made from, as it is now; nobody is asked for it. */
export function surroundings(
  { clock, crashes, node, others, probes }: NodeServices,
  pod: Pod,
  { runs }: PodObservation,
): Pick<PodState, 'now' | 'node' | 'others' | 'probes' | 'crashDelay'> {
  return {
    now: clock.now(),
    node: node(),
    others: () => others(pod.metadata.uid ?? ''),
    probes: findingsOf(probes, runs),
    crashDelay: (container, finishedAt) => crashes.delayFor(crashKey(pod, container), finishedAt),
  };
}
