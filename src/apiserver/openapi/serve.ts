import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { descriptions } from '../../api/generated/descriptions.ts';
import { resources } from '../../api/generated/resources.ts';
import { schema } from '../../api/generated/schema.ts';
import { buildDocument } from './document.ts';
import { encodeOpenApiV2, PROTOBUF_TYPE } from './protobuf.ts';

/** Loaded with the first request for OpenAPI, and kept. */
const documents = new Map<string, { body: Buffer; etag: string }>();

/** @returns false when there is no such document. */
export function serveOpenApi(path: string, accept: string | undefined, response: ServerResponse): boolean {
  if (path === '/openapi/v3' || path === '/openapi/v3/') {
    const paths: Record<string, { serverRelativeURL: string }> = {};
    for (const name of groupVersionPaths()) paths[name] = { serverRelativeURL: `/openapi/v3/${name}?hash=${document(name)!.etag}` };
    send(response, Buffer.from(JSON.stringify({ paths })), 'application/json');
    return true;
  }
  if (path.startsWith('/openapi/v3/')) {
    const found = document(path.slice('/openapi/v3/'.length));
    if (found) send(response, found.body, 'application/json', found.etag);
    return found !== undefined;
  }
  if (path === '/openapi/v2') {
    if (PROTOBUF_TYPE.test(accept ?? '')) send(response, protobufDocument(), 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf');
    else send(response, document('v2')!.body, 'application/json');
    return true;
  }
  return false;
}

function groupVersionPaths(): string[] {
  return [...new Set(resources.map(({ group, version }) => (group === '' ? `api/${version}` : `apis/${group}/${version}`)))];
}

function document(name: string): { body: Buffer; etag: string } | undefined {
  let found = documents.get(name);
  if (!found) {
    const served =
      name === 'v2' ? resources : resources.filter(({ group, version }) => name === (group === '' ? `api/${version}` : `apis/${group}/${version}`));
    if (served.length === 0) return undefined;
    const body = Buffer.from(JSON.stringify(buildDocument(served, { schema, descriptions, form: name === 'v2' ? 'v2' : 'v3' })));
    found = { body, etag: createHash('sha512').update(body).digest('hex').toUpperCase() };
    documents.set(name, found);
  }
  return found;
}

let protobuf: Buffer | undefined;

function protobufDocument(): Buffer {
  protobuf ??= Buffer.from(encodeOpenApiV2(buildDocument(resources, { schema, descriptions, form: 'v2' })));
  return protobuf;
}

function send(response: ServerResponse, body: Buffer, type: string, etag?: string): void {
  response.writeHead(200, { 'Content-Type': type, 'Content-Length': body.length, ...(etag ? { ETag: `"${etag}"` } : {}), Vary: 'Accept' });
  response.end(body);
}
