import { at } from '../../../field-error.ts';
import { additionalOf, type JSONSchemaProps } from './schema.ts';

export interface FieldPath {
  /** As it is written in messages. */
  text: string;
  /** The name of its first field. */
  root: string;
  schema: JSONSchemaProps | undefined;
}

class PathFault extends Error {}

/** Names, quoted names, and what stands between them. */
const TOKEN = /'(?:\\.|[^'\\])*'|[.[\]]|[^.[\]']+|'/gy;

/**
 * Follows a path like `.spec['a.b'].c` through a schema (upstream: apiextensions-apiserver/pkg/apiserver/schema/cel,
 * ValidFieldPath).
 *
 * @returns the schema that is found, or upstream's words for why there is none.
 */
export function followPath(path: string, schema: JSONSchemaProps, { mayQuote }: { mayQuote: boolean }): FieldPath | string {
  try {
    return follow(path, schema, mayQuote);
  } catch (error) {
    if (error instanceof PathFault) return error.message;
    throw error;
  }
}

function follow(path: string, root: JSONSchemaProps, mayQuote: boolean): FieldPath {
  const tokens = path.match(TOKEN) ?? [];
  let found: FieldPath = { text: '', root: '', schema: root };
  const next = (): string => {
    const token = tokens.shift();
    if (token === undefined) throw new PathFault('unexpected end of JSON path');
    return token;
  };
  while (tokens.length) {
    const token = next();
    if (token === '.') found = step(found, next());
    else if (token === '[') {
      if (!mayQuote) throw new PathFault('array notation is not allowed');
      const quoted = next();
      if (quoted.length < 2 || !quoted.startsWith("'") || !quoted.endsWith("'")) throw new PathFault(`expected single quoted string but got ${quoted}`);
      found = step(found, quoted.slice(1, -1).replaceAll(/\\(.)/g, '$1'));
      const end = next();
      if (end !== ']') throw new PathFault(`expected ] but got ${end}`);
    } else throw new PathFault(`expected [ or . but got: ${token}`);
  }
  return found;
}

function step({ text, root, schema }: FieldPath, name: string): FieldPath {
  const INVALID = 'does not refer to a valid field';
  if (schema?.properties) {
    const property = schema.properties[name];
    if (!property) throw new PathFault(INVALID);
    return { text: text ? `${text}.${name}` : name, root: root || name, schema: property };
  }
  const additional = additionalOf(schema?.additionalProperties);
  if (!additional) throw new PathFault(INVALID);
  return { text: at(text, name), root: root || name, schema: additional.schema };
}
