import https from 'node:https';
import type { Node } from '../api/generated/types/core.v1.ts';
import { internalError, StatusError } from '../api/status.ts';
import { parseTime } from '../lib/clock.ts';
import { SpdyRefusal } from '../lib/spdy/connection.ts';
import { openCommand, openPort, RemoteStreamError } from '../lib/spdy/remote-streams.ts';
import type { NodeConnection, PodLogLine, PodLogOptions, PodStreams } from './node-connection.ts';

/** As whom the API server comes to kubelets; PEM. */
export interface KubeletCredentials {
  cert: string;
  key: string;
}

/** A kubelet in another process, over its own https port. Its certificate is its own: it is not looked at, as upstream does by default. */
export class RemoteNode implements NodeConnection {
  readonly #node: () => Promise<Node>;
  readonly #credentials: KubeletCredentials;

  constructor({ node, credentials }: { node: () => Promise<Node>; credentials: KubeletCredentials }) {
    this.#node = node;
    this.#credentials = credentials;
  }

  async getLogs(namespace: string, pod: string, container: string, options: PodLogOptions): Promise<AsyncIterable<PodLogLine>> {
    const { previous = false, follow = false, tailLines, since, signal } = options;
    const query = new URLSearchParams({ timestamps: 'true' });
    if (previous) query.set('previous', 'true');
    if (follow) query.set('follow', 'true');
    if (tailLines !== undefined) query.set('tailLines', String(tailLines));
    if (since !== undefined) query.set('sinceTime', new Date(since).toISOString());
    const url = await this.#url(['containerLogs', namespace, pod, container], query);
    return logLines(await this.#get(url, signal));
  }

  async exec(
    namespace: string,
    pod: string,
    container: string,
    { command, tty }: { command: readonly string[]; tty: boolean },
    streams: PodStreams,
  ): Promise<{ exitCode: number }> {
    const query = streamsQuery(streams, tty);
    for (const word of command) query.append('command', word);
    const url = await this.#url(['exec', namespace, pod, container], query);
    return { exitCode: await streamed(openCommand({ url, tls: this.#tls() }, streams, { tty })) };
  }

  async attach(namespace: string, pod: string, container: string, streams: PodStreams): Promise<void> {
    const tty = streams.resize !== undefined;
    const url = await this.#url(['attach', namespace, pod, container], streamsQuery(streams, tty));
    await streamed(openCommand({ url, tls: this.#tls() }, streams, { tty }));
  }

  async portForward(namespace: string, pod: string, port: number, streams: PodStreams): Promise<void> {
    await streamed(openPort({ url: await this.#url(['portForward', namespace, pod]), tls: this.#tls() }, port, streams));
  }

  async #url(path: readonly string[], query = new URLSearchParams()): Promise<string> {
    const { metadata, status } = await this.#node();
    const address = status.addresses?.find(({ type }) => type === 'InternalIP')?.address;
    if (address === undefined) throw internalError(`node ${JSON.stringify(metadata.name)} has no address by which its kubelet can be reached`);
    const host = address.includes(':') ? `[${address}]` : address;
    return `https://${host}:${status.daemonEndpoints?.kubeletEndpoint?.Port ?? 10_250}/${path.map(encodeURIComponent).join('/')}?${query}`;
  }

  #tls(): KubeletCredentials & { rejectUnauthorized: false } {
    return { ...this.#credentials, rejectUnauthorized: false };
  }

  #get(url: string, signal: AbortSignal | undefined): Promise<AsyncIterable<Buffer>> {
    return new Promise((resolve, reject) => {
      const asked = https.get(url, { ...this.#tls(), agent: false, ...(signal ? { signal } : {}) }, (answer) => {
        if (answer.statusCode === 200) return resolve(answer);
        let text = '';
        answer.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        answer.once('end', () => reject(new StatusError(answer.statusCode ?? 500, '', text)));
      });
      asked.once('error', (error) => reject(internalError(error.message)));
    });
  }
}

function streamsQuery({ stdin }: PodStreams, tty: boolean): URLSearchParams {
  return new URLSearchParams({ output: '1', ...(stdin ? { input: '1' } : {}), ...(tty ? { tty: '1' } : { error: '1' }) });
}

async function streamed<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof RemoteStreamError) throw new StatusError(500, 'InternalError', error.message);
    if (error instanceof SpdyRefusal) throw new StatusError(error.code, '', error.text || error.message);
    throw internalError((error as Error).message);
  }
}

/** Lines with their time before them, of which one may come in several pieces. */
async function* logLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<PodLogLine> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/(?<=\n)/);
    rest = lines.at(-1)?.endsWith('\n') ? '' : (lines.pop() ?? '');
    for (const line of lines) yield logLine(line);
  }
  if (rest) yield logLine(rest);
}

function logLine(line: string): PodLogLine {
  const end = line.indexOf(' ');
  const time = line.slice(0, end);
  return { at: parseTime(time), time, text: line.slice(end + 1) };
}
