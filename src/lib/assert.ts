/** An invariant of the program does not hold: a fault of its own, never of its input. */
export class AssertionError extends Error {
  override readonly name = 'AssertionError';
}

/**
 * Crashes loudly where what the code relies on does not hold. For what callers or clients may get wrong there are other errors.
 * @throws AssertionError
 */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(`invariant broken: ${message}`);
}
