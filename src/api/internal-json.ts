import { asGiven } from './emptied.ts';

/**
 * How Go's internal types print as JSON in messages: with Go's names of their fields, every field written.
 *
 * A type lists its fields in Go's order. After a name, `=json` where the JSON name is not the name with a small first letter,
 * then `:` and what it is: `*` a pointer, list or map, `&Type` a pointer to that type, `[Type` a list of it, `=Type` one held
 * by value, `#` a number, `?` a boolean; else text.
 */
export type InternalTypes = Readonly<Record<string, string>>;

type Fields = Readonly<Record<string, unknown>>;

const ZEROS: Readonly<Record<string, unknown>> = { '': '', '#': 0, '?': false };

/** The value as Go's JSON of the internal type has it. */
export function internalJson(value: object | undefined, type: string, types: InternalTypes): Record<string, unknown> {
  const source = (value ?? {}) as Fields;
  const result: Record<string, unknown> = {};
  for (const field of types[type]!.split(' ')) {
    const [, name = '', json = lowerFirst(name), mark = '', of = ''] = /^(\w+)(?:=([\w$-]+))?(?::([*#?=[&])(\w*))?$/.exec(field) ?? [];
    result[name] = converted(source, json, { mark, of, types });
  }
  return result;
}

const lowerFirst = (name: string): string => `${name[0]?.toLowerCase() ?? ''}${name.slice(1)}`;

function converted(owner: Fields, field: string, { mark, of, types }: { mark: string; of: string; types: InternalTypes }): unknown {
  const value = owner[field];
  switch (mark) {
    case '*':
      return asGiven(owner, field);
    case '=':
      return internalJson(value as object | undefined, of, types);
    case '&':
      return value === undefined || value === null ? null : internalJson(value, of, types);
    case '[': {
      const list = asGiven(owner, field) as object[] | null;
      return list?.map((element) => internalJson(element, of, types)) ?? null;
    }
    default:
      return value ?? ZEROS[mark];
  }
}
