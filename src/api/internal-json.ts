/**
 * How Go's internal types print as JSON in messages: with Go's names of their fields, every field written.
 *
 * A type lists its fields in Go's order. After a name: `*` a pointer, list or map, printed as null when it is not set; `#`
 * a number, `?` a boolean, `=Type` a struct by value, `[Type` a list of that type, `&Type` a pointer to that type; else text.
 */
export type InternalTypes = Readonly<Record<string, string>>;

export interface InternalNames {
  types: InternalTypes;
  /** The JSON name of a field whose Go name does not simply begin with a small letter. */
  jsonNames: Readonly<Record<string, string>>;
}

/** The value as Go's JSON of the internal type has it. */
export function internalJson(value: unknown, type: string, names: InternalNames): Record<string, unknown> {
  const source = (value ?? {}) as Record<string, unknown>;
  const result: Record<string, unknown> = {};
  for (const field of names.types[type]!.split(' ')) {
    const [, name = '', mark = '', of = ''] = /^(\w+)([*#?=[&]?)(\w*)$/.exec(field) ?? [];
    const jsonName = names.jsonNames[name] ?? `${name[0]!.toLowerCase()}${name.slice(1)}`;
    result[name] = converted(source[jsonName], { mark, of, names });
  }
  return result;
}

function converted(value: unknown, { mark, of, names }: { mark: string; of: string; names: InternalNames }): unknown {
  switch (mark) {
    case '#':
      return value ?? 0;
    case '?':
      return value ?? false;
    case '*':
      return value ?? null;
    case '=':
      return internalJson(value, of, names);
    case '&':
      return value === undefined ? null : internalJson(value, of, names);
    case '[':
      return value === undefined ? null : (value as unknown[]).map((element) => internalJson(element, of, names));
    default:
      return value ?? '';
  }
}
