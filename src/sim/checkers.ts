import type { Deployment, ReplicaSet } from '../api/generated/types/apps.v1.ts';
import type { Pod } from '../api/generated/types/core.v1.ts';
import type { KubeObject } from '../api/object.ts';
import { anySizedForAnotherNumber, availableOf, fewestAvailable, mostPods, saysComplete, sizeOf } from './bounds.ts';
import { type ClusterModel, ownerUid, type WatchedResource, type Write } from './cluster-model.ts';
import { MARK } from './conventions.ts';
import { isActive } from './pods.ts';
import { makeSamePods } from './templates.ts';

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
  /** The controllers' caches of one of these may be behind, or what they decided upon it come late. */
  behind(...resources: WatchedResource[]): boolean;
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
  scalings: Scalings;
}

/**
 * When Deployments, by uid, were scaled: upstream's sync.go (isScalingEvent) goes by what active ReplicaSets tell. Where no request
 * is held up, all writes of a sync come at one moment.
 */
class Scalings {
  /** ReplicaSets that a user has sized by hand, or that were adopted, and that the controller has not sized since. */
  readonly #oddlySized = new Set<string>();
  readonly #lastMs = new Map<string, number>();
  readonly #lastOddMs = new Map<string, number>();

  take({ writer, resource, before, after, atMs }: Write, model: ClusterModel): void {
    const owner = resource === 'deployments' ? after?.metadata.uid : (before && ownerUid(before)) || (after && ownerUid(after));
    if (owner === undefined || resource === 'pods') return;
    if (resource === 'replicasets' && before && after) {
      const uid = after.metadata.uid!;
      const resized = sizeOf(before as ReplicaSet) !== sizeOf(after as ReplicaSet);
      const adopted = ownerUid(after) !== undefined && ownerUid(after) !== ownerUid(before);
      if ((writer === 'user' && resized) || adopted) this.#oddlySized.add(uid);
      // The write that sizes the last of them belongs to a scaling, too.
      this.#note(owner, atMs, model, before as ReplicaSet);
      if (writer === CONTROLLERS && resized) this.#oddlySized.delete(uid);
    }
    this.#note(owner, atMs, model);
  }

  /** Whether a write at this moment may be one of a scaling. */
  at(uid: string, atMs: number): boolean {
    return this.#lastMs.get(uid) === atMs;
  }

  /** The same, where an active ReplicaSet was sized by hand, or adopted. */
  oddAt(uid: string, atMs: number): boolean {
    return this.#lastOddMs.get(uid) === atMs;
  }

  #note(uid: string, atMs: number, model: ClusterModel, past?: ReplicaSet): void {
    const deployment = model.deployments.get(uid);
    if (!deployment) return;
    const replicaSets = model.replicaSetsOf(deployment).map((one) => (one.metadata.uid === past?.metadata.uid ? past! : one));
    if (!anySizedForAnotherNumber(deployment, replicaSets)) return;
    this.#lastMs.set(uid, atMs);
    if (replicaSets.some((one) => sizeOf(one) > 0 && this.#oddlySized.has(one.metadata.uid!))) this.#lastOddMs.set(uid, atMs);
  }
}

/** Looks at every write as it happens. */
export class Checkers {
  readonly #model: ClusterModel;
  readonly #excuses: Excuses;
  readonly #scalings = new Scalings();

  constructor(model: ClusterModel, excuses: Excuses) {
    this.#model = model;
    this.#excuses = excuses;
  }

