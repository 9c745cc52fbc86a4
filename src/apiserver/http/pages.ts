import type { ServerResponse } from 'node:http';
import type { Query } from '../../api/request.ts';
import { Discovery } from '../discovery/discovery.ts';
import type { OpenApi, OpenApiDocument } from '../discovery/openapi/openapi.ts';
import type { Registry } from '../registry.ts';
import type { ServiceAccountTokens } from '../tokens/service-account-tokens.ts';
import { type Health, healthPage } from './health.ts';
import { negotiate } from './negotiate.ts';

const VERSION = {
  major: '1',
  minor: '34',
  gitVersion: 'v1.34.0',
  gitCommit: 'f28b4c9efbca5c5c0af716d9f2d5702667ee8a45',
  gitTreeState: 'clean',
  buildDate: '2025-08-27T10:09:04Z',
  goVersion: 'go1.24.6',
  compiler: 'gc',
  platform: 'linux/amd64',
};

interface PageRequest {
  path: string;
  query: Query;
  accept: string | undefined;
  /** How the client names the server. */
  host?: string | undefined;
}

/** What is served beside resources: discovery, OpenAPI, version, health. */
export class Pages {
  readonly #registry: Registry;
  readonly #discovery: Discovery;
  readonly #health: () => Health;
  readonly #tokens: ServiceAccountTokens;
  #openApi: OpenApi | undefined;

  constructor(registry: Registry, health: () => Health, tokens: ServiceAccountTokens) {
    this.#tokens = tokens;
    this.#registry = registry;
    this.#health = health;
    this.#discovery = new Discovery(registry);
  }

  /** @returns false when the path is none of these pages. */
  async serve({ path, query, accept, host = '' }: PageRequest, response: ServerResponse): Promise<boolean> {
    const health = healthPage(path, query, this.#health());
    if (health) {
      sendText(response, health);
      return true;
    }
    if (path.startsWith('/openapi/')) {
      const document = (await this.#loadOpenApi()).find(path, accept);
      if (document) sendDocument(response, document);
      return document !== undefined;
    }
    if (path === '/openid/v1/jwks') {
      sendJson(response, await this.#tokens.keys(), 'application/jwk-set+json');
      return true;
    }
    if (path === '/.well-known/openid-configuration') {
      sendJson(response, this.#tokens.discovery(`https://${host}`), 'application/json');
      return true;
    }
    const page = this.#page(path, accept);
    if (page === undefined) return false;
    sendJson(response, page.body, page.type);
    return true;
  }

  /** Loaded with the first request for it. */
  async #loadOpenApi(): Promise<OpenApi> {
    if (!this.#openApi) {
      const { OpenApi } = await import('../discovery/openapi/openapi.ts');
      this.#openApi ??= new OpenApi(this.#registry);
    }
    return this.#openApi;
  }

  #page(path: string, accept: string | undefined): { body: unknown; type: string } | undefined {
    const json = (body: unknown): { body: unknown; type: string } | undefined => (body === undefined ? undefined : { body, type: 'application/json' });
    const parts = path.split('/').filter((part) => part !== '');
    if (path === '/version') return json(VERSION);
    if (parts.length === 0)
      return json({ paths: ['/api', '/api/v1', '/apis', '/healthz', '/livez', '/metrics', '/openapi/v2', '/openapi/v3', '/readyz', '/version'] });
    if (parts[0] === 'api' && parts.length === 1) return this.#list('core', accept, () => this.#discovery.coreVersions('127.0.0.1'));
    if (parts[0] === 'apis' && parts.length === 1) return this.#list('groups', accept, () => this.#discovery.groups());
    if (parts[0] === 'api' && parts.length === 2) return json(this.#discovery.resources('', parts[1]!));
    if (parts[0] === 'apis' && parts.length === 2) return json(this.#discovery.group(parts[1]!));
    if (parts[0] === 'apis' && parts.length === 3) return json(this.#discovery.resources(parts[1]!, parts[2]!));
    return undefined;
  }

  #list(which: 'core' | 'groups', accept: string | undefined, plain: () => unknown): { body: unknown; type: string } {
    if (negotiate(accept).aggregated)
      return { body: this.#discovery.aggregated(which), type: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' };
    return { body: plain(), type: 'application/json' };
  }
}

function sendJson(response: ServerResponse, value: unknown, type: string): void {
  const body = Buffer.from(`${JSON.stringify(value)}\n`);
  response.writeHead(200, { 'Content-Type': type, 'Content-Length': body.length, 'Cache-Control': 'no-cache, private', Vary: 'Accept' });
  response.end(body);
}

function sendDocument(response: ServerResponse, { body, type, etag }: OpenApiDocument): void {
  response.writeHead(200, { 'Content-Type': type, 'Content-Length': body.length, ...(etag ? { ETag: `"${etag}"` } : {}), Vary: 'Accept' });
  response.end(body);
}

function sendText(response: ServerResponse, { code, text }: { code: number; text: string }): void {
  response.writeHead(code, { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-cache, private' });
  response.end(text);
}
