import type { ServerResponse } from 'node:http';
import type { Watch } from '../../api/request.ts';
import type { EncodeOptions, Encoder } from './encode.ts';
import { PROTOBUF } from './negotiate.ts';

/** Writes a watch's events as they come, as fast as the client takes them. */
export async function sendWatch(response: ServerResponse, watch: Watch, encoder: Encoder, options: EncodeOptions & { onEvent: () => void }): Promise<void> {
  response.writeHead(200, {
    'Content-Type': options.representation.type === PROTOBUF ? `${PROTOBUF};stream=watch` : 'application/json',
    'Cache-Control': 'no-cache, private',
  });
  response.flushHeaders();
  let first = true;
  for await (const { type, object } of watch) {
    if (response.destroyed) return;
    const line = encoder.event(type, object, { ...options, first });
    first = false;
    options.onEvent();
    if (!response.write(line)) await drained(response);
  }
  response.end();
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.once('drain', done);
    response.once('close', done);
  });
}
