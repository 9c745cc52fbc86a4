import { type KubeObject, type Resource, splitKey } from '../../api/object.ts';
import type { Lister } from '../../client/informer.ts';
import type { Plan } from './plan.ts';
import type { ServedResources } from './served-resources.ts';

/** A change that an informer has seen. `old` is there for updates; for deletions `object` is the last state. */
export type Change<T extends KubeObject = KubeObject> =
  | { type: 'added'; object: T; old?: undefined }
  | { type: 'updated'; object: T; old: T }
  | { type: 'deleted'; object: T; old?: undefined };

/** Which keys of a controller a change of some resource concerns. */
export interface WatchRule {
  resource: Resource;
  keys(change: Change): readonly string[];
}

/** A WatchRule with the resource's own type. */
export function watchRule<T extends KubeObject>(resource: Resource<T>, keys: (change: Change<T>) => readonly string[]): WatchRule {
  return { resource, keys: (change) => keys(change as Change<T>) };
}

/** What stands by a key of the queue. */
export function byKey<T extends KubeObject>(lister: Lister<T>, key: string): T | undefined {
  const { namespace, name } = splitKey(key);
  return lister.get(namespace, name);
}

/** The objects whose creation and deletion by this controller must be seen in the cache before it decides again. */
export interface ExpectationRule {
  resource: Resource;
  /** The uid of what stands by the key, which is the controller of those objects; undefined: nothing stands there. */
  ownerOf(key: string): string | undefined;
}

export interface ObserveContext {
  /** Milliseconds since the epoch. */
  now: number;
  /** Whether the cache has shown what this controller did for the key. */
  expectationsMet: boolean;
  /** What the last plan for the key wanted remembered. */
  memory?: unknown;
  /**
   * The object of an expected resource as this controller's own last patch left it, where the cache does not show that yet.
   * A decision upon the older state would be made twice.
   */
  latest<T extends KubeObject>(object: T): T;
}

/**
 * A controller, without anything that acts: it says what concerns it, reads what is, and decides what to do. The shell
 * (runtime/shell.ts) does the rest.
 */
export interface Controller<Snapshot> {
  /** As in upstream's events and logs, e.g. `deployment-controller`. */
  name: string;
  /** The field manager it writes as, where upstream runs it in another process than its controller manager or applies under a name of its own. */
  writesAs?: string;
  watches: WatchRule[];
  /** The same for every resource that is served, now or later. */
  watchesAll?: { resources: ServedResources; rule(resource: Resource): WatchRule };
  expects?: ExpectationRule;
  /** Keys to look at from the start, for a controller that works by the clock. */
  initialKeys?: string[];
  /** Reads the listers; undefined: there is nothing by this key any more. */
  observe(key: string, context: ObserveContext): Promise<Snapshot | undefined>;
  /** Pure and synchronous: the same snapshot gives the same plan. */
  plan(snapshot: Snapshot): Plan;
}
