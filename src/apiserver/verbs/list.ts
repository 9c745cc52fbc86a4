import { forbidden as forbiddenField, invalid as invalidField, notSupported } from '../../api/field-error.ts';
import type { KubeList, KubeObject } from '../../api/object.ts';
import type { ApiRequest, ApiResponse, Query } from '../../api/request.ts';
import { badRequest, expired, invalid, notFound, StatusError } from '../../api/status.ts';
import { CompactedError } from '../../store/store.ts';
import { type ApiContext, read } from '../context.ts';
import { type ServedResource, toServed } from '../registry.ts';
import { selectionOf } from './selection.ts';

export async function get(context: ApiContext, resource: ServedResource, request: ApiRequest): Promise<ApiResponse> {
  const { namespace = '', name = '' } = request;
  checkResourceVersion(context, resource, request.query);
  const current = await read(context, resource, namespace, name);
  if (!current) throw notFound(resource.facts, name);
  return { code: 200, object: current.object };
}

export async function list(context: ApiContext, resource: ServedResource, request: ApiRequest): Promise<ApiResponse> {
  const { objects, revision, next, remaining } = await selectObjects(context, resource, request);
  const object: KubeList = {
    kind: `${resource.facts.kind}List`,
    apiVersion: resource.apiVersion,
    metadata: {
      resourceVersion: String(revision),
      ...(next ? { continue: next } : {}),
      ...(next && remaining !== undefined ? { remainingItemCount: remaining } : {}),
    },
    items: objects,
  };
  return { code: 200, object };
}

interface Selected {
  objects: KubeObject[];
  revision: number;
  /** The token of the next page. */
  next?: string;
  remaining?: number;
}

/** The objects that a list or deletecollection asks for: one page of a snapshot. */
export async function selectObjects(context: ApiContext, resource: ServedResource, request: ApiRequest): Promise<Selected> {
  const { query, namespace } = request;
  checkListOptions(query);
  const selection = selectionOf(resource, query);
  const limit = query['limit'] ? Number(query['limit']) : 0;
  const prefix = namespace && resource.namespaced ? `${resource.prefix}${namespace}/` : resource.prefix;
  const from = query['continue'] ? readToken(query['continue'], query) : undefined;
  if (!from) checkResourceVersion(context, resource, query);
  const exact =
    query['resourceVersionMatch'] === 'Exact' || (limit > 0 && !query['resourceVersionMatch'] && query['resourceVersion'] && query['resourceVersion'] !== '0')
      ? Number(query['resourceVersion'])
      : undefined;
  const revision = from ? (from.revision === -1 ? undefined : from.revision) : exact;
  const wanted = limit > 0 && selection.all ? limit : undefined;
  let page: Awaited<ReturnType<typeof context.store.list>>;
  try {
    page = await context.store.list(prefix, { ...(revision !== undefined ? { revision } : {}), ...(from ? { startAfter: prefix + from.after } : {}) });
  } catch (error) {
    if (!(error instanceof CompactedError)) throw error;
    throw from
      ? expired(
          'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
          { continue: writeToken({ revision: -1, after: from.after }) },
        )
      : expired(`The resourceVersion for the provided list is too old.`);
  }
  const objects: KubeObject[] = [];
  let last = '';
  let index = 0;
  for (const item of page.items) {
    if (limit > 0 && objects.length === limit) break;
    index++;
    last = item.key;
    if (selection.name !== undefined && !item.key.endsWith(`/${selection.name}`)) continue;
    const object = context.freeze(toServed(resource, context.codec.object(item)));
    if (selection.all || selection.matches(object)) objects.push(object);
  }
  const remaining = page.items.length - index;
  if (remaining === 0) return { objects, revision: page.revision };
  return {
    objects,
    revision: page.revision,
    next: writeToken({ revision: page.revision, after: last.slice(prefix.length) }),
    ...(wanted ? { remaining } : {}),
  };
}

function checkListOptions(query: Query): void {
  const { resourceVersion, resourceVersionMatch: match, limit } = query;
  const errors = [];
  if (query['continue'] && match) errors.push(forbiddenField('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided'));
  else if (match && !resourceVersion)
    errors.push(forbiddenField('resourceVersionMatch', 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
  if (match && match !== 'Exact' && match !== 'NotOlderThan') errors.push(notSupported('resourceVersionMatch', match, ['Exact', 'NotOlderThan', '']));
  if (match === 'Exact' && resourceVersion === '0')
    errors.push(forbiddenField('resourceVersionMatch', 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  if (query['sendInitialEvents'] !== undefined) errors.push(forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  if (errors.length) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors);
  if (limit !== undefined && !/^-?\d+$/.test(limit)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(limit)}: invalid syntax`);
}

/** A version from the future is one that this server has not seen yet; upstream waits, then says so. */
export function checkResourceVersion(context: ApiContext, { facts }: ServedResource, { resourceVersion }: Query): number {
  if (!resourceVersion || resourceVersion === '0') return 0;
  if (!/^\d+$/.test(resourceVersion))
    throw invalid({ group: facts.group, kind: facts.resource }, '', [
      invalidField('resourceVersion', resourceVersion, `strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`),
    ]);
  const revision = Number(resourceVersion);
  if (revision <= context.store.revision) return revision;
  throw new StatusError(504, 'Timeout', `Timeout: Too large resource version: ${revision}, current: ${context.store.revision}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}

interface Token {
  /** -1: whatever is current. */
  revision: number;
  /** The last key of the page before, without the prefix of the list. */
  after: string;
}

/** The same fields as upstream's tokens (apiserver/pkg/storage.EncodeContinue). */
function writeToken({ revision, after }: Token): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start: `${after}\u0000` })).toString('base64url');
}

function readToken(text: string, query: Query): Token {
  if (query['resourceVersion'] && query['resourceVersion'] !== '0') throw badRequest('specifying resource version is not allowed when using continue');
  try {
    const token = JSON.parse(Buffer.from(text, 'base64url').toString()) as { v?: string; rv?: number; start?: string };
    if (token.v !== 'meta.k8s.io/v1' || typeof token.rv !== 'number' || !token.start) throw new Error('incomplete');
    if (token.start.split('/').includes('..')) throw new Error('unsafe');
    return { revision: token.rv, after: token.start.replace(/\u0000$/, '') };
  } catch {
    throw badRequest('continue key is not valid: the token was not issued by this server');
  }
}
