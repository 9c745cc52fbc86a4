import type { ReplicaSet } from '../api/generated/types/apps.v1.ts';
import { selectorFrom } from '../api/labels.ts';
import { Deployments, ReplicaSets } from '../api/resources.ts';
import type { DeploymentSnapshot } from '../controllers/deployment/rollout.ts';
import { claim } from '../controllers/ownership.ts';
import type { Controller } from '../controllers/runtime/controller.ts';
import type { Action, Outcome, Plan, UpdateAction } from '../controllers/runtime/plan.ts';
import { ownerUid } from './cluster-model.ts';
import { makeSamePods } from './templates.ts';

// Mistakes that can be planted, to see that the simulator finds them. Plans are data: a mistake stands around a controller
// that knows nothing of it, and alters what it is shown or what it wants to do.

const DEPLOYMENT = ['deployment-controller'];
const REPLICA_SET = ['replicaset-controller', 'replication-controller'];
const REVISION = 'deployment.kubernetes.io/revision';
const REVISION_HISTORY = 'deployment.kubernetes.io/revision-history';

export interface Bug {
  about: string;
  /** The names of the controllers that make the mistake. */
  in: readonly string[];
  /** Whether the cache has shown what was done, as the controller is told. */
  expectationsMet?: true;
  /** Alters a Deployment and what belongs to it as the controller sees them. */
  see?: (snapshot: DeploymentSnapshot) => DeploymentSnapshot;
  /** Plans instead of the controller where it can: undefined leaves it to the controller. */
  instead?: (snapshot: DeploymentSnapshot, plan: (snapshot: DeploymentSnapshot) => Plan) => Plan | undefined;
  /** Alters an action; undefined: it is left out, and taken for done. */
  act?: (action: Action, snapshot: DeploymentSnapshot | undefined) => Action | undefined;
  /** Nobody looks again at a time that was planned. */
  forget?: true;
}

export const BUGS: Readonly<Record<string, Bug>> = {
  'skip-expectations': {
    about: 'pods are created and deleted upon a cache that does not show the last ones yet',
    in: REPLICA_SET,
    expectationsMet: true,
  },
  'revisions-as-text': { about: 'revision 10 counts as less than 9', in: DEPLOYMENT, act: keepLargerText },
  'round-up': { about: 'a percentage of maxUnavailable is rounded up', in: DEPLOYMENT, see: roundedUp },
  'adopt-unseen': { about: 'ReplicaSets are adopted without a look at the live Deployment', in: DEPLOYMENT, act: withoutLiveCheck },
  'adopt-pods-unseen': { about: 'pods are adopted without a look at the live ReplicaSet', in: REPLICA_SET, act: withoutLiveCheck },
  'adopt-on-deletion': { about: 'a Deployment that is being deleted adopts', in: DEPLOYMENT, act: withoutLiveCheck, instead: adoptThoughGoing },
  'forget-deadline': { about: 'nobody looks again when the progress deadline has passed', in: DEPLOYMENT, forget: true },
  'old-first': { about: 'old ReplicaSets are scaled down before the new one is up', in: DEPLOYMENT, instead: oldFirst },
  'overwrite-stale': { about: 'updates carry no resourceVersion, so that a stale cache overwrites', in: DEPLOYMENT, act: unconditional },
};

/** The controller with the mistake, if it is one that makes it. */
export function plant<Snapshot>(bug: Bug, controller: Controller<Snapshot>): Controller<Snapshot> {
  if (!bug.in.includes(controller.name)) return controller;
  return {
    ...controller,
    observe: async (key, context) => {
      const snapshot = await controller.observe(key, bug.expectationsMet ? { ...context, expectationsMet: true } : context);
      return snapshot && bug.see && isOfDeployment(snapshot) ? { ...snapshot, ...bug.see(snapshot) } : snapshot;
    },
    plan: (snapshot) => {
      const own = (seen: DeploymentSnapshot): Plan => controller.plan({ ...snapshot, ...seen });
      const seen = isOfDeployment(snapshot) ? snapshot : undefined;
      return altered((seen && bug.instead?.(seen, own)) ?? controller.plan(snapshot), bug, seen);
    },
  };
}

function isOfDeployment(snapshot: unknown): snapshot is DeploymentSnapshot {
  return (snapshot as Partial<DeploymentSnapshot>).deployment !== undefined;
}

