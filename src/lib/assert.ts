/**
 * Crashes where something cannot be that must be: a mistake of ours, not of whoever called.
 *
 * @throws Error that says which invariant is broken.
 */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`invariant broken: ${message}`);
}
