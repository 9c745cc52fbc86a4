import type { Draft, KubeObject, Resource } from '../../api/object.ts';
import type { UserInfo } from '../../api/request.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Rng } from '../../lib/rng.ts';
import type { Authorizer } from '../chain/authorization.ts';
import type { Registry } from '../registry.ts';
import type { ServedResource } from '../served-resource.ts';
import type { Storage } from '../storage/storage.ts';

export interface AdmissionAttributes {
  operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  resource: ServedResource;
  subresource: string;
  namespace: string;
  name: string;
  /** The object as it would be stored. Absent for a delete. */
  object?: KubeObject;
  /** What stands there now. */
  old?: KubeObject;
  user: UserInfo;
  dryRun: boolean;
  /** The options of the request, as an object of their own kind. */
  options: Readonly<Record<string, unknown>> | null;
  /** How a subresource shows the object to those who are asked; undefined: as it is. */
  view?: ObjectView | undefined;
  /** Tells the client something that does not keep the request from being served. */
  warn(text: string): void;
}

/** Another form of an object, such as its Scale. */
export interface ObjectView {
  of(object: KubeObject): KubeObject;
  /** The object with what its view has now. */
  into(object: KubeObject, view: KubeObject): KubeObject;
}

/** What plugins that go by objects of the cluster are made with. */
export interface AdmissionServer {
  registry: Registry;
  storage: Storage;
  authorizer: Authorizer;
}

/** Whom a webhook's change makes ask again (upstream: admission/reinvocation.go, plugin/webhook/mutating/reinvocationcontext.go). */
export interface Reinvocation {
  /** This is the second time that the plugins are asked about the same write. */
  isAgain: boolean;
  /** Something has changed, so that all are to be asked once more. */
  isWanted: boolean;
  /** The webhooks asked since the last change that would be asked again. */
  called: Set<string>;
  /** The webhooks to be asked again. */
  due: Set<string>;
  /** What the webhooks made of the object the first time. */
  lastOutput?: KubeObject;
}

/** A write on its way through the plugins that may change it. */
export type Admitted = AdmissionAttributes & { object: KubeObject; reinvocation: Reinvocation };

/** What plugins may ask of the server, and change by themselves. */
export interface AdmissionContext {
  readonly clock: Clock;
  readonly rng: Rng;
  get<T extends KubeObject>(resource: Resource<T>, at: { namespace: string; name: string }): Promise<T | undefined>;
  /** All objects of a resource in a namespace, or everywhere. */
  all<T extends KubeObject>(resource: Resource<T>, namespace?: string): Promise<T[]>;
  /** Creates an object in the server's own name. @throws StatusError */
  create<T extends KubeObject>(resource: Resource<T>, draft: Draft<T>): Promise<void>;
  /** Deletes an object in the server's own name; one that is gone is deleted. */
  delete(resource: Resource, at: { namespace: string; name: string }): Promise<void>;
  /** Changes an object's status in the server's own name. `change` is called again when another writer was faster. */
  updateStatus<T extends KubeObject>(resource: Resource<T>, object: T, change: (current: T) => T): Promise<void>;
}

/**
 * Decides whether a request may change the cluster, and fills in what the cluster's rules want. A plugin is one file; it
 * refuses by throwing a StatusError.
 */
export interface AdmissionPlugin {
  name: string;
  /** It also hears of connections, and of what is created under an object without being one, such as a token. */
  hearsAll?: true;
  /** Runs before validation, in the chain's order. @returns the object as it shall be; what is handed in may be changed and returned. */
  admit?(attributes: Admitted, context: AdmissionContext): Promise<KubeObject> | KubeObject;
  /**
   * Runs when all have admitted, before validation: takes what there is only once, such as an address, and writes it into the
   * object. What is taken is given back if the write fails.
   */
  claim?(attributes: AdmissionAttributes & { object: KubeObject }, context: AdmissionContext): Promise<Claim | undefined>;
  /** Runs when an object is gone: gives back what was taken for it. */
  removed?(resource: ServedResource, object: KubeObject, context: AdmissionContext): Promise<void> | undefined;
  /** Runs after validation; changes nothing but its own books. The function returned takes the books back if the write fails. */
  validate?(attributes: AdmissionAttributes, context: AdmissionContext): Promise<Undo | undefined> | Undo | undefined;
}

/** Something taken for a write. */
export interface Claim {
  /** Nothing came of the write. */
  undo(): Promise<void>;
  /** The object is stored. */
  settled?(): Promise<void> | void;
}

export type Undo = () => Promise<void> | void;

export class AdmissionChain {
  readonly #plugins: readonly AdmissionPlugin[];
  readonly #context: AdmissionContext;

  constructor(plugins: readonly AdmissionPlugin[], context: AdmissionContext) {
    this.#plugins = plugins;
    this.#context = context;
  }

  /** @returns the object as the plugins want it. */
  async admit(attributes: AdmissionAttributes & { object: KubeObject }): Promise<KubeObject> {
    const reinvocation: Reinvocation = { isAgain: false, isWanted: false, called: new Set(), due: new Set() };
    const current = { ...attributes, reinvocation };
    await this.#ask(current);
    if (!reinvocation.isWanted) return current.object;
    reinvocation.isAgain = true;
    await this.#ask(current);
    return current.object;
  }

  /** Puts what is no object of its own before the plugins that hear of it. @returns it as they want it. */
  async announce(attributes: AdmissionAttributes & { object: KubeObject }): Promise<KubeObject> {
    const hearing = new AdmissionChain(
      this.#plugins.filter(({ hearsAll }) => hearsAll),
      this.#context,
    );
    const object = await hearing.admit(attributes);
    await hearing.validate({ ...attributes, object });
    return object;
  }

  async #ask(current: Admitted): Promise<void> {
    for (const plugin of this.#plugins) if (plugin.admit) current.object = await plugin.admit(current, this.#context);
  }

  /** Carries on with what the plugins have taken for the write; it is given back where that comes to nothing (`undefined`, or an error). */
  async claiming<T>(attributes: AdmissionAttributes & { object: KubeObject }, carryOn: () => Promise<T>): Promise<T> {
    const claims: Claim[] = [];
    let done: T | undefined;
    try {
      for (const plugin of this.#plugins) {
        const claim = await plugin.claim?.(attributes, this.#context);
        if (claim) claims.push(claim);
      }
      done = await carryOn();
      return done;
    } finally {
      for (const claim of claims.reverse()) await (done === undefined ? claim.undo() : claim.settled?.());
    }
  }

  /** The object is gone. */
  async removed(resource: ServedResource, object: KubeObject): Promise<void> {
    for (const plugin of this.#plugins) await plugin.removed?.(resource, object, this.#context);
  }

  /** @returns what takes back the plugins' books. */
  async validate(attributes: AdmissionAttributes): Promise<Undo> {
    const undos: Undo[] = [];
    const undo = async (): Promise<void> => {
      for (const step of undos.reverse()) await step();
    };
    try {
      for (const plugin of this.#plugins) {
        const step = plugin.validate && (await plugin.validate(attributes, this.#context));
        if (step) undos.push(step);
      }
    } catch (error) {
      await undo();
      throw error;
    }
    return undo;
  }

  /** Validates and writes; a write that does not come about (`undefined`, or an error) leaves nothing in the plugins' books. */
  async guard<T>(attributes: AdmissionAttributes, write: () => Promise<T>): Promise<T> {
    const undo = await this.validate(attributes);
    let written: T | undefined;
    try {
      written = await write();
      return written;
    } finally {
      if (written === undefined) await undo();
    }
  }
}
