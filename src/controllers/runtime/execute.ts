import type { KubeObject } from '../../api/object.ts';
import { hasReason, StatusError } from '../../api/status.ts';
import type { Client } from '../../client/client.ts';
import type { EventRecorder } from '../../client/event-recorder.ts';
import type { Log } from '../../lib/log.ts';
import type {
  Action,
  ActionEvents,
  ApplyAction,
  BatchAction,
  CreateAction,
  DeleteAction,
  Outcome,
  PatchAction,
  Plan,
  SequenceAction,
  UpdateAction,
  VerifyLiveAction,
} from './plan.ts';

/** Told before each create and delete is sent, and when one comes to nothing. */
export interface Expecting {
  creation(action: CreateAction): void;
  creationFailed(action: CreateAction): void;
  deletion(action: DeleteAction): void;
  deletionFailed(action: DeleteAction): void;
  /** Told what a patch has made. */
  patched(action: PatchAction, object: KubeObject): void;
}

export interface ExecutionContext {
  client: Client;
  recorder: EventRecorder;
  expecting?: Expecting;
  /** Told of each action and why it is taken. */
  log?: Log;
  /** Asked before each write: true ends the execution there, as a crash would. */
  stopped?: () => boolean;
}

export interface Execution {
  /** The first failure, if there was one. */
  failure: { error: Error; refused: boolean } | undefined;
  requeueAfterMs: number | undefined;
  /** What the last plan that said so wants remembered. */
  remember?: unknown;
}

/** Carries out a plan and its continuations. Never throws for what an API server may answer. */
export async function execute(plan: Plan, context: ExecutionContext): Promise<Execution> {
  let failure: Execution['failure'];
  let requeueAfterMs: number | undefined;
  let remember: unknown;
  for (let current: Plan | undefined = plan; current; ) {
    const outcomes: Outcome[] = [];
    for (const action of current.actions) {
      if (context.stopped?.()) return { failure, requeueAfterMs, remember };
      const outcome = await perform(action, context);
      outcomes.push(outcome);
      if (outcome.ok) continue;
      failure ??= { error: outcome.error, refused: outcome.refused ?? false };
      break;
    }
    if (current.failure !== undefined) failure ??= { error: new Error(current.failure), refused: false };
    if (current.requeueAfterMs !== undefined) requeueAfterMs = Math.min(requeueAfterMs ?? Number.POSITIVE_INFINITY, current.requeueAfterMs);
    if (current.remember !== undefined) remember = current.remember;
    current = current.next?.(outcomes);
  }
  return { failure, requeueAfterMs, remember };
}

