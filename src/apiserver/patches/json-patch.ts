import { deepCopy, deepEqual, define } from '../../api/equality.ts';
import { badRequest, StatusError } from '../../api/status.ts';
import { goKind } from '../decode/go-json.ts';

type Json = unknown;
interface Operation {
  op: string;
  path: string;
  from?: string;
  value?: Json;
}

/** Upstream's bound on the operations of one patch (apiserver, maxJSONPatchOperations). */
const MAX_OPERATIONS = 10_000;

/** The patch cannot be carried out on this object: a path that is not there, a test that fails, an operation that does not exist. */
function refused(): StatusError {
  return new StatusError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
}

/**
 * Applies an RFC 6902 patch to a copy of the document.
 *
 * @throws StatusError 400 for what is not a patch, 413 for one that is too long, 422 for one that does not fit.
 */
export function applyJsonPatch(document: Json, patch: Json): Json {
  if (patch === null) return document;
  if (!Array.isArray(patch)) throw badRequest(`json: cannot unmarshal ${goKind(patch)} into Go value of type jsonpatch.Patch`);
  const odd = patch.find((operation) => operation !== null && (typeof operation !== 'object' || Array.isArray(operation)));
  if (odd !== undefined) throw badRequest(`json: cannot unmarshal ${goKind(odd)} into Go value of type jsonpatch.Operation`);
  if (patch.length > MAX_OPERATIONS)
    throw new StatusError(413, 'RequestEntityTooLarge', `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${patch.length}`);
  let result = deepCopy(document);
  for (const operation of patch as Operation[]) result = applyOperation(result, operation);
  return result;
}

const MEMBERS: Readonly<Record<string, 'string' | 'any'>> = { op: 'string', path: 'string', from: 'string', value: 'any' };

/**
 * The paths of members that no operation has. @throws StatusError BadRequest for what a strict reader cannot read as a patch
 * (apiserver/pkg/endpoints/handlers/patch.go: jsonPatchOp).
 */
export function unknownMembers(patch: Json): string[] {
  const cannot = (value: Json, type: string): StatusError => badRequest(`error decoding patch: json: cannot unmarshal ${goKind(value)} into Go ${type}`);
  if (patch === null) return [];
  if (!Array.isArray(patch)) throw cannot(patch, 'value of type []handlers.jsonPatchOp');
  return patch.flatMap((operation: Json, index) => {
    if (operation === null) return [];
    if (typeof operation !== 'object' || Array.isArray(operation)) throw cannot(operation, 'value of type handlers.jsonPatchOp');
    return Object.entries(operation as object).flatMap(([name, value]) => {
      const type = Object.hasOwn(MEMBERS, name) ? MEMBERS[name] : undefined;
      if (type === 'string' && value !== null && typeof value !== 'string') throw cannot(value, `struct field jsonPatchOp.${name} of type string`);
      return type ? [] : [`[${index}].${name}`];
    });
  });
}

function applyOperation(document: Json, operation: Operation): Json {
  if (operation === null || typeof operation.path !== 'string') throw refused();
  const path = pointer(operation.path);
  switch (operation.op) {
    case 'add':
      return put(document, path, deepCopy(operation.value ?? null), { insert: true });
    case 'replace':
      find(document, path);
      return put(document, path, deepCopy(operation.value ?? null), { insert: false });
    case 'remove':
      return take(document, path);
    case 'test':
      if (!deepEqual(lookUp(document, path) ?? null, operation.value ?? null)) throw refused();
      return document;
    case 'copy':
      return put(document, path, deepCopy(find(document, pointer(operation.from ?? ''))), { insert: true });
    case 'move': {
      const from = pointer(operation.from ?? '');
      const value = find(document, from);
      return put(take(document, from), path, value, { insert: true });
    }
    default:
      throw refused();
  }
}

function pointer(text: string): string[] {
  if (text === '') return [];
  if (!text.startsWith('/')) throw refused();
  return text
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function lookUp(document: Json, path: readonly string[]): Json {
  let here = document;
  for (const key of path) {
    if (Array.isArray(here)) here = here[index(key, here.length - 1)];
    else if (typeof here === 'object' && here !== null && Object.hasOwn(here, key)) here = (here as Record<string, Json>)[key];
    else return undefined;
  }
  return here;
}

function find(document: Json, path: readonly string[]): Json {
  const value = lookUp(document, path);
  if (value === undefined) throw refused();
  return value;
}

function index(key: string, last: number): number {
  if (!/^-?\d+$/.test(key)) throw refused();
  const at = Number(key) < 0 ? Number(key) + last + 1 : Number(key);
  if (at < 0 || at > last) throw refused();
  return at;
}

function put(document: Json, path: readonly string[], value: Json, { insert }: { insert: boolean }): Json {
  if (path.length === 0) return value;
  const parent = find(document, path.slice(0, -1));
  const key = path.at(-1)!;
  if (Array.isArray(parent)) {
    if (key === '-') parent.push(value);
    else if (insert) parent.splice(index(key, parent.length), 0, value);
    else parent[index(key, parent.length - 1)] = value;
  } else if (typeof parent === 'object' && parent !== null) define(parent as Record<string, Json>, key, value);
  else throw refused();
  return document;
}

function take(document: Json, path: readonly string[]): Json {
  if (path.length === 0) return null;
  const parent = find(document, path.slice(0, -1));
  const key = path.at(-1)!;
  if (Array.isArray(parent)) parent.splice(index(key, parent.length - 1), 1);
  else if (typeof parent === 'object' && parent !== null && Object.hasOwn(parent, key)) delete (parent as Record<string, Json>)[key];
  else throw refused();
  return document;
}
