import { stringifyExact } from '../lib/exact-json.ts';

/** The reasons of a cause in a Status with reason Invalid, and the words they begin with. */
const WORDS = {
  FieldValueRequired: 'Required value',
  FieldValueInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueForbidden: 'Forbidden',
  FieldValueNotFound: 'Not found',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  FieldValueTypeInvalid: 'Invalid value',
  InternalError: 'Internal error',
} as const;

export type FieldErrorReason = keyof typeof WORDS;

/** One fault of one field. Build them with the functions below. */
export interface FieldError {
  reason: FieldErrorReason;
  /** The path, e.g. `spec.template.spec.containers[0].image`. */
  field: string;
  /** The words after the path, e.g. `Invalid value: 70000: must be between 1 and 65535, inclusive`. */
  message: string;
}

/**
 * How upstream prints a bad value: text in quotes as Go's %q, numbers and booleans bare, the rest as JSON.
 * Objects print as JSON of the internal type; a caller that needs Go's field names hands in an object with those.
 */
function show(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'object') return stringifyExact(value);
  return typeof value === 'string' ? goQuote(value) : String(value);
}

/** Text as Go's %q prints it. */
export function goQuote(text: string): string {
  let out = '"';
  for (const char of text) {
    const code = char.codePointAt(0)!;
    if (char === '"' || char === '\\') out += '\\' + char;
    else if (char === '\n') out += '\\n';
    else if (char === '\t') out += '\\t';
    else if (char === '\r') out += '\\r';
    else if (code < 0x20 || code === 0x7f) out += '\\x' + code.toString(16).padStart(2, '0');
    else out += char;
  }
  return out + '"';
}

const withDetail = (words: string, detail: string): string => (detail ? `${words}: ${detail}` : words);

export function required(field: string, detail = ''): FieldError {
  return { reason: 'FieldValueRequired', field, message: withDetail(WORDS.FieldValueRequired, detail) };
}

export function invalid(field: string, value: unknown, detail: string): FieldError {
  return { reason: 'FieldValueInvalid', field, message: withDetail(`${WORDS.FieldValueInvalid}: ${show(value)}`, detail) };
}

export function typeInvalid(field: string, value: unknown, detail: string): FieldError {
  return { reason: 'FieldValueTypeInvalid', field, message: withDetail(`${WORDS.FieldValueTypeInvalid}: ${show(value)}`, detail) };
}

/** `supported` in the order in which they shall be listed; upstream sorts most such sets. */
export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  return {
    reason: 'FieldValueNotSupported',
    field,
    message: withDetail(
      `${WORDS.FieldValueNotSupported}: ${show(value)}`,
      supported.length ? `supported values: ${supported.map((s) => JSON.stringify(s)).join(', ')}` : '',
    ),
  };
}

export function duplicate(field: string, value: unknown): FieldError {
  return { reason: 'FieldValueDuplicate', field, message: `${WORDS.FieldValueDuplicate}: ${show(value)}` };
}

export function forbidden(field: string, detail: string): FieldError {
  return { reason: 'FieldValueForbidden', field, message: withDetail(WORDS.FieldValueForbidden, detail) };
}

export function notFound(field: string, value: unknown): FieldError {
  return { reason: 'FieldValueNotFound', field, message: `${WORDS.FieldValueNotFound}: ${show(value)}` };
}

/** The value itself is not repeated, as upstream. `unit` is `bytes` where upstream counts bytes. */
export function tooLong(field: string, max: number): FieldError {
  return { reason: 'FieldValueTooLong', field, message: `${WORDS.FieldValueTooLong}: may not be more than ${max} bytes` };
}

export function tooMany(field: string, actual: number, max: number): FieldError {
  return { reason: 'FieldValueTooMany', field, message: `${WORDS.FieldValueTooMany}: ${actual}: must have at most ${max} ${max === 1 ? 'item' : 'items'}` };
}

/** `spec.containers` + 0 → `spec.containers[0]`; `metadata.labels` + 'a/b' → `metadata.labels[a/b]`. */
export function at(field: string, key: number | string): string {
  return `${field}[${key}]`;
}
