import type { PodFailurePolicy, PodFailurePolicyRule } from '../../api/generated/types/batch.v1.ts';
import type { ContainerStatus, Pod } from '../../api/generated/types/core.v1.ts';

/** What the policy says of a failed pod. */
export interface Judgement {
  action: 'FailJob' | 'FailIndex' | 'Ignore' | 'Count' | undefined;
  /** Whether the failure counts against the limits. */
  counts: boolean;
  /** Why the Job fails, if it does. */
  message?: string;
}

/** The first rule that matches decides. Upstream: pod_failure_policy.go (matchPodFailurePolicy). */
export function judge(policy: PodFailurePolicy | undefined, pod: Pod): Judgement {
  for (const [index, rule] of (policy?.rules ?? []).entries()) {
    const what = matched(rule, pod);
    if (what === undefined) continue;
    const action = rule.action as NonNullable<Judgement['action']>;
    if (action === 'FailJob') return { action, counts: true, message: `${what} matching ${action} rule at index ${index}` };
    return { action, counts: action !== 'Ignore' };
  }
  return { action: undefined, counts: true };
}

/** What matches, in the words of the message; undefined: nothing does. */
function matched({ onExitCodes, onPodConditions }: PodFailurePolicyRule, { metadata, status }: Pod): string | undefined {
  const name = `${metadata.namespace}/${metadata.name}`;
  if (onExitCodes) {
    const matches = (container: ContainerStatus): boolean => {
      const exitCode = container.state?.terminated?.exitCode ?? 0;
      if (exitCode === 0 || (onExitCodes.containerName !== undefined && onExitCodes.containerName !== container.name)) return false;
      return onExitCodes.values.includes(exitCode) === (onExitCodes.operator === 'In');
    };
    const container = status.containerStatuses?.find(matches) ?? status.initContainerStatuses?.find(matches);
    return container && `Container ${container.name} for pod ${name} failed with exit code ${container.state?.terminated?.exitCode}`;
  }
  const condition = status.conditions?.find(({ type, status: is }) => onPodConditions?.some((pattern) => pattern.type === type && pattern.status === is));
  return condition && `Pod ${name} has condition ${condition.type}`;
}
