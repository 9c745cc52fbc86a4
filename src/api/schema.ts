/** What a field may hold. Strings name formats that the decoder checks or rewrites. */
export type ScalarType = 'string' | 'boolean' | 'int32' | 'int64' | 'double' | 'bytes' | 'time' | 'microTime' | 'quantity' | 'intOrString' | 'any';

/** One field of an API type. Exactly one of `type`, `ref`, `of` says what it (or each element of it) is. */
export interface FieldSchema {
  type?: ScalarType;
  /** The id of another type, e.g. `io.k8s.api.core.v1.Container`. */
  ref?: string;
  /** The element of a list of lists or a map of lists. */
  of?: FieldSchema;
  list?: true;
  map?: true;
  required?: true;
  /** An optional scalar whose zero (false, 0, "") is a value; without it, zero is the same as absent. */
  pointer?: true;
  /** What is written where the field is unset, if anything: its zero (`{}`, 0, "", []), or `null`. */
  unset?: 'zero' | 'null';
  /** Go's name of the type, or of its elements', where it is not the plain one: `v1.PullPolicy`. */
  goName?: string;
  /** What an absent key of a list element counts as. */
  default?: string;
  listType?: 'atomic' | 'set' | 'map';
  listMapKeys?: string[];
  mapType?: 'atomic' | 'granular';
  /** `merge`, `retainKeys`, `replace`, or two joined by a comma. */
  patchStrategy?: string;
  patchMergeKey?: string;
}

export interface TypeSchema {
  fields: Record<string, FieldSchema>;
  mapType?: 'atomic' | 'granular';
}
