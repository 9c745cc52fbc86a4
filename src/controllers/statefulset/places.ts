import type { PersistentVolumeClaim, Pod } from '../../api/generated/types/core.v1.ts';
import type { Draft } from '../../api/object.ts';
import { PersistentVolumeClaims, Pods } from '../../api/resources.ts';
import { templateOf } from '../revision-history.ts';
import { type Action, type ActionEvents, type Because, deletionOf, inSequence } from '../runtime/plan.ts';
import { goesWithScale, hasRightOwners, hasUnexpectedController, isStale, type Member, withRightOwners } from './claim-owners.ts';
import {
  claimName,
  claimsFor,
  hasIdentity,
  hasStorage,
  identityLabels,
  isHealthy,
  isRunningAndReady,
  isTerminating,
  ordinalOf,
  podOf,
  volumesFor,
} from './identity.ts';
import { type Place, type Rollout, versionFor } from './rollout.ts';

/** What a pod of the set wants done. */
export interface Step {
  actions: Action[];
  /** Where pods come one after another, the others wait for this one. */
  waits: boolean;
}

const NOTHING: Step = { actions: [], waits: false };
const WAIT: Step = { actions: [], waits: true };

/** Upstream: stateful_set_control.go (processReplica). */
export function stepOf(rollout: Rollout, place: Place): Step {
  const { set, snapshot } = rollout;
  const { pod } = place;
  if (!pod) return creation(rollout, place.ordinal);
  const { phase } = pod.status;
  if (phase === 'Failed' || phase === 'Succeeded') return isTerminating(pod) ? WAIT : { actions: [podDeletion(rollout, pod, { rule: 'SS-11' })], waits: true };
  const missing = phase === 'Pending' ? [...claimCreations(rollout, place.ordinal), ...ownerUpdates(rollout, { set, pod })] : [];
  if (isTerminating(pod) || !isRunningAndReady(pod) || !isHealthy(set, pod, snapshot.now)) {
    if (rollout.monotonic) return { actions: missing, waits: true };
  }
  return { actions: [...missing, ...repair(rollout, pod)], waits: false };
}

/** Upstream: CreateStatefulPod. */
function creation(rollout: Rollout, ordinal: number): Step {
  const { set, snapshot, revisions } = rollout;
  const version = versionFor(rollout, ordinal, {
    current: { name: revisions.current.metadata.name!, template: templateOf(revisions.current) },
    update: { name: revisions.update.metadata.name!, template: set.spec.template },
  });
  const pod = podOf(set, version, ordinal);
  const member: Member = { set, pod: pod as Pod };
  const claims = claimsFor(set, ordinal).map(({ metadata }) => snapshot.claims.get(metadata?.name ?? ''));
  if (goesWithScale(set) && claims.some((claim) => claim && isStale(claim, Pods, member.pod))) return WAIT;
  const because = { rule: 'SS-10', facts: { ordinal, revision: version.name } };
  const events = { ...podEvents(rollout, 'create', member.pod), quietAbout: ['AlreadyExists'] };
  const create: Action = { type: 'create', resource: Pods, object: pod as Draft<Pod>, events, because };
  return { actions: [...claimCreations(rollout, ordinal), create, ...ownerUpdates(rollout, member)], waits: true };
}

/** Upstream: UpdateStatefulPod. */
function repair(rollout: Rollout, pod: Pod): Action[] {
  const { set, snapshot } = rollout;
  const ordinal = ordinalOf(pod);
  const named = hasIdentity(set, pod);
  const stored = hasStorage(set, pod);
  const owners = ownerUpdates(rollout, { set, pod });
  if (named && stored && owners.length === 0) return [];
  const metadata = named ? pod.metadata : { ...pod.metadata, labels: { ...pod.metadata.labels, ...identityLabels(set, ordinal) } };
  const spec = stored ? pod.spec : { ...pod.spec, volumes: volumesFor(set, ordinal, pod.spec.volumes) };
  const missing = stored ? [] : claimCreations(rollout, ordinal);
  const because = { rule: 'SS-14', facts: { ordinal, at: snapshot.now } };
  return [
    ...missing,
    ...owners,
    { type: 'update', resource: Pods, object: { ...pod, metadata, spec } as Pod, events: podEvents(rollout, 'update', pod), because },
  ];
}

