import type { Deployment, ReplicaSet } from '../api/generated/types/apps.v1.ts';
import type { Pod } from '../api/generated/types/core.v1.ts';
import type { KubeObject } from '../api/object.ts';
import { maxReplicas, minAvailable, replicasOf } from '../controllers/deployment/strategy.ts';
import { sameTemplate } from '../controllers/deployment/template.ts';
import { isPodActive } from '../controllers/pod-state.ts';
import { type ClusterModel, ownerUid, type Write } from './cluster-model.ts';
import { MARK } from './user.ts';

/** A rule that was broken, and how. */
export interface Violation {
  rule: string;
  message: string;
  atMs: number;
}

/** What kinds of faults excuse at a moment. */
export interface Excuses {
  /** Caches may be behind, or writes late, so that even right decisions come out wrong. */
  stale(): boolean;
  /** More than one life of the controllers may have acted, or one may not know what it did: pods may be made twice. */
  twice(): boolean;
  /** Requests may reach the server long after they were decided upon. */
  late(): boolean;
}

const CONTROLLERS = 'kube-controller-manager';
/** How far back a decision may have been taken that is written now. */
const RECENT_MS = 5000;
const LONG_AGO_MS = 75_000;
const REVISION = 'deployment.kubernetes.io/revision';
const DESIRED = 'deployment.kubernetes.io/desired-replicas';

interface Check {
  rule: string;
  /** @returns how the rule is broken. */
  find(write: Write, context: CheckContext): string | undefined;
}

interface CheckContext {
  model: ClusterModel;
  excuses: Excuses;
  /** From when on what was true then may still be acted upon. */
  sinceMs: number;
  /** Deployments by uid in whose history a user has meddled. */
  meddled: ReadonlySet<string>;
}

/** Looks at every write as it happens. */
export class Checkers {
  readonly #model: ClusterModel;
  readonly #excuses: Excuses;
  readonly #meddled = new Set<string>();

  constructor(model: ClusterModel, excuses: Excuses) {
    this.#model = model;
    this.#excuses = excuses;
  }

