import type { FieldSchema, ScalarType, TypeSchema } from './schema.ts';

/**
 * A type of the API, compiled: references are resolved, and what reading an object asks for again and again stands ready.
 * Types are frozen values that a server owns. They come from the generated schema (`compileTypes`) or from the structural
 * schema of a custom resource (`structuralType`).
 */
export type Type = Scalar | List | StringMap | Struct;

export interface Scalar {
  readonly shape: 'scalar';
  readonly format: ScalarType;
  /** Go's name, where it is not that of the format: `v1.PullPolicy`. */
  readonly goName?: string;
  /** Of format `any`: what an object among its values is. */
  readonly object?: Struct;
  /** A structural schema's `nullable`: null is a value. */
  readonly nullable?: boolean;
}

export interface List {
  readonly shape: 'list';
  readonly element: Type;
  /** How elements are told apart. A list is one value where it is atomic, or where nothing is said. */
  readonly listType?: 'atomic' | 'set' | 'map';
  /** The fields that identify an element of a list of type `map`, in byte order. */
  readonly keys: readonly string[];
  readonly nullable?: boolean;
}

export interface StringMap {
  readonly shape: 'map';
  readonly element: Type;
  /** The map is one value. */
  readonly atomic: boolean;
  /** Go's name, where it has one: `v1.ResourceList`. */
  readonly goName?: string;
  readonly nullable?: boolean;
}

export interface Struct {
  readonly shape: 'struct';
  /** `io.k8s.api.core.v1.Container`; empty for a type without a name. */
  readonly id: string;
  readonly fields: ReadonlyMap<string, Field>;
  /** The fields that are written even where they are unset. */
  readonly written: readonly Field[];
  /** The struct is one value. */
  readonly atomic: boolean;
  /** Unknown fields stay (`x-kubernetes-preserve-unknown-fields`). */
  readonly preservesUnknownFields?: boolean;
  /** A whole object with kind and metadata stands here (`x-kubernetes-embedded-resource`). */
  readonly embeddedResource?: boolean;
  readonly nullable?: boolean;
}

export interface Field {
  readonly name: string;
  readonly type: Type;
  readonly required: boolean;
  /** An optional scalar whose zero (false, 0, "") is a value. */
  readonly pointer: boolean;
  /** What is written where the field is unset, if anything. */
  readonly unset?: 'zero' | 'null';
  /** Strategic merge patches: how the field is patched, and by which field its elements are told apart. */
  readonly patchStrategy: string;
  readonly patchMergeKey?: string;
  /** A structural schema's default, or what an absent key of a list element counts as. */
  readonly default?: unknown;
}

export type Types = ReadonlyMap<string, Struct>;

/** `v1.Container` for `io.k8s.api.core.v1.Container`: Go's name of a type, for messages. */
export function goNameOf({ id }: Struct): string {
  return id.split('.').slice(-2).join('.');
}

/** Whether ownership and patches look inside the value (structured-merge-diff's leaves are those where they do not). */
export function isAtomic(type: Type): boolean {
  if (type.shape === 'scalar') return true;
  return type.shape === 'list' ? type.listType !== 'set' && type.listType !== 'map' : type.atomic;
}

interface StructInTheMaking {
  shape: 'struct';
  id: string;
  fields: Map<string, Field>;
  written: Field[];
  atomic: boolean;
}

const SCHEMA = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps';
/** Where a schema may hold another one, or something that is none: a list of them, or yes and no. */
const MIXED = new Set(['items', 'additionalItems', 'additionalProperties']);

/** Links the generated schema. Costs a few milliseconds: once for a process is enough, since the result is frozen. */
export function compileTypes(schema: Readonly<Record<string, TypeSchema>>): Types {
  const types = new Map<string, StructInTheMaking>();
  const scalars = new Map<string, Scalar>();
  /** The same types, read as one value by a field that says so. */
  const atomicTypes = new Map<string, StructInTheMaking>();
  for (const [id, { mapType }] of Object.entries(schema)) types.set(id, { shape: 'struct', id, fields: new Map(), written: [], atomic: mapType === 'atomic' });
  const structOf = (id: string, atomic: boolean): StructInTheMaking => {
    const type = types.get(id);
    if (!type) throw new Error(`the generated schema refers to ${id}, which it does not have: run npm run build`);
    if (!atomic || type.atomic) return type;
    let variant = atomicTypes.get(id);
    if (!variant) {
      variant = { ...type, atomic: true };
      atomicTypes.set(id, variant);
    }
    return variant;
  };
  const scalar = (format: ScalarType, goName?: string): Scalar => {
    const key = goName ?? format;
    const known = scalars.get(key);
    if (known) return known;
    const type: Scalar = Object.freeze({ shape: 'scalar', format, ...(goName ? { goName } : {}) });
    scalars.set(key, type);
    return type;
  };
  const typeOf = (field: FieldSchema): Type => {
    if (field.list) {
      const { list: _, listType, listMapKeys = [], ...element } = field;
      return Object.freeze({
        shape: 'list',
        element: typeOf(field.of ?? element),
        ...(listType ? { listType } : {}),
        keys: Object.freeze([...listMapKeys].sort()),
      });
    }
    if (field.map) {
      const { map: _, mapType, goName, ...element } = field;
      return Object.freeze({ shape: 'map', element: typeOf(field.of ?? element), atomic: mapType === 'atomic', ...(goName ? { goName } : {}) });
    }
    if (field.of) return typeOf(field.of);
    return field.ref ? structOf(field.ref, field.mapType === 'atomic') : scalar(field.type!, field.goName);
  };
  for (const [id, { fields }] of Object.entries(schema)) {
    const struct = types.get(id)!;
    for (const [name, facts] of Object.entries(fields)) {
      const { required = false, pointer = false, unset, patchStrategy = '', patchMergeKey } = facts;
      const field: Field = Object.freeze({
        name,
        type: id === SCHEMA && MIXED.has(name) ? Object.freeze({ shape: 'scalar', format: 'any', object: struct as Struct }) : typeOf(facts),
        required,
        pointer,
        ...(unset ? { unset } : {}),
        patchStrategy,
        ...(patchMergeKey === undefined ? {} : { patchMergeKey }),
        ...(facts.default === undefined ? {} : { default: facts.default }),
      });
      struct.fields.set(name, field);
      if (unset) struct.written.push(field);
    }
  }
  for (const struct of [...types.values(), ...atomicTypes.values()]) Object.freeze(struct);
  return types;
}
