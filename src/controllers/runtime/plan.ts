import type { Draft, KubeObject, Resource } from '../../api/object.ts';
import type { PatchType } from '../../api/request.ts';
import type { EventNote } from '../../client/event-recorder.ts';

/** The object an action is about. */
export interface Target {
  resource: Resource;
  /** '' for cluster-scoped resources. */
  namespace: string;
  name: string;
}

/** Why an action is planned. */
export interface Because {
  /** The number of the rule that asks for it, in the controller's SPEC.md. */
  rule: string;
  /** What the rule was applied to, in a few words and numbers. */
  facts?: Readonly<Record<string, string | number | boolean>>;
}

interface Reasoned {
  because?: Because;
}

/**
 * One thing to do, as plain data. An update carries the resourceVersion that the decision was made upon and so fails
 * with a Conflict where the object has changed since.
 */
export type Action = CreateAction | UpdateAction | ApplyAction | PatchAction | DeleteAction | EventAction | VerifyLiveAction | SequenceAction | BatchAction;

export interface CreateAction extends Reasoned {
  type: 'create';
  resource: Resource;
  object: Draft<KubeObject>;
  /** `get`: where the name is taken, the outcome carries the object that has it, and is no failure. */
  ifExists?: 'get';
  /** Counts as a success without an object where everything in the namespace is going away. */
  ignoreTerminatingNamespace?: true;
  /** Told about the success and the failure. */
  events?: ActionEvents;
}

export interface UpdateAction extends Reasoned {
  type: 'update';
  resource: Resource;
  object: KubeObject;
  subresource?: 'status' | 'finalize' | 'approval';
  events?: ActionEvents;
}

/** Server-side apply under the controller's own name, which takes over fields of other managers. An object that is gone stays so. */
export interface ApplyAction extends Reasoned {
  type: 'apply';
  resource: Resource;
  /** Only what the controller wants to say. */
  object: Draft<KubeObject>;
  subresource?: 'status';
}

export interface PatchAction extends Target, Reasoned {
  type: 'patch';
  body: unknown;
  patchType: PatchType;
  subresource?: string;
  /** Failures with these reasons count as success without an object. */
  ignore?: string[];
}

export interface DeleteAction extends Target, Reasoned {
  type: 'delete';
  /** Deletes nothing else of the same name. */
  uid: string;
  resourceVersion?: string;
  propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  gracePeriodSeconds?: number;
  events?: ActionEvents;
}

/** Events upon an action's outcome. `{name}` in a success message is the object's name; a failure's is `prefix: error`. */
export interface ActionEvents {
  about: KubeObject;
  success: { reason: string; message: string };
  failure: { reason: string; prefix: string };
  /** Failures with these reasons are told of by nobody. */
  quietAbout?: readonly string[];
}

export interface EventAction extends Reasoned {
  type: 'event';
  about: KubeObject;
  note: EventNote;
}

/** Reads from the API server itself, not from a cache, that the object exists with this uid and is not being deleted. */
export interface VerifyLiveAction extends Target, Reasoned {
  type: 'verifyLive';
  uid: string;
}

/** One after another; the first failure is the last. The outcome carries those of the actions that were tried. */
export interface SequenceAction extends Reasoned {
  type: 'sequence';
  actions: Action[];
}

/**
 * Independent actions, side by side. `slowStart`: first one, then two, four, …; a round with a failure is the last.
 * The outcome of the batch carries those of the actions that were tried.
 */
export interface BatchAction extends Reasoned {
  type: 'batch';
  actions: Action[];
  slowStart: boolean;
}

/** What came of an action. */
export type Outcome = Success | Failure;

export interface Success {
  ok: true;
  /** As the API server returned it. */
  object?: KubeObject;
  /** True: a create found the name taken, and `object` is what has it. */
  existed?: boolean;
  parts?: Outcome[];
}

export interface Failure {
  ok: false;
  error: Error;
  /** The API server would not have it as it is (Invalid, Forbidden): the same again at once would end the same. */
  refused?: true;
  parts?: Outcome[];
}

/**
 * What to do about a snapshot. Actions run in order and stop at the first failure; then `next` decides, from the
 * outcomes so far, what else there is to do. A plan with a failure anywhere is made anew, later and later.
 */
export interface Plan {
  actions: Action[];
  next?: (outcomes: Outcome[]) => Plan;
  /** Look at the key again after this time, whatever happens in between. */
  requeueAfterMs?: number;
  /** Counts as a failure although every action may have succeeded; says why. */
  failure?: string;
  /** What the next look at the key is told, for as long as this process lives and something stands by the key. */
  remember?: unknown;
}

/** By which an action finds the object. */
export function target(resource: Resource, { metadata }: KubeObject): Target {
  return { resource, namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
}

/** The deletion of this object and of no other of its name. */
export function deletionOf(resource: Resource, object: KubeObject): DeleteAction {
  return { type: 'delete', ...target(resource, object), uid: object.metadata.uid ?? '' };
}

/** The actions one after another, as one; none at all where there are none. */
export function inSequence(actions: Action[]): Action[] {
  return actions.length > 1 ? [{ type: 'sequence', actions }] : actions;
}

/** The actions side by side; none at all where there are none. */
export function inParallel(actions: Action[]): Action[] {
  return actions.length > 0 ? [{ type: 'batch', slowStart: false, actions }] : [];
}

export const NOTHING_TO_DO: Plan = { actions: [] };

/** Performs the actions and, if all succeed, goes on with `next`. Without actions it goes on at once. */
export function andThen(actions: Action[], next: (outcomes: Success[]) => Plan): Plan {
  if (actions.length === 0) return next([]);
  return { actions, next: (outcomes) => (outcomes.every((outcome) => outcome.ok) ? next(outcomes) : NOTHING_TO_DO) };
}
