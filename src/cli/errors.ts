import { StatusError } from '../api/status.ts';
import { ManifestError } from '../cluster/apply-manifests.ts';

/** A failure that the message explains to the user in full. */
export class CliError extends Error {}

/** Prints a failure; a stack only for what we did not foresee. @returns the exit code. */
export function report(error: unknown): number {
  const known = error instanceof CliError || error instanceof ManifestError || error instanceof StatusError || (error as Error)?.name === 'DirectoryInUseError';
  process.stderr.write(known ? `error: ${(error as Error).message}\n` : `unexpected error: ${(error as Error)?.stack ?? String(error)}\n`);
  return 1;
}
