import type { Status } from './generated/types/meta.v1.ts';
import { internalError, StatusError } from './status.ts';

/**
 * How the end of a command is told on the error stream (remotecommand v4).
 *
 * @param work runs the command; it resolves with the exit code.
 */
export async function statusOfCommand(work: () => Promise<number>): Promise<Status> {
  try {
    const exitCode = await work();
    if (exitCode === 0) return { metadata: {}, status: 'Success' };
    return {
      metadata: {},
      status: 'Failure',
      reason: 'NonZeroExitCode',
      message: `command terminated with non-zero exit code: exit status ${exitCode}`,
      details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
    };
  } catch (error) {
    return error instanceof StatusError ? error.status : internalError((error as Error).message).status;
  }
}
