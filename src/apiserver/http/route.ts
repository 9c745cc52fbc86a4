import type { ApiRequest, Query, Verb } from '../../api/request.ts';
import { badRequest } from '../../api/status.ts';
import { isFlagSet } from '../decode/query.ts';

/** A resource request as its path and method tell it. */
export type Routed = Pick<ApiRequest, 'verb' | 'group' | 'version' | 'resource' | 'query'> &
  Partial<Pick<ApiRequest, 'namespace' | 'name' | 'subresource'>> & { path?: string | undefined };

const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize']);

/**
 * Reads `/api/v1/…` and `/apis/<group>/<version>/…` (apiserver/pkg/endpoints/request.RequestInfoFactory).
 *
 * @returns undefined for a path that names no resource.
 * @throws StatusError BadRequest for a path that cannot be decoded.
 */
export function route(method: string, path: string, query: Query): Routed | undefined {
  const parts = decodePath(path);
  let rest: string[];
  let group = '';
  if (parts[0] === 'api' && parts.length > 2) rest = parts.slice(1);
  else if (parts[0] === 'apis' && parts.length > 3) {
    group = parts[1]!;
    rest = parts.slice(2);
  } else return undefined;
  const [version = '', ...tail] = rest;
  const watching = tail[0] === 'watch';
  const segments = watching ? tail.slice(1) : tail;
  const where = locate(segments);
  if (!where) return undefined;
  if (where.subresource === 'proxy') where.path = remainder(path, parts.length - segments.length + segments.indexOf('proxy', 2) + 1);
  return { group, version, ...where, query, verb: verbOf(method, where, query, watching) };
}

/** The path from a number of segments on, as it was sent; undefined where nothing follows, not even a slash. */
function remainder(path: string, segments: number): string | undefined {
  let at = 0;
  for (let seen = 0; seen < segments; seen++) {
    while (path[at] === '/') at++;
    while (at < path.length && path[at] !== '/') at++;
  }
  return at < path.length ? path.slice(at) : undefined;
}

function decodePath(path: string): string[] {
  try {
    return path
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent);
  } catch {
    throw badRequest('the path of the request is not valid percent-encoding');
  }
}

type ResourcePath = Pick<Routed, 'resource' | 'namespace' | 'name' | 'subresource'> & { path?: string | undefined };

function locate(segments: readonly string[]): ResourcePath | undefined {
  if (segments.length === 0) return undefined;
  let rest = segments;
  let namespace: string | undefined;
  if (segments[0] === 'namespaces' && segments.length > 2 && !(segments.length === 3 && NAMESPACE_SUBRESOURCES.has(segments[2]!))) {
    namespace = segments[1];
    rest = segments.slice(2);
  }
  const [resource = '', name, subresource, ...path] = rest;
  return {
    resource,
    ...(namespace !== undefined ? { namespace } : {}),
    ...(name !== undefined ? { name } : {}),
    ...(subresource !== undefined ? { subresource } : {}),
    ...(path.length ? { path: path.join('/') } : {}),
  };
}

function verbOf(method: string, { name }: ResourcePath, query: Query, watching: boolean): Verb {
  switch (method) {
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return name === undefined ? 'deletecollection' : 'delete';
    default:
      if (watching) return 'watch';
      if (name !== undefined) return 'get';
      return isFlagSet(query['watch']) ? 'watch' : 'list';
  }
}

const CONNECTIONS = new Set(['exec', 'attach', 'portforward', 'proxy']);

/** Whether the subresource leads to what answers behind a pod, a service or a node. */
export function isConnection(subresource: string | undefined): boolean {
  return subresource !== undefined && CONNECTIONS.has(subresource);
}

/** Whether requests for the subresource last for reasons of their own. */
export function isLongRunning(subresource: string | undefined): boolean {
  return isConnection(subresource) || subresource === 'log';
}
