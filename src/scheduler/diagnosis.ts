import type { Rejection } from './framework.ts';

/** `1 reason, 2 other`, sorted as text, as upstream's FitError counts them. */
function counted(reasons: Iterable<string>): string {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(', ');
}

export interface Diagnosis {
  nodes: number;
  rejections: ReadonlyMap<string, Rejection>;
  /** False where the pod's preemptionPolicy is Never. */
  mayPreempt: boolean;
  /** Room is being made: then nothing is said of preemption. */
  preempting?: boolean;
}

/** Why a pod could not be placed, in upstream's words (pkg/scheduler/framework, FitError.Error). */
export function unschedulableMessage({ nodes, rejections, mayPreempt, preempting = false }: Diagnosis): string {
  if (nodes === 0) return 'no nodes available to schedule pods';
  const all = [...rejections.values()];
  const reasons = counted(all.flatMap((rejection) => rejection.reasons));
  if (preempting) return `0/${nodes} nodes are available: ${reasons}.`;
  const preemption = mayPreempt
    ? `0/${nodes} nodes are available: ${counted(
        all.map(({ unresolvable }) => (unresolvable ? 'Preemption is not helpful for scheduling' : 'No preemption victims found for incoming pod')),
      )}.`
    : 'not eligible due to preemptionPolicy=Never.';
  return `0/${nodes} nodes are available: ${reasons}. no new claims to deallocate, preemption: ${preemption}`;
}
