import { createHash } from 'node:crypto';
import { descriptions } from '../../../api/generated/descriptions.ts';
import type { ResourceFacts } from '../../../api/resource-facts.ts';
import type { Registry } from '../../registry.ts';
import { buildDocument } from './document.ts';
import { encodeOpenApiV2, PROTOBUF_TYPE } from './protobuf.ts';

export interface OpenApiDocument {
  body: Buffer;
  type: string;
  etag?: string;
}

/** The OpenAPI documents of one server, each built when it is first asked for, and anew after what is served has changed. */
export class OpenApi {
  readonly #registry: Registry;
  readonly #documents = new Map<string, { body: Buffer; etag: string }>();
  #protobuf: Buffer | undefined;

  constructor(registry: Registry) {
    this.#registry = registry;
    registry.onChange(() => {
      this.#documents.clear();
      this.#protobuf = undefined;
    });
  }

  /** The document at a path below /openapi/; undefined where there is none. */
  find(path: string, accept: string | undefined): OpenApiDocument | undefined {
    if (path === '/openapi/v3' || path === '/openapi/v3/') return { body: Buffer.from(JSON.stringify({ paths: this.#paths() })), type: 'application/json' };
    if (path.startsWith('/openapi/v3/')) {
      const found = this.#document(path.slice('/openapi/v3/'.length));
      return found && { ...found, type: 'application/json' };
    }
    if (path !== '/openapi/v2') return undefined;
    if (PROTOBUF_TYPE.test(accept ?? '')) return { body: this.#protobufDocument(), type: 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf' };
    return { body: this.#document('v2')!.body, type: 'application/json' };
  }

  #paths(): Record<string, { serverRelativeURL: string }> {
    const paths: Record<string, { serverRelativeURL: string }> = {};
    for (const name of new Set(this.#registry.all().map(({ facts }) => pathOf(facts))))
      paths[name] = { serverRelativeURL: `/openapi/v3/${name}?hash=${this.#document(name)!.etag}` };
    return paths;
  }

  /** By the path of a group and version, or `v2` for all in one. */
  #document(name: string): { body: Buffer; etag: string } | undefined {
    let found = this.#documents.get(name);
    if (!found) {
      const served = this.#registry.all().filter(({ facts }) => name === 'v2' || pathOf(facts) === name);
      if (served.length === 0) return undefined;
      const document = buildDocument(served, { types: this.#registry.types, descriptions, form: name === 'v2' ? 'v2' : 'v3' });
      const body = Buffer.from(JSON.stringify(document));
      found = { body, etag: createHash('sha512').update(body).digest('hex').toUpperCase() };
      this.#documents.set(name, found);
    }
    return found;
  }

  #protobufDocument(): Buffer {
    this.#protobuf ??= Buffer.from(encodeOpenApiV2(buildDocument(this.#registry.all(), { types: this.#registry.types, descriptions, form: 'v2' })));
    return this.#protobuf;
  }
}

/** `apis/apps/v1` */
function pathOf({ group, version }: ResourceFacts): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}
