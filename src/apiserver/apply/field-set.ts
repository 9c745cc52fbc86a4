import { parseExact, stringifyExact } from '../../lib/exact-json.ts';

/**
 * A set of paths into an object: which fields a manager owns. An element of a path is text in the form of FieldsV1:
 * `f:name` for a field, `k:{"name":"c"}` for an element of a list by its key, `v:"x"` for one of a set by its value.
 * Sets are values: no method changes the set it is called on, but for `add`, which builds one up.
 */
export class FieldSet {
  /** Last elements of the paths that end here. */
  readonly members = new Set<string>();
  readonly children = new Map<string, FieldSet>();
  /** What the set reads as, once somebody has asked; the set no longer changes then. */
  #fieldsV1: Record<string, unknown> | undefined;
  /** The sets of FieldsV1 values, which are immutable: most managers are read again with every write, unchanged. */
  static readonly #known = new WeakMap<object, FieldSet>();

  get isEmpty(): boolean {
    if (this.members.size > 0) return false;
    for (const child of this.children.values()) if (!child.isEmpty) return false;
    return true;
  }

  add(path: readonly string[]): void {
    let here: FieldSet = this;
    for (let i = 0; i < path.length - 1; i++) here = here.#childOrNew(path[i]!);
    here.members.add(path.at(-1)!);
  }

  has(path: readonly string[]): boolean {
    let here: FieldSet | undefined = this;
    for (let i = 0; i < path.length - 1 && here; i++) here = here.children.get(path[i]!);
    return here?.members.has(path.at(-1)!) ?? false;
  }

  union(other: FieldSet): FieldSet {
    if (other.isEmpty) return this;
    if (this.isEmpty) return other;
    const out = new FieldSet();
    for (const set of [this, other]) {
      for (const member of set.members) out.members.add(member);
      for (const [element, child] of set.children) {
        const mine = out.children.get(element);
        out.children.set(element, mine ? mine.union(child) : child);
      }
    }
    return out;
  }

  intersection(other: FieldSet): FieldSet {
    const out = new FieldSet();
    for (const member of this.members) if (other.members.has(member)) out.members.add(member);
    for (const [element, child] of this.children) {
      const theirs = other.children.get(element);
      if (!theirs) continue;
      const common = child.intersection(theirs);
      if (!common.isEmpty) out.children.set(element, common);
    }
    return out;
  }

  /** The paths that `other` does not have; a path in `other` does not take along what lies below it. The same set where that is all of them. */
  difference(other: FieldSet): FieldSet {
    return this.#lessen(
      other,
      (child, theirs) => child.difference(theirs),
      () => false,
    );
  }

  /** The paths that neither are in `other` nor lie below one that is. */
  without(other: FieldSet): FieldSet {
    return this.#lessen(
      other,
      (child, theirs) => child.without(theirs),
      (element) => other.members.has(element),
    );
  }

  #lessen(other: FieldSet, lessenChild: (child: FieldSet, theirs: FieldSet) => FieldSet, dropsChild: (element: string) => boolean): FieldSet {
    const out = new FieldSet();
    let same = true;
    for (const member of this.members) {
      if (other.members.has(member)) same = false;
      else out.members.add(member);
    }
    for (const [element, child] of this.children) {
      const theirs = other.children.get(element);
      const rest = dropsChild(element) ? undefined : theirs ? lessenChild(child, theirs) : child;
      if (rest !== child) same = false;
      if (rest && !rest.isEmpty) out.children.set(element, rest);
    }
    return same ? this : out;
  }

  equals(other: FieldSet): boolean {
    return this.difference(other).isEmpty && other.difference(this).isEmpty;
  }

  /** Every path, in order. */
  *paths(prefix: readonly string[] = []): Generator<string[]> {
    const elements = [...new Set([...this.members, ...this.children.keys()])].sort();
    for (const element of elements) {
      if (this.members.has(element)) yield [...prefix, element];
      const child = this.children.get(element);
      if (child) yield* child.paths([...prefix, element]);
    }
  }

  /** FieldsV1, as it stands in metadata.managedFields. */
  toFieldsV1(): Record<string, unknown> {
    if (!this.#fieldsV1) {
      this.#fieldsV1 = this.#encode();
      FieldSet.#known.set(this.#fieldsV1, this);
    }
    return this.#fieldsV1;
  }

  #encode(): Record<string, unknown> {
    const out: Record<string, unknown> = {};
    const elements = this.children.size === 0 ? [...this.members] : [...new Set([...this.members, ...this.children.keys()])];
    for (const element of elements.sort()) {
      const child = this.children.get(element);
      const below = child && !child.isEmpty ? child.#encode() : undefined;
      if (below === undefined) {
        if (this.members.has(element)) out[element] = {};
      } else out[element] = this.members.has(element) ? { '.': {}, ...below } : below;
    }
    return out;
  }

  static fromFieldsV1(fields: unknown): FieldSet {
    if (typeof fields !== 'object' || fields === null) return new FieldSet();
    let set = FieldSet.#known.get(fields);
    if (!set) {
      set = FieldSet.#decode(fields);
      set.#fieldsV1 = fields as Record<string, unknown>;
      FieldSet.#known.set(fields, set);
    }
    return set;
  }

  static #decode(fields: object): FieldSet {
    const out = new FieldSet();
    for (const [element, below] of Object.entries(fields)) {
      if (element === '.') continue;
      const inner: object = typeof below === 'object' && below !== null ? below : {};
      const child = FieldSet.#decode(inner);
      if (child.isEmpty || Object.hasOwn(inner, '.')) out.members.add(element);
      if (!child.isEmpty) out.children.set(element, child);
    }
    return out;
  }

  static of(...paths: readonly string[][]): FieldSet {
    const out = new FieldSet();
    for (const path of paths) out.add(path);
    return out;
  }

  #childOrNew(element: string): FieldSet {
    let child = this.children.get(element);
    if (!child) {
      child = new FieldSet();
      this.children.set(element, child);
    }
    return child;
  }
}

/** A path as messages show it: `.spec.containers[name="c"].image`. */
/** A key's value; of maps and lists, which no key should have, without all signs (structured-merge-diff: value.ToString). */
function valueText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return stringifyExact(value);
  return Object.entries(value)
    .map(([name, inner]) => `${name}=${valueText(inner)}`)
    .join('');
}

export function showPath(path: readonly string[]): string {
  return path
    .map((element) => {
      const body = element.slice(2);
      if (element.startsWith('f:')) return `.${body}`;
      if (element.startsWith('v:')) return `[=${body}]`;
      if (element.startsWith('i:')) return `[${body}]`;
      const keys = parseExact(body) as Record<string, unknown>;
      return `[${Object.entries(keys)
        .map(([name, value]) => `${name}=${valueText(value)}`)
        .join(',')}]`;
    })
    .join('');
}
