import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { stringify } from 'yaml';
import type { KubeList, KubeObject } from '../../api/object.ts';
import type { ApiRequest } from '../../api/request.ts';
import { stringifyExact } from '../../lib/exact-json.ts';
import type { ApiServer } from '../api-server.ts';
import type { ProtobufEncoder } from '../protobuf/encoder.ts';
import { type Descriptions, type TableOptions, toPartialList, toTable } from '../read/table.ts';
import type { GroupVersionResource, Registry } from '../registry.ts';
import { withoutKind } from '../storage/stored-object.ts';
import { PROTOBUF, type Representation } from './negotiate.ts';

/** Answers smaller than this are not worth compressing (upstream's threshold). */
const GZIP_THRESHOLD = 128 * 1024;
const gzipAsync = promisify(gzip);

export interface EncodeOptions {
  representation: Representation;
  apiRequest: ApiRequest;
  pretty?: boolean;
}

export interface EncodedBody {
  bytes: Uint8Array;
  /** What is asked for in protobuf and has no form there comes as JSON. */
  type: string;
}

export interface Encoder {
  /** Loads what a representation needs; to be awaited before anything is encoded in it. */
  prepare(representation: Representation): Promise<void>;
  /** Whether objects of a resource can be written in protobuf. */
  writesProtobuf(resource: GroupVersionResource): boolean;
  /** The bytes of an object, a list, a Table, or metadata alone. */
  body(object: KubeObject | KubeList, options: EncodeOptions): EncodedBody;
  /** One watch event: as a line, or in a frame. */
  event(type: string, object: KubeObject, options: EncodeOptions & { first: boolean }): Uint8Array;
  send(response: ServerResponse, code: number, body: Uint8Array, options: { type: string; acceptEncoding: string | string[] | undefined }): Promise<void>;
}

const NEWLINE = Buffer.from('\n');

export function makeEncoder({ registry, storage: { codec }, clock }: ApiServer): Encoder {
  let descriptions: Descriptions = {};
  let protobuf: ProtobufEncoder | undefined;
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

  /** The id of an object's type; undefined: it has no form in protobuf. */
  const messageOf = ({ apiVersion, kind }: KubeObject | KubeList): string | undefined => {
    if (apiVersion === 'meta.k8s.io/v1' || kind === 'Status') return `${META}${kind.replace(/List$/, '')}`;
    const id = registry.typeOf(apiVersion, kind.replace(/List$/, ''))?.id;
    return id && protobuf?.knows(id) ? id : undefined;
  };

  return {
    async prepare({ as, type }) {
      if (as === 'Table') ({ descriptions } = await import('../../api/generated/descriptions.ts'));
      if (type === PROTOBUF) protobuf ??= await loadProtobuf(registry);
    },

    // Every type of Go's has its numbers; others come from custom resources.
    writesProtobuf: (resource) => registry.find(resource)?.type.id !== '',

    body(object, options) {
      const shown = transform(object, options, true);
      const { type } = options.representation;
      const message = type === PROTOBUF ? messageOf(shown) : undefined;
      if (message && protobuf) return { bytes: protobuf.encode(shown, message), type };
      if (type === 'application/yaml') return { bytes: Buffer.from(stringify(plain(shown))), type };
      const bytes = options.pretty ? Buffer.from(`${stringifyExact(plain(shown), 2)}\n`) : Buffer.concat([json(shown), NEWLINE]);
      return { bytes, type: 'application/json' };
    },

    event(type, object, options) {
      const shown = transform(object, options, options.first);
      const message = options.representation.type === PROTOBUF ? messageOf(shown) : undefined;
      if (message && protobuf) return protobuf.encodeEvent(type, shown as KubeObject, message);
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

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';

async function loadProtobuf({ types }: Registry): Promise<ProtobufEncoder> {
  const [{ ProtobufEncoder }, { messages }] = await Promise.all([import('../protobuf/encoder.ts'), import('../../api/generated/protobuf.ts')]);
  return new ProtobufEncoder(types, messages);
}
