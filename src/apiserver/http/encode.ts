import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { stringify } from 'yaml';
import type { KubeList, KubeObject } from '../../api/object.ts';
import type { ApiRequest } from '../../api/request.ts';
import { stringifyExact } from '../../lib/exact-json.ts';
import type { ApiServer } from '../api-server.ts';
import { type Descriptions, type TableOptions, toPartialList, toTable } from '../read/table.ts';
import { withoutKind } from '../storage/stored-object.ts';
import type { Representation } from './negotiate.ts';

/** Answers smaller than this are not worth compressing (upstream's threshold). */
const GZIP_THRESHOLD = 128 * 1024;
const gzipAsync = promisify(gzip);

export interface EncodeOptions {
  representation: Representation;
  apiRequest: ApiRequest;
  pretty?: boolean;
}

export interface Encoder {
  /** Loads what Tables need; to be awaited before one is encoded. */
  prepareTables(): Promise<void>;
  /** The bytes of an object, a list, a Table, or metadata alone. */
  body(object: KubeObject | KubeList, options: EncodeOptions): Uint8Array;
  /** One watch event as a line. */
  event(type: string, object: KubeObject, options: EncodeOptions & { first: boolean }): Uint8Array;
  send(response: ServerResponse, code: number, body: Uint8Array, options: { type: string; acceptEncoding: string | string[] | undefined }): Promise<void>;
}

const NEWLINE = Buffer.from('\n');

export function makeEncoder({ registry, storage: { codec }, clock }: ApiServer): Encoder {
  let descriptions: Descriptions = {};
  const transform = (object: KubeObject | KubeList, { representation, apiRequest }: EncodeOptions, withHeaders: boolean): KubeObject | KubeList => {
    if (!representation.as || object.kind === 'Status') return object;
    if (representation.as === 'PartialObjectMetadata') return toPartialList(object);
    const resource = registry.find(apiRequest)!;
    const includeObject = (apiRequest.query['includeObject'] ?? 'Metadata') as TableOptions['includeObject'];
    return toTable(resource, object, { includeObject, withHeaders, nowMs: clock.now(), descriptions });
  };

  const json = (object: KubeObject | KubeList): Uint8Array => {
    if (!('items' in object) || !Array.isArray(object.items)) return codec.json(object as KubeObject);
    const { items, ...head } = object;
    const isPartial = head.kind === PARTIAL_LIST;
    const opening = JSON.stringify(head);
    const parts: Uint8Array[] = [Buffer.from(`${opening.slice(0, -1)},"items":[`)];
    (items as KubeObject[]).forEach((item, i) => {
      if (i > 0) parts.push(COMMA);
      parts.push(isPartial ? codec.json(item) : codec.itemJson(item));
    });
    parts.push(CLOSE_LIST);
    return Buffer.concat(parts);
  };

  return {
    async prepareTables() {
      ({ descriptions } = await import('../../api/generated/descriptions.ts'));
    },

    body(object, options) {
      const shown = transform(object, options, true);
      if (options.representation.type === 'application/yaml') return Buffer.from(stringify(plain(shown)));
      if (options.pretty) return Buffer.from(`${stringifyExact(plain(shown), 2)}\n`);
      return Buffer.concat([json(shown), NEWLINE]);
    },

    event(type, object, options) {
      const shown = transform(object, options, options.first);
      return Buffer.concat([Buffer.from(`{"type":"${type}","object":`), codec.json(shown as KubeObject), EVENT_END]);
    },

    async send(response, code, body, { type, acceptEncoding }) {
      const headers: Record<string, string | number> = { 'Content-Type': type, 'Cache-Control': 'no-cache, private' };
      let bytes = body;
      if (body.length > GZIP_THRESHOLD && String(acceptEncoding ?? '').includes('gzip')) {
        bytes = await gzipAsync(body, { level: 4 });
        headers['Content-Encoding'] = 'gzip';
        headers['Vary'] = 'Accept-Encoding';
      }
      headers['Content-Length'] = bytes.length;
      response.writeHead(code, headers);
      response.end(bytes);
    },
  };
}

/** Its items say that they are partial; those of other lists leave their kind to the list. */
const PARTIAL_LIST = 'PartialObjectMetadataList';

function plain(object: KubeObject | KubeList): unknown {
  if (object.kind === PARTIAL_LIST || !('items' in object) || !Array.isArray(object.items)) return object;
  return { ...object, items: (object.items as KubeObject[]).map(withoutKind) };
}

const COMMA = Buffer.from(',');
const CLOSE_LIST = Buffer.from(']}');
const EVENT_END = Buffer.from('}\n');
