import type { Labels, Selector } from '../api/labels.ts';
import { type KubeObject, keyOf, type Resource } from '../api/object.ts';
import type { Informer, Lister } from '../client/informer.ts';
import { controllerOf } from './ownership.ts';
import type { Change } from './runtime/controller.ts';

// Who may adopt what is decided by selectors. So that neither side has to walk through a namespace, both are indexed by
// a `key=value` that the selector asks for: owners by one such pair of their selector, orphans by all of their labels.

const BY_CONTROLLER = 'controller';
const BY_SELECTOR = 'selector';

/** Lets `ownedBy` and `orphansFor` find the informer's objects. */
export function indexByController<T extends KubeObject>(informer: Informer<T>): void {
  informer.addIndex(BY_CONTROLLER, (object) => {
    const owner = controllerOf(object);
    if (owner) return [owner.uid];
    const { namespace = '', labels = {} } = object.metadata;
    return [orphansOf(namespace), ...pairsIn(labels).map((pair) => orphansOf(namespace, pair))];
  });
}

/** The objects whose controller has this uid. */
export function ownedBy<T extends KubeObject>(lister: Lister<T>, uid: string): T[] {
  return lister.by(BY_CONTROLLER, uid);
}

/** The objects of the namespace that match and have no controller. */
export function orphansFor<T extends KubeObject>(lister: Lister<T>, namespace: string, selector: Selector): T[] {
  return lister.by(BY_CONTROLLER, orphansOf(namespace, pairOf(selector))).filter(({ metadata }) => selector.matches(metadata.labels));
}

/** Objects of one kind that own by selector, found by `indexBySelector`. */
export interface Owners<T extends KubeObject> {
  resource: Resource<T>;
  lister: Lister<T>;
  selectorOf: (owner: T) => Selector;
}

/** Makes the informer's objects owners that are found by what they select. */
export function indexBySelector<T extends KubeObject>(informer: Informer<T>, resource: Resource<T>, selectorOf: (owner: T) => Selector): Owners<T> {
  informer.addIndex(BY_SELECTOR, (owner) => [ownersIn(owner.metadata.namespace ?? '', pairOf(selectorOf(owner)))]);
  return { resource, lister: informer.lister, selectorOf };
}

/** The object's controller, if it is one of these and has the uid that the object knows. */
export function ownerOf<T extends KubeObject>({ resource, lister }: Owners<T>, object: KubeObject): T | undefined {
  const reference = controllerOf(object);
  if (reference?.kind !== resource.kind) return undefined;
  const owner = lister.get(object.metadata.namespace ?? '', reference.name);
  return owner?.metadata.uid === reference.uid ? owner : undefined;
}

/**
 * The keys of those whom a change concerns: the object's controller, and the one before if that was another; of an orphan, all
 * that may adopt it, when it appears, when it is let go of, and when its labels change.
 */
export function keysOfOwners<T extends KubeObject>(owners: Owners<T>, { type, object, old }: Change): string[] {
  const concerned = new Set<T | undefined>();
  const [before, now] = [old && controllerOf(old), controllerOf(object)];
  if (old && before && before.uid !== now?.uid) concerned.add(ownerOf(owners, old));
  if (now) concerned.add(ownerOf(owners, object));
  else if (type !== 'deleted' && object.metadata.deletionTimestamp === undefined) {
    const mayBeAdopted = !old || before || JSON.stringify(old.metadata.labels) !== JSON.stringify(object.metadata.labels);
    if (mayBeAdopted) for (const owner of adoptersOf(owners, object)) concerned.add(owner);
  }
  return [...concerned].flatMap((owner) => (owner ? [keyOf(owner)] : []));
}

/** Those that may adopt an object with these labels. One that selects everything adopts nothing. */
function adoptersOf<T extends KubeObject>({ lister, selectorOf }: Owners<T>, { metadata }: KubeObject): T[] {
  const { namespace = '', labels } = metadata;
  if (!labels) return [];
  const pairs = [undefined, ...pairsIn(labels)];
  return pairs
    .flatMap((pair) => lister.by(BY_SELECTOR, ownersIn(namespace, pair)))
    .filter((owner) => {
      const selector = selectorOf(owner);
      return selector.requirements.length > 0 && selector.matches(labels);
    });
}

function pairsIn(labels: Labels): string[] {
  return Object.entries(labels).map(([key, value]) => `${key}=${value}`);
}

/** A pair that the selector cannot do without, if there is one: of several the longest, as the likeliest to be rare. */
function pairOf({ requirements }: Selector): string | undefined {
  let longest: string | undefined;
  for (const { key, operator, values } of requirements) {
    if (values.length !== 1 || (operator !== '=' && operator !== '==' && operator !== 'in')) continue;
    const pair = `${key}=${values[0]}`;
    if (longest === undefined || pair.length > longest.length) longest = pair;
  }
  return longest;
}

function orphansOf(namespace: string, pair = ''): string {
  return `orphans of ${namespace} ${pair}`;
}

function ownersIn(namespace: string, pair = ''): string {
  return `${namespace} ${pair}`;
}