  /** @returns the first rule that the write breaks. */
  check(write: Write): Violation | undefined {
    const { before, after, atMs, resource, writer } = write;
    if (writer === 'user' && resource === 'replicasets' && before) this.#meddled.add(ownerUid(before) ?? (after && ownerUid(after)) ?? '');
    const sinceMs = atMs - (this.#excuses.stale() ? LONG_AGO_MS : RECENT_MS);
    const context: CheckContext = { model: this.#model, excuses: this.#excuses, sinceMs, meddled: this.#meddled };
    for (const { rule, find } of CHECKS) {
      const message = find(write, context);
      if (message !== undefined) return { rule, message, atMs };
    }
    return undefined;
  }
}

const CHECKS: readonly Check[] = [
  { rule: 'no number of a status is negative', find: negative },
  { rule: 'an act of ours keeps within replicas + maxSurge', find: beyondSurge },
  { rule: 'an act of ours leaves replicas − maxUnavailable available', find: belowAvailability },
  { rule: 'no ReplicaSet of a live owner is collected', find: collected },
  { rule: 'no pod is deleted that its ReplicaSet needs', find: neededPodDeleted },
  { rule: 'no pod is created beyond what its ReplicaSet wants', find: tooManyPods },
  { rule: 'no two ReplicaSets of one template are made', find: twins },
  { rule: 'revisions only grow', find: fallingRevision },
  { rule: 'nothing is adopted by an owner that goes', find: adoptedByTheDead },
  { rule: 'no write of ours undoes another', find: undone },
];

const nameOf = (object: KubeObject): string => `${object.kind} ${object.metadata.name}`;

function negative({ after }: Write): string | undefined {
  const status = (after as { status?: Record<string, unknown> } | undefined)?.status ?? {};
  const bad = Object.entries(status).find(([, value]) => typeof value === 'number' && value < 0);
  return bad && `${nameOf(after!)}: status.${bad[0]} is ${bad[1]}`;
}

/** A ReplicaSet whose size we changed, with its live Deployment. */
function resized(
  { resource, writer, before, after }: Write,
  model: ClusterModel,
): { from: number; to: number; replicaSet: ReplicaSet; deployment: Deployment } | undefined {
  if (resource !== 'replicasets' || writer !== CONTROLLERS || !after) return undefined;
  const replicaSet = after as ReplicaSet;
  const [from, to] = [before ? replicasOf(before as ReplicaSet) : 0, replicasOf(replicaSet)];
  const deployment = model.deployments.get(ownerUid(after) ?? '');
  return from === to || !deployment ? undefined : { from, to, replicaSet, deployment };
}

function beyondSurge(write: Write, { model, excuses, sinceMs, meddled }: CheckContext): string | undefined {
  const change = resized(write, model);
  if (!change || change.to < change.from || excuses.stale()) return undefined;
  // Upstream's proportions go wrong where a ReplicaSet that somebody scaled by hand tells of sizes of long ago.
  if (meddled.has(change.deployment.metadata.uid!)) return undefined;
  const total = sum(model.replicaSetsOf(change.deployment), replicasOf);
  const limit = Math.max(...model.deploymentSince(change.deployment.metadata.uid!, sinceMs).map(maxReplicas));
  if (total <= limit) return undefined;
  return `${nameOf(change.replicaSet)} grew from ${change.from} to ${change.to}: ${total} pods wanted in all, at most ${limit} allowed`;
}

function belowAvailability(write: Write, { model, excuses, sinceMs }: CheckContext): string | undefined {
  const change = resized(write, model);
  if (!change || change.to > change.from || excuses.stale()) return undefined;
  const { deployment, replicaSet, from } = change;
  const recent = model.deploymentSince(deployment.metadata.uid!, sinceMs - 5000);
  const scaling = recent.some((past) => replicasOf(past) !== replicasOf(deployment) || past.spec.paused || past.spec.strategy.type === 'Recreate');
  const replicaSets = model.replicaSetsOf(deployment);
  const outOfStep = [...replicaSets, write.before as ReplicaSet].some(({ metadata }) => metadata.annotations?.[DESIRED] !== String(replicasOf(deployment)));
  if (scaling || outOfStep) return undefined;
  const sure = (one: ReplicaSet, wanted: number): number => Math.min(one.status?.availableReplicas ?? 0, wanted);
  const left = sum(replicaSets, (one) => sure(one, replicasOf(one)));
  const had = left - sure(replicaSet, replicasOf(replicaSet)) + sure(replicaSet, from);
  const least = Math.min(...recent.map(minAvailable));
  if (left >= least || left >= had) return undefined;
  return `${nameOf(replicaSet)} shrank from ${from} to ${change.to}: ${left} pods sure to stay available (before: ${had}), at least ${least} needed`;
}

const isGoing = (object: KubeObject | undefined): boolean => object === undefined || object.metadata.deletionTimestamp !== undefined;

/** Whether this write is the one by which the object begins to go. */
function begunToGo({ before, after }: Write): KubeObject | undefined {
  return before && !isGoing(before) && isGoing(after) ? before : undefined;
}

function collected(write: Write, { model, excuses }: CheckContext): string | undefined {
  const gone = write.resource === 'replicasets' && write.writer === CONTROLLERS ? (begunToGo(write) as ReplicaSet | undefined) : undefined;
  const deployment = gone && model.deployments.get(ownerUid(gone) ?? '');
  if (!deployment || isGoing(deployment)) return undefined;
  if (replicasOf(gone) > 0 && !excuses.stale()) return `${nameOf(gone)} with ${replicasOf(gone)} replicas was deleted while ${nameOf(deployment)} lives`;
  const current =
    sameTemplate(gone.spec.template, deployment.spec.template) &&
    !model.replicaSetsOf(deployment).some((other) => sameTemplate(other.spec.template, gone.spec.template));
  const past = model.deploymentSince(deployment.metadata.uid!, write.atMs - RECENT_MS);
  const changed = past.some(({ spec }) => !sameTemplate(spec.template, deployment.spec.template));
  return current && !changed && !excuses.stale() ? `${nameOf(gone)} has the template of ${nameOf(deployment)}, and was deleted` : undefined;
}

function activePods(model: ClusterModel, replicaSet: ReplicaSet): Pod[] {
  return model.podsOf(replicaSet).filter(isPodActive);
}

function neededPodDeleted(write: Write, { model, excuses, sinceMs }: CheckContext): string | undefined {
  const gone = write.resource === 'pods' && write.writer === CONTROLLERS ? (begunToGo(write) as Pod | undefined) : undefined;
  const replicaSet = gone && isPodActive(gone) ? model.replicaSets.get(ownerUid(gone) ?? '') : undefined;
  if (!replicaSet || isGoing(replicaSet) || excuses.stale() || excuses.twice()) return undefined;
  const [left, wanted] = [activePods(model, replicaSet).length, Math.min(...model.sizesSince(replicaSet.metadata.uid!, sinceMs))];
  return left < wanted ? `${nameOf(gone!)} was deleted: ${nameOf(replicaSet)} has ${left} pods left and wants ${wanted}` : undefined;
}

function tooManyPods(write: Write, { model, excuses, sinceMs }: CheckContext): string | undefined {
  if (write.resource !== 'pods' || write.before || !write.after || excuses.twice()) return undefined;
  const replicaSet = model.replicaSets.get(ownerUid(write.after) ?? '');
  if (!replicaSet || isGoing(replicaSet)) return undefined;
  const [has, wanted] = [activePods(model, replicaSet).length, Math.max(...model.sizesSince(replicaSet.metadata.uid!, sinceMs))];
  return has > wanted ? `${nameOf(write.after)} was created: ${nameOf(replicaSet)} has ${has} pods and wants ${wanted}` : undefined;
}

function twins({ resource, writer, before, after }: Write, { model }: CheckContext): string | undefined {
  if (resource !== 'replicasets' || writer !== CONTROLLERS || before || !after) return undefined;
  const made = after as ReplicaSet;
  const deployment = model.deployments.get(ownerUid(made) ?? '');
  const twin =
    deployment && model.replicaSetsOf(deployment).find((other) => other !== made && !isGoing(other) && sameTemplate(other.spec.template, made.spec.template));
  return twin && `${nameOf(made)} was made, and ${nameOf(twin)} has the same template`;
}

const annotation = (object: KubeObject, key: string): string | undefined => object.metadata.annotations?.[key];

function fallingRevision({ resource, writer, before, after }: Write, { model, excuses }: CheckContext): string | undefined {
  if (resource === 'pods' || writer !== CONTROLLERS || !before || !after) return undefined;
  const [was, is] = [annotation(before, REVISION), annotation(after, REVISION)];
  if (was === undefined || (is !== undefined && Number(is) >= Number(was))) return undefined;
  if (resource === 'deployments') {
    // Numbers are counted on from the ReplicaSets that are left, as far as the cache knows them (upstream: getNewReplicaSet).
    const left = model.replicaSetsOf(after as Deployment).map((replicaSet) => Number(annotation(replicaSet, REVISION) ?? 0));
    if (excuses.stale() || left.every((revision) => revision < Number(was))) return undefined;
  }
  return `${nameOf(after)} had revision ${was} and has ${is}`;
}

function adoptedByTheDead({ resource, writer, before, after, atMs }: Write, { model, excuses }: CheckContext): string | undefined {
  if (resource === 'deployments' || writer !== CONTROLLERS || !before || !after) return undefined;
  const uid = ownerUid(after);
  if (uid === undefined || ownerUid(before) === uid) return undefined;
  const goneAt = model.goneAt(uid);
  // The owner may begin to go between the look at it and the adoption.
  if (goneAt === undefined || atMs - goneAt < (excuses.late() ? 15_000 : 1)) return undefined;
  return `${nameOf(after)} was adopted by an owner that has been going for ${atMs - goneAt} ms`;
}

function undone({ resource, writer, before, after }: Write): string | undefined {
  if (resource === 'pods' || writer !== CONTROLLERS || !before || !after) return undefined;
  const [was, is] = [annotation(before, MARK[resource]), annotation(after, MARK[resource])];
  if (was === is) return undefined;
  const rolledBack = resource === 'deployments' && !sameTemplate((before as Deployment).spec.template, (after as Deployment).spec.template);
  return rolledBack ? undefined : `${nameOf(after)} was marked ${was} by a user, and a write of ours made it ${is}`;
}

function sum<T>(items: readonly T[], count: (item: T) => number): number {
  return items.reduce((total, item) => total + count(item), 0);
}
