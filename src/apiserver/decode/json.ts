import { badRequest } from '../../api/status.ts';
import { parseExact } from '../../lib/exact-json.ts';
import { goSyntaxError } from './go-json.ts';

/** Nesting that no real object comes near; beyond it a body is hostile. */
const MAX_DEPTH = 500;

/**
 * Parses JSON that a stranger sent.
 *
 * @throws StatusError BadRequest for what is not JSON, in the words of Go's decoder, or nests too deep.
 */
export function parseJson(text: string): unknown {
  checkDepth(text);
  try {
    return parseExact(text);
  } catch (error) {
    throw badRequest(goSyntaxError(text) ?? (error as Error).message);
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Decodes UTF-8, refusing what is not. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw badRequest('the body of the request is not valid UTF-8');
  }
}

function checkDepth(text: string): void {
  if (opensAtMost(text, MAX_DEPTH)) return;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x22) i = endOfString(text, i);
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > MAX_DEPTH) throw badRequest(`the body of the request nests deeper than ${MAX_DEPTH} levels`);
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
}

/** Whether the text has no more opening braces and brackets than that, in strings or not: then it cannot nest deeper. */
function opensAtMost(text: string, limit: number): boolean {
  let count = 0;
  for (const open of ['{', '[']) for (let at = text.indexOf(open); at >= 0; at = text.indexOf(open, at + 1)) if (++count > limit) return false;
  return true;
}

/** The index of the quote that closes the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x5c) i++;
    else if (code === 0x22) return i;
  }
  return text.length;
}

/**
 * The paths of all keys in the order of the text (`spec.replicas`), where one of them stands twice in its object; nothing
 * where none does. JSON.parse keeps the last of them silently.
 *
 * @param parsed what JSON.parse made of the text; where it has as many keys as the text, none is lost.
 */
export function keysIfRepeated(text: string, parsed: unknown): string[] {
  return countKeys(parsed) === countKeyTokens(text) ? [] : keyPaths(text);
}

function keyPaths(text: string): string[] {
  const paths: string[] = [];
  const stack: { isObject: boolean; path: string; index: number }[] = [];
  let key = '';
  let expectKey = false;
  const pathHere = (): string => {
    const top = stack.at(-1);
    if (!top) return '';
    return top.isObject ? (top.path ? `${top.path}.${key}` : key) : `${top.path}[${top.index}]`;
  };
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === '"') {
      const end = endOfString(text, i);
      if (expectKey) {
        key = JSON.parse(text.slice(i, end + 1)) as string;
        paths.push(pathHere());
        expectKey = false;
      }
      i = end;
    } else if (char === '{' || char === '[') {
      stack.push({ isObject: char === '{', path: pathHere(), index: 0 });
      expectKey = char === '{';
    } else if (char === '}' || char === ']') {
      stack.pop();
      expectKey = false;
    } else if (char === ',') {
      const top = stack.at(-1);
      if (top?.isObject) expectKey = true;
      else if (top) top.index++;
    }
  }
  return paths;
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) for (const element of value) count += countKeys(element);
  else {
    const fields = value as Record<string, unknown>;
    for (const key of Object.keys(fields)) count += 1 + countKeys(fields[key]);
  }
  return count;
}

/** Keys in a JSON text, and whatever in its strings looks like the end of one. */
function countKeyTokens(text: string): number {
  const token = /"\s*:/g;
  let count = 0;
  while (token.test(text)) count++;
  return count;
}
