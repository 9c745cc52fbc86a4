import type { Pod } from '../api/generated/types/core.v1.ts';
import { hasReason } from '../api/status.ts';
import { assert } from '../lib/assert.ts';
import { resizeContainer } from './container-resizer.ts';
import { crashKey, startContainer } from './container-starter.ts';
import { stopContainer } from './container-stopper.ts';
import type { NodeServices } from './node-services.ts';
import type { PodAction, StopContainer } from './plan/action.ts';
import type { Outcome } from './plan/memory.ts';
import { type PodState, sandboxOf } from './plan/state.ts';
import { allContainers } from './pod-containers.ts';
import { startSandbox } from './sandbox-starter.ts';
import type { StatusReporter } from './status-reporter.ts';

/** What the actions of one plan are carried out with. */
export interface ActionContext {
  services: NodeServices;
  reporter: StatusReporter;
  /** What the plan was made from. */
  state: PodState;
  /** The plan has been overtaken. */
  signal: AbortSignal;
  /** Overtakes the plan that is being carried out. */
  interrupt(): void;
}

/** Carries one action out, to its end. Failures that the next plan deals with are outcomes; others are thrown. */
export async function perform(action: PodAction, context: ActionContext): Promise<Outcome> {
  const { services, reporter, state, signal } = context;
  const { pod } = state;
  const { runtimeService } = services.runtime;
  switch (action.type) {
    case 'refreshNode':
      await services.refreshNode();
      break;
    case 'createSandbox':
      return outcome('sandboxFailure', await startSandbox(services, pod, { attempt: action.attempt, before: state.sandboxFailure }));
    case 'startContainer': {
      const sandbox = sandboxOf(state);
      assert(sandbox, 'containers are started in a sandbox');
      return outcome('startFailure', await startContainer(services, { ...action, pod, sandbox, signal }));
    }
    case 'startProbes':
      await services.probes.add({ ...action, pod, podIP: podIPOf(context) });
      break;
    case 'stopProbes':
      services.probes.remove(action.id);
      break;
    case 'stopContainer':
      await stop(action, context);
      break;
    case 'stopTogether':
      await Promise.all(action.stops.map((one) => stop(one, context)));
      break;
    case 'hurryContainer':
      await runtimeService.stopContainer(action.id, action.graceMs);
      break;
    case 'resizeContainer':
      await resizeContainer(services, pod, action);
      break;
    case 'removeContainer':
      await runtimeService.removeContainer(action.id);
      break;
    case 'stopPodSandbox':
      await runtimeService.stopPodSandbox(action.id);
      break;
    case 'removePodSandbox':
      await runtimeService.removePodSandbox(action.id);
      break;
    case 'tellEvent':
      services.recorder.event(pod, action.note);
      break;
    case 'reportStatus':
      await reporter.report(action.report, action);
      break;
    case 'awaitRelist':
      await services.relisted(signal);
      break;
    case 'interrupt':
      context.interrupt();
      break;
    case 'deletePod':
      await deletePod(services, pod);
      break;
    case 'forgetPod':
      await forget(services, state);
      break;
  }
  return {};
}

function outcome<K extends keyof Outcome>(what: K, failure: Outcome[K]): Outcome {
  return failure ? { [what]: failure } : {};
}

const podIPOf = ({ state, services }: ActionContext): string => sandboxOf(state)?.ips[0] ?? services.hostIP;

function stop(action: StopContainer, context: ActionContext): Promise<void> {
  return stopContainer(context.services, { ...action, pod: context.state.pod, podIP: podIPOf(context) });
}

/** Another pod of this name is left alone; one that has gone already is no failure. */
async function deletePod({ pods }: NodeServices, { metadata }: Pod): Promise<void> {
  const { uid = '', namespace = '', name = '' } = metadata;
  try {
    await pods.delete(namespace, name, { uid, gracePeriodSeconds: 0 });
  } catch (error) {
    if (!hasReason(error, 'NotFound') && !hasReason(error, 'Conflict')) throw error;
  }
}

async function forget({ probes, crashes, images, volumes, runtime, paths, finished }: NodeServices, { pod, runs }: PodState): Promise<void> {
  for (const run of runs) probes.remove(run.id);
  for (const container of allContainers(pod)) crashes.forget(crashKey(pod, container.name));
  images.forget(pod);
  await volumes.tearDown(pod);
  await runtime.files.removeDirectory(paths.logs(pod.metadata));
  await runtime.cgroups?.remove(pod.metadata.uid ?? '');
  finished(pod.metadata.uid ?? '');
}
