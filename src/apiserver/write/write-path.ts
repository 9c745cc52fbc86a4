import { deepCopy } from '../../api/equality.ts';
import type { DeleteOptions } from '../../api/generated/types/meta.v1.ts';
import type { KubeObject } from '../../api/object.ts';
import { badRequest, conflict, notFound, StatusError } from '../../api/status.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Rng } from '../../lib/rng.ts';
import type { AdmissionAttributes, AdmissionChain } from '../admission/admission.ts';
import type { Storage } from '../storage/storage.ts';
import { defaultCreate, defaultUpdate, identify, prepareUpdate } from './default.ts';
import { checkDeletePreconditions, markForDeletion, removalAnswer } from './delete.ts';
import type { WriteOptions } from './options.ts';
import { countGeneration, own } from './own.ts';
import { isReadyToGo, storeChanged, storeNew } from './store.ts';
import { checkResourceVersion, MODIFIED, validate } from './validate.ts';
import { type Part, type Submitted, type Target, type Write, type WriteTarget, type Written, warning } from './write.ts';

/** Names that are generated anew when one is taken, before the client is told. */
const NAME_ATTEMPTS = 8;
/** The longest base of a generated name; five random characters follow (apiserver/pkg/storage/names). */
const MAX_GENERATED_BASE = 58;

export interface WritePathOptions {
  storage: Storage;
  admission: AdmissionChain;
  clock: Clock;
  rng: Rng;
}

/** What is told to admission without being written. */
export type Announced = Omit<AdmissionAttributes, 'warn'> & { object: KubeObject };