/** The plan and all that follow from it, each with its actions altered; of those left out it is told that they are done. */
function altered({ requeueAfterMs, ...plan }: Plan, bug: Bug, snapshot: DeploymentSnapshot | undefined): Plan {
  const { act = (action) => action, forget } = bug;
  const actions = plan.actions.map((action) => act(action, snapshot));
  const { next } = plan;
  return {
    ...plan,
    actions: actions.filter((action) => action !== undefined),
    ...(requeueAfterMs === undefined || forget ? {} : { requeueAfterMs }),
    ...(next ? { next: (outcomes: Outcome[]) => altered(next(withThoseLeftOut(actions, outcomes)), bug, snapshot) } : {}),
  };
}

function withThoseLeftOut(actions: readonly (Action | undefined)[], outcomes: readonly Outcome[]): Outcome[] {
  const left = [...outcomes];
  const all: Outcome[] = [];
  for (const action of actions) {
    const outcome: Outcome | undefined = action ? left.shift() : { ok: true };
    if (!outcome) break;
    all.push(outcome);
  }
  return all;
}

function withoutLiveCheck(action: Action): Action | undefined {
  return action.type === 'verifyLive' ? undefined : action;
}

function unconditional(action: Action): Action {
  if (action.type !== 'update') return action;
  const { resourceVersion: _, ...metadata } = action.object.metadata;
  return { ...action, object: { ...action.object, metadata } };
}

function keepLargerText(action: Action, snapshot: DeploymentSnapshot | undefined): Action {
  if (action.type !== 'update' || action.object.kind !== 'ReplicaSet') return action;
  const { annotations = {}, uid } = action.object.metadata;
  const before = snapshot?.replicaSets.find(({ metadata }) => metadata.uid === uid)?.metadata.annotations ?? {};
  const [was = '', is = ''] = [before[REVISION], annotations[REVISION]];
  if (was < is) return action;
  const { [REVISION_HISTORY]: _, ...others } = annotations;
  const history = before[REVISION_HISTORY];
  const kept = { ...others, [REVISION]: was, ...(history === undefined ? {} : { [REVISION_HISTORY]: history }) };
  return { ...action, object: { ...action.object, metadata: { ...action.object.metadata, annotations: kept } } };
}

function roundedUp(snapshot: DeploymentSnapshot): DeploymentSnapshot {
  const { spec } = snapshot.deployment;
  const { maxUnavailable } = spec.strategy.rollingUpdate ?? {};
  if (typeof maxUnavailable !== 'string') return snapshot;
  const rounded = Math.ceil((Number.parseInt(maxUnavailable, 10) * (spec.replicas ?? 1)) / 100);
  const strategy = { ...spec.strategy, rollingUpdate: { ...spec.strategy.rollingUpdate, maxUnavailable: rounded } };
  return { ...snapshot, deployment: { ...snapshot.deployment, spec: { ...spec, strategy } } };
}

function adoptThoughGoing(snapshot: DeploymentSnapshot, plan: (snapshot: DeploymentSnapshot) => Plan): Plan | undefined {
  const { deployment, replicaSets } = snapshot;
  if (deployment.metadata.deletionTimestamp === undefined) return undefined;
  const { deletionTimestamp: _, ...metadata } = deployment.metadata;
  const owner = { ...deployment, metadata };
  const selector = selectorFrom(deployment.spec.selector);
  const rules = { adoption: 'none', release: 'none' };
  return claim({ owner, ownerResource: Deployments, resource: ReplicaSets, selector, candidates: replicaSets, rules }, (claimed) =>
    plan({ ...snapshot, replicaSets: claimed }),
  );
}

function oldFirst({ deployment, replicaSets }: DeploymentSnapshot): Plan | undefined {
  const { metadata, spec } = deployment;
  if (metadata.deletionTimestamp !== undefined || spec.paused || spec.strategy.type === 'Recreate') return undefined;
  const own = replicaSets.filter((one) => ownerUid(one) === metadata.uid);
  const old = own.filter((one) => (one.spec.replicas ?? 1) > 0 && !makeSamePods(one.spec.template, spec.template));
  if (old.length === 0 || !own.some((one) => makeSamePods(one.spec.template, spec.template))) return undefined;
  return { actions: old.map((one) => updateOf({ ...one, spec: { ...one.spec, replicas: 0 } })) };
}

function updateOf(object: ReplicaSet): UpdateAction {
  return { type: 'update', resource: ReplicaSets, object };
}