  /** @returns the first rule that the write breaks. */
  check(write: Write): Violation | undefined {
    const { atMs } = write;
    this.#scalings.take(write, this.#model);
    const sinceMs = atMs - (this.#excuses.stale() ? LONG_AGO_MS : RECENT_MS);
    const context: CheckContext = { model: this.#model, excuses: this.#excuses, sinceMs, scalings: this.#scalings };
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
  { rule: 'NewReplicaSetAvailable is told of complete rollouts only', find: prematurelyComplete },
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
  const [from, to] = [before ? sizeOf(before as ReplicaSet) : 0, sizeOf(replicaSet)];
  const deployment = model.deployments.get(ownerUid(after) ?? '');
  return from === to || !deployment ? undefined : { from, to, replicaSet, deployment };
}

function beyondSurge(write: Write, { model, excuses, sinceMs, scalings }: CheckContext): string | undefined {
  const change = resized(write, model);
  if (!change || change.to < change.from || excuses.behind('replicasets', 'deployments')) return undefined;
  // Upstream: sync.go (scale), util/deployment_util.go (getReplicaSetFraction). Shares go by the size that max-replicas told
  // of when the controller last sized a ReplicaSet: one sized by hand since, or adopted, may grow though all are to shrink, and
  // more than the largest, which makes up for it, can shrink.
  if (scalings.oddAt(change.deployment.metadata.uid!, write.atMs)) return undefined;
  const total = sum(model.replicaSetsOf(change.deployment), sizeOf);
  const limit = Math.max(...model.deploymentSince(change.deployment.metadata.uid!, sinceMs).map(mostPods));
  if (total <= limit) return undefined;
  return `${nameOf(change.replicaSet)} grew from ${change.from} to ${change.to}: ${total} pods wanted in all, at most ${limit} allowed`;
}

const surplusOf = (one: ReplicaSet): number => Math.max(availableOf(one) - sizeOf(one), 0);

function belowAvailability(write: Write, { model, excuses, sinceMs, scalings }: CheckContext): string | undefined {
  const change = resized(write, model);
  if (!change || change.to > change.from || excuses.behind('replicasets', 'deployments')) return undefined;
  const { deployment, replicaSet, from } = change;
  const recent = model.deploymentSince(deployment.metadata.uid!, sinceMs);
  const replicaSets = model.replicaSetsOf(deployment);
  // Upstream: sync.go (scale) sizes without a look at what is available: on a scaling event (an active ReplicaSet whose
  // desired-replicas is another number), and whenever paused.
  const unguarded = recent.some(({ spec }) => spec.paused || spec.strategy.type === 'Recreate');
  if (unguarded || scalings.at(deployment.metadata.uid!, write.atMs)) return undefined;
  const sure = (one: ReplicaSet, wanted: number): number => Math.min(availableOf(one), wanted);
  const left = sum(replicaSets, (one) => sure(one, sizeOf(one)));
  const had = left - sure(replicaSet, sizeOf(replicaSet)) + sure(replicaSet, from);
  const least = Math.min(...recent.map(fewestAvailable));
  // Upstream: rolling.go (reconcileOldReplicaSets, scaleDownOldReplicaSetsForRollingUpdate) counts all that is available, that too
  // which ReplicaSets have beyond their sizes and are about to delete.
  const surplus = sum(replicaSets, ({ metadata }) => {
    const seen = model.replicaSetSince(metadata.uid!, write.atMs);
    // This very write is what is judged; what came before it in the same moment is what the controller may have seen.
    const before = metadata.uid === replicaSet.metadata.uid ? seen.slice(0, -1) : seen;
    return Math.max(0, ...before.map(surplusOf));
  });
  if (left + surplus >= least || left >= had) return undefined;
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
  // Upstream: sync.go (sync) cleans up, where paused, by the sizes from before it scaled: one that has just grown from 0 may go.
  const justGrown = deployment.spec.paused === true && model.sizesSince(gone.metadata.uid!, write.atMs).includes(0);
  if (sizeOf(gone) > 0 && !justGrown && !excuses.stale()) return `${nameOf(gone)} with ${sizeOf(gone)} replicas was deleted while ${nameOf(deployment)} lives`;
  const current =
    makeSamePods(gone.spec.template, deployment.spec.template) &&
    !model.replicaSetsOf(deployment).some((other) => makeSamePods(other.spec.template, gone.spec.template));
  const past = model.deploymentSince(deployment.metadata.uid!, write.atMs - RECENT_MS);
  const changed = past.some(({ spec }) => !makeSamePods(spec.template, deployment.spec.template));
  return current && !changed && !excuses.stale() ? `${nameOf(gone)} has the template of ${nameOf(deployment)}, and was deleted` : undefined;
}

function activePods(model: ClusterModel, replicaSet: ReplicaSet): Pod[] {
  return model.podsOf(replicaSet).filter(isActive);
}

function neededPodDeleted(write: Write, { model, excuses, sinceMs }: CheckContext): string | undefined {
  const gone = write.resource === 'pods' && write.writer === CONTROLLERS ? (begunToGo(write) as Pod | undefined) : undefined;
  const replicaSet = gone && isActive(gone) ? model.replicaSets.get(ownerUid(gone) ?? '') : undefined;
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
    deployment && model.replicaSetsOf(deployment).find((other) => other !== made && !isGoing(other) && makeSamePods(other.spec.template, made.spec.template));
  return twin && `${nameOf(made)} was made, and ${nameOf(twin)} has the same template`;
}

const annotation = (object: KubeObject, key: string): string | undefined => object.metadata.annotations?.[key];

function fallingRevision({ resource, writer, before, after }: Write, { model, excuses, sinceMs }: CheckContext): string | undefined {
  if (resource === 'pods' || writer !== CONTROLLERS || !before || !after) return undefined;
  const [was, is] = [annotation(before, REVISION), annotation(after, REVISION)];
  if (was === undefined || (is !== undefined && Number(is) >= Number(was))) return undefined;
  if (resource === 'deployments') {
    // Its ReplicaSets are being collected or let go, and no revision will be made any more.
    if (isGoing(after)) return undefined;
    // Upstream: sync.go (getNewReplicaSet) gives a Deployment the revision of its ReplicaSet of today, be it lower: as where the
    // highest is taken away, or not in the cache yet.
    const { template } = (after as Deployment).spec;
    const left = model.replicaSetsOf(after as Deployment);
    const behind = excuses.behind('replicasets');
    const excused = behind || left.every((one) => Number(annotation(one, REVISION) ?? 0) < Number(was));
    const known = behind
      ? [...left, ...model.goneReplicaSetsOf(after as Deployment)].flatMap(({ metadata }) => model.replicaSetSince(metadata.uid!, sinceMs))
      : left;
    if (excused && known.some((one) => makeSamePods(one.spec.template, template) && annotation(one, REVISION) === is)) return undefined;
  }
  return `${nameOf(after)} had revision ${was} and has ${is}`;
}

function prematurelyComplete({ resource, writer, before, after }: Write): string | undefined {
  if (resource !== 'deployments' || writer !== CONTROLLERS || !before || !after) return undefined;
  const told = (object: KubeObject): boolean =>
    (object as Deployment).status.conditions?.some(({ type, reason }) => type === 'Progressing' && reason === 'NewReplicaSetAvailable') ?? false;
  if (!told(after) || told(before) || saysComplete(after as Deployment)) return undefined;
  return `${nameOf(after)} is called complete, and is not`;
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
  const rolledBack = resource === 'deployments' && !makeSamePods((before as Deployment).spec.template, (after as Deployment).spec.template);
  return rolledBack ? undefined : `${nameOf(after)} was marked ${was} by a user, and a write of ours made it ${is}`;
}

function sum<T>(items: readonly T[], count: (item: T) => number): number {
  return items.reduce((total, item) => total + count(item), 0);
}
