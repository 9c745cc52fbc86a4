import type { Deployment, DeploymentSpec, ReplicaSet } from '../../api/generated/types/apps.v1.ts';
import type { Pod } from '../../api/generated/types/core.v1.ts';
import type { Draft, KubeObject } from '../../api/object.ts';
import type { StatusError } from '../../api/status.ts';
import { timestamp } from '../../lib/clock.ts';
import type { Action, Outcome, Plan } from '../runtime/plan.ts';
import { planDeployment } from './plan.ts';
import type { DeploymentSnapshot } from './rollout.ts';

/**
 * A test double: one Deployment and its ReplicaSets as plain values, to which plans are applied at once. Readiness is
 * what the test says it is.
 */
export class PlanWorld {
  now = Date.UTC(2026, 0, 1);
  deployment: Deployment;
  replicaSets: ReplicaSet[] = [];
  pods: Pod[] = [];
  options: Partial<DeploymentSnapshot> = {};
  /** `A 4->3`: ReplicaSets by letter in the order of their creation. */
  trace: string[] = [];
  events: string[] = [];
  /** The rules by which actions were planned; `none` for one that does not say. */
  readonly rules = new Set<string>();
  /** The reason of Progressing, each time it changed. */
  reasons: string[] = [];
  lastFailure: string | undefined;
  requeueAfterMs: number | undefined;
  /** Makes an action fail. */
  refuse: (action: Action) => StatusError | undefined = () => undefined;
  #serial = 0;
  readonly #letters = new Map<string, string>();

