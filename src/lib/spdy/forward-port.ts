import type { SpdySession, SpdyStream } from './session.ts';

/** Carries bytes between a stream and a port, until either side has ended. @throws Error when the port does not answer. */
export type CarryPort = (port: number, data: { stdin: SpdyStream['input']; stdout(chunk: Uint8Array): void; stderr(chunk: Uint8Array): void }) => Promise<void>;

/**
 * One connection of a port-forward: a stream of data, and one for errors with the same request id.
 *
 * @param pod its name, for the words of an error.
 */
export async function forwardPort(session: SpdySession, data: SpdyStream, pod: string, carry: CarryPort): Promise<void> {
  const { port, requestid } = data.headers;
  const errors = session.streams.find(({ headers }) => headers['streamtype'] === 'error' && headers['requestid'] === requestid);
  try {
    await carry(Number(port), { stdin: data.input, stdout: (chunk) => data.send(chunk), stderr: () => {} });
  } catch (error) {
    errors?.send(Buffer.from(`error forwarding port ${port} to pod ${pod}: ${(error as Error).message}`));
  }
  for (const stream of [errors, data]) {
    if (!stream) continue;
    stream.end();
    session.forget(stream);
  }
}
