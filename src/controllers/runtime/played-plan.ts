import type { KubeObject } from '../../api/object.ts';
import type { Action, Outcome, Plan, UpdateAction } from './plan.ts';

// For tests: what a plan comes to where the API server has nothing against it.

/** All actions of the plan and of what follows, in order, where everything succeeds that is not said to fail. */
export function actionsOf(plan: Plan | undefined, fails: (action: Action) => boolean = () => false): Action[] {
  if (!plan) return [];
  const outcome = (action: Action): Outcome => {
    if (action.type === 'batch' || action.type === 'sequence') {
      const parts = action.actions.map(outcome);
      const failed = parts.find(({ ok }) => !ok);
      return failed && !failed.ok ? { ...failed, parts } : { ok: true, parts };
    }
    if (fails(action)) return { ok: false, error: new Error('refused') };
    return 'object' in action ? { ok: true, object: action.object as KubeObject } : { ok: true };
  };
  return [...plan.actions.flatMap(flat), ...actionsOf(plan.next?.(plan.actions.map(outcome)), fails)];
}

function flat(action: Action): Action[] {
  return action.type === 'batch' || action.type === 'sequence' ? action.actions.flatMap(flat) : [action];
}

/** `create Pod web-0`, `update Job web status`, `event Completed`. */
export function says(action: Action): string {
  switch (action.type) {
    case 'create':
      return `create ${action.resource.kind} ${action.object.metadata?.name ?? action.object.metadata?.generateName}`;
    case 'update':
      return `update ${action.resource.kind} ${action.object.metadata.name}${action.subresource ? ` ${action.subresource}` : ''}`;
    case 'event':
      return `event ${action.note.reason}`;
    case 'batch':
    case 'sequence':
      return action.type;
    case 'apply':
      return `apply ${action.resource.kind}`;
    default:
      return `${action.type} ${action.resource.kind} ${action.name}`;
  }
}

/** The status that the plan writes last. */
export function writtenStatus(plan: Plan): unknown {
  const updates = actionsOf(plan).filter((action): action is UpdateAction => action.type === 'update' && action.subresource === 'status');
  return (updates.at(-1)?.object as { status?: unknown } | undefined)?.status;
}
