/**
 * Lists and maps that a client wrote empty. In memory Go tells them from absent ones, in JSON it does not: an object here has
 * neither, and messages that print one ask for what was there.
 */
const EMPTIED = Symbol('emptied');

type Emptied = Record<string, unknown>;

/** Notes that the field of this object was given, and empty; or, by null, that it was not and is empty in memory alone. A copy by spreading has the note as well. */
export function markEmptied(owner: object, field: string, value: unknown): void {
  const marked = owner as { [EMPTIED]?: Emptied };
  marked[EMPTIED] = { ...marked[EMPTIED], [field]: value };
}

export function copyMarks(from: object, to: object): void {
  const marks = (from as { [EMPTIED]?: Emptied })[EMPTIED];
  if (marks) (to as { [EMPTIED]?: Emptied })[EMPTIED] = marks;
}

/** An empty list that Go writes as it is does not survive the store: it is read back as null. */
export function unsetIfEmpty<T extends object>(owner: T, field: keyof T & string): void {
  const value: unknown = owner[field];
  if (Array.isArray(value) && value.length === 0) (owner as Record<string, unknown>)[field] = null;
}

const isEmpty = (value: unknown): boolean => typeof value === 'object' && Object.keys(value as object).length === 0;

/** The value as Go would print it: what is there, `[]` or `{}` where that was given, null where nothing was. */
export function asGiven<T extends object, K extends keyof T & string>(owner: T | undefined, field: K): NonNullable<T[K]> | [] | Record<string, never> | null {
  const value = owner?.[field];
  const emptied = (owner as { [EMPTIED]?: Emptied } | undefined)?.[EMPTIED];
  const isUnset = value === undefined || value === null || (isEmpty(value) && emptied?.[field] === null);
  if (!isUnset) return value as NonNullable<T[K]>;
  return (emptied?.[field] as [] | Record<string, never> | undefined) ?? null;
}
