import { podResources } from '../../api/core/v1/pod/requests.ts';
import type { Container, Pod } from '../../api/generated/types/core.v1.ts';
import { asMilli, asNumber } from '../../api/quantity.ts';
import type { LinuxResources } from '../../runtime/runtime.ts';

const PERIOD = 100_000;
const LEAST_QUOTA = 1_000;
const SHARES_OF_A_CPU = 1024;
const LEAST_SHARES = 2;
const MOST_SHARES = 262_144;
const GUARANTEED_OOM_SCORE = -997;
const BEST_EFFORT_OOM_SCORE = 1000;

type Quantities = Readonly<Record<string, string>>;

/** What the kernel holds one container to (upstream: kuberuntime calculateLinuxResources, qos/policy.go). */
export function containerResources(pod: Pod, container: Container, memoryCapacity: number): LinuxResources {
  const { limits = {}, requests = {} } = container.resources ?? {};
  return { ...held(requests['cpu'] ?? limits['cpu'], limits), oomScoreAdj: oomScore(pod, container, memoryCapacity) };
}

/** What the kernel holds all of a pod to; a limit only where every container has one (upstream: cm ResourceConfigForPod). */
export function podLimits(pod: Pod): LinuxResources {
  const { spec } = pod;
  const all = [...spec.containers, ...(spec.initContainers ?? [])];
  const limits = podResources(spec, 'limits');
  const declared = (name: string): boolean => spec.resources?.limits?.[name] !== undefined || all.every((container) => container.resources?.limits?.[name]);
  const counted = Object.fromEntries(Object.entries(limits).filter(([name]) => declared(name)));
  return { ...held(podResources(spec, 'requests')['cpu'], counted), oomScoreAdj: 0 };
}

function held(cpuRequest: string | undefined, limits: Quantities): Omit<LinuxResources, 'oomScoreAdj'> {
  const cpuLimit = limits['cpu'] === undefined ? 0 : asMilli(limits['cpu']);
  return {
    cpuPeriod: PERIOD,
    cpuQuota: cpuLimit === 0 ? 0 : Math.max(LEAST_QUOTA, Math.floor((cpuLimit * PERIOD) / 1000)),
    cpuShares: sharesOf(cpuRequest === undefined ? 0 : asMilli(cpuRequest)),
    memoryLimitBytes: limits['memory'] === undefined ? 0 : asNumber(limits['memory']),
  };
}

const sharesOf = (milliCpu: number): number => Math.min(MOST_SHARES, Math.max(LEAST_SHARES, Math.floor((milliCpu * SHARES_OF_A_CPU) / 1000)));

/** The more of the machine's memory a container asks for, the later it is killed. */
function oomScore({ spec, status }: Pod, container: Container, memoryCapacity: number): number {
  if (status.qosClass === 'Guaranteed' || (spec.priority ?? 0) >= 2_000_000_000) return GUARANTEED_OOM_SCORE;
  if (status.qosClass === 'BestEffort') return BEST_EFFORT_OOM_SCORE;
  const score = (request: number): number => BEST_EFFORT_OOM_SCORE - Math.floor((1000 * request) / memoryCapacity);
  const request = ({ resources }: Container): number => asNumber(resources?.requests?.['memory'] ?? '0');
  const own = score(request(container));
  // A sidecar is not killed before those that it serves.
  const wanted = container.restartPolicy === 'Always' ? Math.min(own, score(Math.min(...spec.containers.map(request)))) : own;
  return Math.min(BEST_EFFORT_OOM_SCORE - 1, Math.max(1000 + GUARANTEED_OOM_SCORE, wanted));
}