/** A body that is created under an object without being stored. */
export function announcedAs(
  operation: 'CREATE',
  object: KubeObject,
  { dryRun, asked }: WriteOptions,
): Pick<Announced, 'operation' | 'object' | 'dryRun' | 'options'> {
  return { operation, object, dryRun, options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', ...asked } };
}

/** The one way in which objects come into being, change and go, whoever asks (upstream: registry.Store). */
export class WritePath {
  readonly #storage: Storage;
  readonly #admission: AdmissionChain;
  readonly #clock: Clock;
  readonly #rng: Rng;

  constructor({ storage, admission, clock, rng }: WritePathOptions) {
    this.#storage = storage;
    this.#admission = admission;
    this.#clock = clock;
    this.#rng = rng;
  }

  /** Creates an object. @throws StatusError */
  create(target: WriteTarget, submitted: Submitted): Promise<Written> {
    const warnings = [...(submitted.warnings ?? [])];
    return warning(warnings, () => this.#create(target, { ...submitted, warnings }));
  }

  async #create(target: WriteTarget, submitted: Submitted): Promise<Written> {
    const write = await this.#admit(own(defaultCreate(target, submitted), this.#clock.now()));
    const { name, generateName, resourceVersion } = write.object.metadata;
    if (resourceVersion) throw badRequest('resourceVersion should not be set on objects to be created');
    if (name || !generateName) return this.#createNamed({ ...write, name: name ?? '' });
    for (let attempt = 1; ; attempt++) {
      const object = deepCopy(write.object);
      object.metadata.name = generateName.slice(0, MAX_GENERATED_BASE) + this.#rng.suffix(5);
      try {
        return await this.#createNamed({ ...write, object, name: object.metadata.name });
      } catch (error) {
        if (!(error instanceof StatusError) || error.reason !== 'AlreadyExists' || attempt === NAME_ATTEMPTS) throw error;
      }
    }
  }

  async #createNamed(admitted: Write): Promise<Written> {
    const identified = identify(admitted, { rng: this.#rng, nowMs: this.#clock.now() });
    return this.#admission.claiming(attributesOf(identified), async () => {
      const write = validate(identified);
      const object = await this.#admission.guard(attributesOf(write), () => storeNew(this.#storage, write));
      return { object, warnings: write.warnings };
    });
  }

  /**
   * Reads, changes, checks and writes an object until no other writer comes between (upstream: GuaranteedUpdate).
   *
   * @param change makes what the client wants of what stands there; it is called again when another writer was faster.
   * @throws StatusError
   */
  async update(target: WriteTarget, change: (current: KubeObject) => Promise<Submitted> | Submitted, part = partOf(target)): Promise<Written> {
    const { resource, name } = target;
    for (;;) {
      const current = await this.#storage.get(resource, target);
      if (!current) throw notFound(resource.facts, name);
      const old = current.object;
      const wanted = await change(old);
      const submitted = { ...wanted, warnings: [...(wanted.warnings ?? [])] };
      const written = await warning(submitted.warnings, async () => {
        const admitted = await this.#admit(own(defaultUpdate(target, old, submitted, part), this.#clock.now()));
        checkResourceVersion(target, admitted.object, old);
        return this.#admission.claiming(attributesOf(admitted), async () => {
          const write = validate(countGeneration(prepareUpdate(admitted, old, part)), part);
          const object = await this.#admission.guard(attributesOf(write), () => storeChanged(this.#storage, write, current.revision));
          if (object && !write.options.dryRun && isReadyToGo(resource, object)) await this.#admission.removed(resource, object);
          return object && { object, warnings: write.warnings };
        });
      });
      if (written) return written;
      // Somebody else was faster: what the client insists on is compared anew; a patch is applied to what stands there now.
    }
  }

  /**
   * Removes one object, or marks it for removal where a finalizer or a grace period holds it.
   *
   * @param warnings takes what the client is to be told.
   * @throws StatusError
   */
  async delete(target: Target, options: DeleteOptions, warnings: string[] = []): Promise<KubeObject> {
    const { resource, name } = target;
    const dryRun = options.dryRun?.includes('All') ?? false;
    for (;;) {
      const current = await this.#storage.get(resource, target);
      if (!current) throw notFound(resource.facts, name);
      const { object, revision } = current;
      checkDeletePreconditions(resource, name, object, options);
      await this.#admission.validate({
        ...target,
        operation: 'DELETE',
        subresource: '',
        old: object,
        dryRun,
        options: { ...options, kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1' },
        warn: (text) => void warnings.push(text),
      });
      const marked = markForDeletion(resource, object, options, this.#clock.now());
      if (marked) {
        if (marked === object || dryRun) return marked;
        const outcome = await this.#storage.put(resource, marked, revision);
        if (outcome.ok) return outcome.object;
      } else if (dryRun || (await this.#remove(target, object, revision))) {
        return removalAnswer(resource, object, this.#clock.now());
      }
      if (options.preconditions?.resourceVersion) throw conflict(resource.facts, name, MODIFIED);
    }
  }

  /**
   * Puts before admission what is not written as an object: a connection, or what is created under an object.
   *
   * @param warnings takes what the client is to be told.
   * @returns it as admission wants it. @throws StatusError
   */
  announce(announced: Announced, warnings: string[]): Promise<KubeObject> {
    return this.#admission.announce({ ...announced, warn: (text) => void warnings.push(text) });
  }

  async #remove(target: Target, object: KubeObject, revision: number): Promise<boolean> {
    if ((await this.#storage.delete(target.resource, target, revision)) === undefined) return false;
    await this.#admission.removed(target.resource, object);
    return true;
  }

  async #admit(write: Write): Promise<Write> {
    return { ...write, object: await this.#admission.admit(attributesOf(write)) };
  }
}

function attributesOf(write: Write): AdmissionAttributes & { object: KubeObject } {
  const { operation, resource, subresource, namespace, name, object, old, user, options, warnings, view } = write;
  return {
    operation,
    resource,
    subresource,
    namespace,
    name,
    object,
    ...(old ? { old } : {}),
    user,
    dryRun: options.dryRun,
    options: { kind: operation === 'CREATE' ? 'CreateOptions' : 'UpdateOptions', apiVersion: 'meta.k8s.io/v1', ...options.asked },
    ...(view ? { view } : {}),
    warn: (text) => void warnings.push(text),
  };
}

/** The part of the object that its kind lets a subresource change. */
function partOf({ resource, subresource }: Target): Part | undefined {
  return resource.behaviour.parts?.[subresource];
}