async function perform(action: Action, context: ExecutionContext): Promise<Outcome> {
  if (action.because && action.type !== 'batch' && action.type !== 'sequence')
    context.log?.debug?.(describe(action), { rule: action.because.rule, ...action.because.facts });
  try {
    switch (action.type) {
      case 'create':
        return await create(action, context);
      case 'update':
        return await update(action, context);
      case 'apply':
        return await apply(action, context);
      case 'patch':
        return await patch(action, context);
      case 'delete':
        return await remove(action, context);
      case 'event':
        context.recorder.event(action.about, action.note);
        return { ok: true };
      case 'verifyLive':
        return await verifyLive(action, context);
      case 'sequence':
        return await sequence(action, context);
      case 'batch':
        return await batch(action, context);
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return hasReason(error, 'Invalid') || hasReason(error, 'Forbidden') ? { ok: false, error, refused: true } : { ok: false, error };
  }
}

function describe(action: Exclude<Action, BatchAction | SequenceAction>): string {
  switch (action.type) {
    case 'create':
    case 'apply':
    case 'update': {
      const { namespace, name, generateName } = action.object.metadata ?? {};
      return `${action.type} ${action.resource.resource} ${namespace}/${name ?? generateName}`;
    }
    case 'event':
      return `event ${action.note.reason} about ${action.about.kind} ${action.about.metadata.namespace}/${action.about.metadata.name}`;
    default:
      return `${action.type} ${action.resource.resource} ${action.namespace}/${action.name}`;
  }
}

async function create(action: CreateAction, { client, recorder, expecting }: ExecutionContext): Promise<Outcome> {
  const resource = client.resource(action.resource);
  expecting?.creation(action);
  try {
    const object = await resource.create(action.object);
    recordSuccess(recorder, action.events, object.metadata.name ?? '');
    return { ok: true, object };
  } catch (error) {
    expecting?.creationFailed(action);
    if (action.ifExists === 'get' && hasReason(error, 'AlreadyExists')) {
      const { namespace = '', name = '' } = action.object.metadata ?? {};
      return { ok: true, existed: true, object: await resource.get(namespace, name) };
    }
    if (namespaceIsTerminating(error)) {
      if (action.ignoreTerminatingNamespace) return { ok: true };
    } else recordFailure(recorder, action.events, error);
    throw error;
  }
}

async function update({ resource, object, subresource }: UpdateAction, { client }: ExecutionContext): Promise<Outcome> {
  return { ok: true, object: await client.resource(resource).update(object, subresource ? { subresource } : {}) };
}

async function apply({ resource, object, subresource }: ApplyAction, { client }: ExecutionContext): Promise<Outcome> {
  try {
    return { ok: true, object: await client.resource(resource).apply(object, subresource ? { subresource } : {}) };
  } catch (error) {
    if (subresource && hasReason(error, 'NotFound')) return { ok: true };
    throw error;
  }
}

async function patch({ resource, namespace, name, body, patchType, subresource, ignore }: PatchAction, { client }: ExecutionContext): Promise<Outcome> {
  try {
    return { ok: true, object: await client.resource(resource).patch(namespace, name, body, patchType, subresource ? { subresource } : {}) };
  } catch (error) {
    if (error instanceof StatusError && ignore?.includes(error.reason)) return { ok: true };
    throw error;
  }
}

async function remove(action: DeleteAction, { client, recorder, expecting }: ExecutionContext): Promise<Outcome> {
  const { resource, namespace, name, uid, resourceVersion, propagationPolicy, gracePeriodSeconds } = action;
  expecting?.deletion(action);
  try {
    const object = await client.resource(resource).delete(namespace, name, {
      uid,
      ...(resourceVersion ? { resourceVersion } : {}),
      ...(propagationPolicy ? { propagationPolicy } : {}),
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    });
    recordSuccess(recorder, action.events, name);
    return { ok: true, object };
  } catch (error) {
    expecting?.deletionFailed(action);
    if (hasReason(error, 'NotFound')) return { ok: true };
    recordFailure(recorder, action.events, error);
    throw error;
  }
}

async function verifyLive({ resource, namespace, name, uid }: VerifyLiveAction, { client }: ExecutionContext): Promise<Outcome> {
  const object: KubeObject = await client.resource(resource).get(namespace, name);
  const what = `${namespace}/${name}`;
  if (object.metadata.uid !== uid)
    return { ok: false, error: new Error(`original ${resource.kind} ${what} is gone: got uid ${object.metadata.uid}, wanted ${uid}`) };
  const { deletionTimestamp } = object.metadata;
  if (deletionTimestamp) return { ok: false, error: new Error(`${what} has just been deleted at ${deletionTimestamp}`) };
  return { ok: true, object };
}

async function sequence({ actions }: SequenceAction, context: ExecutionContext): Promise<Outcome> {
  const parts: Outcome[] = [];
  for (const action of actions) {
    if (context.stopped?.()) break;
    const outcome = await perform(action, context);
    parts.push(outcome);
    if (!outcome.ok) return { ...outcome, parts };
  }
  return { ok: true, parts };
}

async function batch({ actions, slowStart }: BatchAction, context: ExecutionContext): Promise<Outcome> {
  const parts: Outcome[] = [];
  let size = slowStart ? 1 : actions.length;
  while (parts.length < actions.length) {
    if (context.stopped?.()) break;
    const round = actions.slice(parts.length, parts.length + size);
    parts.push(...(await Promise.all(round.map((action) => perform(action, context)))));
    const failed = parts.find((part) => !part.ok);
    if (failed && !failed.ok) return { ...failed, parts };
    size *= 2;
  }
  return { ok: true, parts };
}

function recordSuccess(recorder: EventRecorder, events: ActionEvents | undefined, name: string): void {
  if (!events) return;
  recorder.event(events.about, { type: 'Normal', reason: events.success.reason, message: events.success.message.replace('{name}', name) });
}

function recordFailure(recorder: EventRecorder, events: ActionEvents | undefined, error: unknown): void {
  if (!events || (error instanceof StatusError && events.quietAbout?.includes(error.reason))) return;
  const message = error instanceof Error ? error.message : String(error);
  recorder.event(events.about, { type: 'Warning', reason: events.failure.reason, message: `${events.failure.prefix}: ${message}` });
}

/** Whether a create failed because everything in its namespace is going away. */
export function namespaceIsTerminating(error: unknown): boolean {
  return error instanceof StatusError && (error.status.details?.causes ?? []).some((cause) => cause.reason === 'NamespaceTerminating');
}
