import { STATUS_CODES } from 'node:http';
import { type Clock, sleep } from '../../lib/clock.ts';
import { RuntimeError, type Streams } from '../runtime.ts';
import type { HttpAnswer } from './process.ts';
import type { SimulatedContainer } from './simulated-container.ts';

const encoder = new TextEncoder();

/** Plays one command with a client's streams, a shell line by line. Returns its exit code. @throws RuntimeError */
export async function execute(container: SimulatedContainer, command: readonly string[], streams: Streams, clock: Clock): Promise<number> {
  if (isInteractive(command)) return interpret(container, streams);
  if (readsInput(command)) return echo(streams);
  if (!container.knows(command)) {
    throw new RuntimeError(
      'Unknown',
      `OCI runtime exec failed: exec failed: unable to start container process: exec: "${command[0]}": executable file not found in $PATH`,
    );
  }
  const outcome = container.execute(command);
  if (outcome.durationMs > 0) await sleep(clock, outcome.durationMs, streams.signal);
  write(outcome, streams);
  return outcome.exitCode;
}

/** Writes the log from its beginning, and on: nobody attaches in time to see the first line of a container that is quick. */
export async function attach(container: SimulatedContainer, streams: Streams): Promise<void> {
  for await (const { stream, text } of container.log.read({ follow: true, signal: streams.signal })) write({ [stream]: text }, streams);
}

/** Answers one HTTP request. */
export async function answerHttp(answer: HttpAnswer, { stdin, stdout }: Streams): Promise<void> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of stdin ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (!text.includes('\r\n\r\n')) continue;
    const target = /^\S+ (\S+)/.exec(text)?.[1] ?? '/';
    const { status = 200, body } = answer(new URL(target, 'http://pod'));
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}`,
      'Content-Type: text/plain',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
    ];
    stdout(encoder.encode(`${head.join('\r\n')}\r\n\r\n${body}`));
    return;
  }
}

function write({ stdout, stderr }: { stdout?: string; stderr?: string }, streams: Streams): void {
  if (stdout) streams.stdout(encoder.encode(stdout));
  if (stderr) streams.stderr(encoder.encode(stderr));
}

const isInteractive = (command: readonly string[]): boolean => command.length === 1 && /(^|\/)(ba|a)?sh$/.test(command[0] ?? '');

const readsInput = (command: readonly string[]): boolean =>
  /^(\/(usr\/)?bin\/)?cat$/.test(command[0] ?? '') && command.slice(1).every((argument) => argument === '-');

/** Gives back what comes in, until the client closes it. */
async function echo({ stdin, stdout }: Streams): Promise<number> {
  for await (const chunk of stdin ?? []) stdout(chunk);
  return 0;
}

async function interpret(container: SimulatedContainer, streams: Streams): Promise<number> {
  const decoder = new TextDecoder();
  let rest = '';
  let code = 0;
  for await (const chunk of streams.stdin ?? []) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n|\r/);
    rest = parts.pop() ?? '';
    for (const line of parts) {
      const outcome = container.execute(['sh', '-c', line]);
      write(outcome, streams);
      code = outcome.exitCode;
      if (/^\s*exit\b/.test(line)) return code;
    }
  }
  return code;
}
