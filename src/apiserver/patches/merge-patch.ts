import { define } from '../../api/equality.ts';

type Json = unknown;

/** Applies an RFC 7386 patch: null removes, objects merge, all else replaces. Shares unchanged parts with the document. */
export function applyMergePatch(document: Json, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result: Record<string, Json> = isObject(document) ? { ...document } : {};
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    if (value === null) delete result[key];
    else define(result, key, applyMergePatch(Object.hasOwn(result, key) ? result[key] : undefined, value));
  }
  return result;
}

function isObject(value: Json): value is Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