  constructor(spec: Draft<DeploymentSpec> & { replicas: number }, name = 'web') {
    const defaults = {
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'app', image: 'app:1', resources: {} }] } },
    };
    const metadata = { name, namespace: 't', uid: 'deployment', generation: 1, resourceVersion: '1', creationTimestamp: timestamp(this.now) };
    this.deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { ...defaults, ...spec } as DeploymentSpec, status: {} };
  }

  /** Changes the spec as a user would. */
  edit(change: Draft<DeploymentSpec>): void {
    const { metadata, spec } = this.deployment;
    this.deployment = { ...this.deployment, metadata: { ...metadata, generation: metadata.generation! + 1 }, spec: { ...spec, ...change } as DeploymentSpec };
  }

  image(image: string): void {
    const { template } = this.deployment.spec;
    this.edit({ template: { ...template, spec: { ...template.spec, containers: [{ name: 'app', image, resources: {} }] } } });
  }

  annotate(annotations: Record<string, string>): void {
    const { metadata } = this.deployment;
    this.deployment = { ...this.deployment, metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } } };
  }

  /** An existing ReplicaSet of another template, as if from an earlier rollout. */
  addReplicaSet(image: string, sizes: { replicas: number; available: number; revision: number; desired: number; max: number }): ReplicaSet {
    const { template } = this.deployment.spec;
    const hash = `hash${this.#serial}`;
    const labels = { ...template.metadata.labels, 'pod-template-hash': hash };
    const controller = { apiVersion: 'apps/v1', kind: 'Deployment', name: this.deployment.metadata.name!, uid: 'deployment', controller: true };
    const replicaSet = this.#store({
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: {
        name: `web-${hash}`,
        namespace: 't',
        labels,
        ownerReferences: [controller],
        annotations: {
          'deployment.kubernetes.io/revision': String(sizes.revision),
          'deployment.kubernetes.io/desired-replicas': String(sizes.desired),
          'deployment.kubernetes.io/max-replicas': String(sizes.max),
        },
      },
      spec: {
        replicas: sizes.replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'app', image, resources: {} }] } },
      },
      status: { replicas: sizes.replicas, readyReplicas: sizes.available, availableReplicas: sizes.available, observedGeneration: 1 },
    });
    return replicaSet;
  }

  /** What the ReplicaSet controller reports: all pods wanted exist, so many of them available (default: all). */
  report(available: (replicaSet: ReplicaSet) => number = ({ spec }) => spec.replicas ?? 0): void {
    this.replicaSets = this.replicaSets.map((replicaSet) => {
      const count = Math.min(available(replicaSet), replicaSet.spec.replicas ?? 0);
      const status = {
        ...replicaSet.status,
        replicas: replicaSet.spec.replicas ?? 0,
        readyReplicas: count,
        availableReplicas: count,
        observedGeneration: replicaSet.metadata.generation ?? 0,
      };
      return { ...replicaSet, status };
    });
  }

  /** One look at the Deployment. @returns whether anything was done. */
  sync(): boolean {
    const { now, deployment, replicaSets, pods, options } = this;
    this.lastFailure = undefined;
    this.requeueAfterMs = undefined;
    let acted = false;
    for (let plan: Plan | undefined = planDeployment({ now, deployment, replicaSets, pods, ...options }); plan; ) {
      const outcomes: Outcome[] = [];
      for (const action of plan.actions) {
        this.rules.add(action.because?.rule ?? 'none');
        acted ||= action.type !== 'event';
        const outcome = this.#apply(action);
        outcomes.push(outcome);
        if (outcome.ok) continue;
        this.lastFailure ??= outcome.error.message;
        break;
      }
      this.lastFailure ??= plan.failure;
      this.requeueAfterMs ??= plan.requeueAfterMs;
      plan = plan.next?.(outcomes);
    }
    return acted;
  }

  /** Syncs until nothing is done any more; before each sync the ReplicaSets report. */
  settle(available?: (replicaSet: ReplicaSet) => number): void {
    for (let round = 0; round < 200; round++) {
      this.report(available);
      if (!this.sync()) return;
    }
    throw new Error('the Deployment does not come to rest');
  }

  letter({ metadata }: KubeObject): string {
    return this.#letters.get(metadata.uid!)!;
  }

  /** Sizes by letter, e.g. `{ A: 3, B: 1 }`. */
  get sizes(): Record<string, number> {
    return Object.fromEntries(this.replicaSets.map((replicaSet) => [this.letter(replicaSet), replicaSet.spec.replicas ?? 0]));
  }

  condition(type: string): { status: string; reason: string; message: string } | undefined {
    const found = this.deployment.status.conditions?.find((condition) => condition.type === type);
    return found && { status: found.status, reason: found.reason ?? '', message: found.message ?? '' };
  }

  #apply(action: Action): Outcome {
    const refused = this.refuse(action);
    if (refused) return { ok: false, error: refused };
    switch (action.type) {
      case 'create':
        return this.#create(action.object as ReplicaSet);
      case 'update':
        return { ok: true, object: this.#update(action.object) };
      case 'delete':
        this.replicaSets = this.replicaSets.filter(({ metadata }) => metadata.uid !== action.uid);
        return { ok: true };
      case 'event':
        this.events.push(`${action.note.type} ${action.note.reason} ${action.note.message}`);
        return { ok: true };
      case 'patch':
        return { ok: true, object: this.#patch(action.name, action.body as { metadata: { ownerReferences: never[] } }) };
      default:
        return { ok: true };
    }
  }

  #create(object: ReplicaSet): Outcome {
    const existing = this.replicaSets.find(({ metadata }) => metadata.name === object.metadata.name);
    if (existing) return { ok: true, existed: true, object: existing };
    const created = this.#store({ ...object, apiVersion: 'apps/v1', kind: 'ReplicaSet', status: { replicas: 0 } });
    this.trace.push(`${this.letter(created)} 0->${created.spec.replicas}`);
    return { ok: true, object: created };
  }

  #store(object: ReplicaSet): ReplicaSet {
    const serial = this.#serial++;
    const creationTimestamp = timestamp(this.now + serial * 1000);
    const stored: ReplicaSet = { ...object, metadata: { ...object.metadata, uid: `replica-set-${serial}`, generation: 1, creationTimestamp } };
    this.#letters.set(stored.metadata.uid!, String.fromCharCode(65 + serial));
    this.replicaSets.push(stored);
    return stored;
  }

  #update(object: KubeObject): KubeObject {
    if (object.kind === 'Deployment') {
      const before = this.condition('Progressing')?.reason;
      this.deployment = object as Deployment;
      const after = this.condition('Progressing')?.reason;
      if (after !== undefined && after !== before) this.reasons.push(after);
      return object;
    }
    const replicaSet = object as ReplicaSet;
    const old = this.replicaSets.find(({ metadata }) => metadata.uid === replicaSet.metadata.uid)!;
    const resized = old.spec.replicas !== replicaSet.spec.replicas;
    if (resized) this.trace.push(`${this.letter(old)} ${old.spec.replicas}->${replicaSet.spec.replicas}`);
    const stored = { ...replicaSet, metadata: { ...replicaSet.metadata, generation: old.metadata.generation! + (resized ? 1 : 0) } };
    this.replicaSets = this.replicaSets.map((one) => (one.metadata.uid === stored.metadata.uid ? stored : one));
    return stored;
  }

  #patch(name: string, { metadata: { ownerReferences } }: { metadata: { ownerReferences: { $patch?: string }[] } }): ReplicaSet {
    const releasing = ownerReferences.some(({ $patch }) => $patch === 'delete');
    this.replicaSets = this.replicaSets.map((one) =>
      one.metadata.name === name ? { ...one, metadata: { ...one.metadata, ownerReferences: releasing ? [] : (ownerReferences as never[]) } } : one,
    );
    return this.replicaSets.find(({ metadata }) => metadata.name === name)!;
  }
}