/** Upstream: createPersistentVolumeClaims. */
function claimCreations({ set, snapshot }: Rollout, ordinal: number): Action[] {
  return claimsFor(set, ordinal)
    .filter(({ metadata }) => !snapshot.claims.has(metadata?.name ?? ''))
    .map((claim) => {
      const about = `Claim ${claim.metadata?.name}`;
      const pod = `Pod ${set.metadata.name}-${ordinal} in StatefulSet ${set.metadata.name}`;
      const events: ActionEvents = {
        about: set,
        success: { reason: 'SuccessfulCreate', message: `create ${about} ${pod} success` },
        failure: { reason: 'FailedCreate', prefix: `create ${about} for ${pod} failed error` },
        quietAbout: ['AlreadyExists'],
      };
      return { type: 'create', resource: PersistentVolumeClaims, object: claim as Draft<PersistentVolumeClaim>, events, because: { rule: 'SS-12' } };
    });
}

/** The claims of a pod that is there, with the owners that they should have. Upstream: UpdatePodClaimForRetentionPolicy. */
export function ownerUpdates({ snapshot }: Rollout, member: Member): Action[] {
  const { set, pod } = member;
  const because: Because = { rule: 'SS-13', facts: { ordinal: ordinalOf(pod) } };
  return (set.spec.volumeClaimTemplates ?? []).flatMap((template): Action[] => {
    const claim = snapshot.claims.get(claimName(set, template, ordinalOf(pod)));
    if (!claim || hasRightOwners(claim, member)) return [];
    const update: Action = { type: 'update', resource: PersistentVolumeClaims, object: withRightOwners(claim, member), because };
    if (!hasUnexpectedController(claim, member)) return [update];
    const message = `PersistentVolumeClaim ${claim.metadata.name} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`;
    return [{ type: 'event', about: set, note: { type: 'Warning', reason: 'ConflictingController', message }, because }, update];
  });
}

/** A claim that is on its way out keeps the pod of its ordinal from being made. */
export function blockedBy({ set, snapshot }: Rollout, { ordinal, pod }: Place): string | undefined {
  if (pod && pod.status.phase !== 'Pending') return undefined;
  const names = claimsFor(set, ordinal).map(({ metadata }) => metadata?.name ?? '');
  const going = names.find((name) => snapshot.claims.get(name)?.metadata.deletionTimestamp !== undefined);
  return going === undefined ? undefined : `pvc ${going} is being deleted`;
}

export function podDeletion(rollout: Rollout, pod: Pod, because: Because): Action {
  return { ...deletionOf(Pods, pod), events: podEvents(rollout, 'delete', pod), because };
}

type Verb = 'create' | 'update' | 'delete';

function podEvents({ set }: Rollout, verb: Verb, { metadata }: Pick<Pod, 'metadata'>): ActionEvents {
  const title = verb[0]!.toUpperCase() + verb.slice(1);
  const what = `${verb} Pod ${metadata.name} in StatefulSet ${set.metadata.name}`;
  return {
    about: set,
    success: { reason: `Successful${title}`, message: `${what} successful` },
    failure: { reason: `Failed${title}`, prefix: `${what} failed error` },
  };
}

/** Upstream: processCondemned. `first`: the first pod of all that is not healthy. */
export function condemnedStep(rollout: Rollout, pod: Pod, first: Pod | undefined): Step {
  const { monotonic, set, snapshot } = rollout;
  if (isTerminating(pod)) return monotonic ? WAIT : NOTHING;
  if (monotonic && pod !== first && !(isRunningAndReady(pod) && isHealthy(set, pod, snapshot.now))) return WAIT;
  return { actions: inSequence([podDeletion(rollout, pod, { rule: 'SS-20', facts: { ordinal: ordinalOf(pod) } })]), waits: true };
}
