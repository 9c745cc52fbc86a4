import { forbidden as forbiddenField, notSupported } from '../../api/field-error.ts';
import type { KubeList, KubeObject } from '../../api/object.ts';
import type { ApiRequest, ApiResponse, Query } from '../../api/request.ts';
import { badRequest, expired, invalid } from '../../api/status.ts';
import { CompactedError } from '../../store/store.ts';
import type { ServedResource } from '../served-resource.ts';
import type { ObjectPage, Storage } from '../storage/storage.ts';
import { type ContinueToken, readToken, writeToken } from './continue-token.ts';
import { checkResourceVersion } from './resource-version.ts';
import { selectionOf } from './selection.ts';

export async function list(storage: Storage, resource: ServedResource, request: ApiRequest): Promise<ApiResponse> {
  const { objects, revision, next, remaining } = await selectObjects(storage, resource, request);
  const metadata: KubeList['metadata'] = {
    resourceVersion: String(revision),
    ...(next ? { continue: next } : {}),
    ...(next && remaining !== undefined ? { remainingItemCount: remaining } : {}),
  };
  return { code: 200, object: { kind: `${resource.facts.kind}List`, apiVersion: resource.apiVersion, metadata, items: objects } };
}

interface Selected {
  objects: KubeObject[];
  revision: number;
  /** The token of the next page. */
  next?: string;
  remaining?: number;
}

/** The objects that a list or deletecollection asks for: one page of a snapshot. */
export async function selectObjects(storage: Storage, resource: ServedResource, request: ApiRequest): Promise<Selected> {
  const { query } = request;
  checkListOptions(query);
  const selection = selectionOf(resource, query);
  const limit = query['limit'] ? Number(query['limit']) : 0;
  const page = await snapshotOf(storage, resource, request, limit);
  const objects: KubeObject[] = [];
  let seen = 0;
  for (const item of page.items) {
    if (limit > 0 && objects.length === limit) break;
    seen++;
    if (selection.name !== undefined && item.relativeKey !== selection.name && !item.relativeKey.endsWith(`/${selection.name}`)) continue;
    const object = storage.open(resource, item);
    if (selection.all || selection.matches(object)) objects.push(object);
  }
  const remaining = page.items.length - seen;
  if (remaining === 0) return { objects, revision: page.revision };
  const next = writeToken({ revision: page.revision, after: page.items[seen - 1]!.relativeKey });
  // What a selector would leave out of the rest is not known.
  return { objects, revision: page.revision, next, ...(selection.all ? { remaining } : {}) };
}

async function snapshotOf(storage: Storage, resource: ServedResource, { query, namespace = '' }: ApiRequest, limit: number): Promise<ObjectPage> {
  const from = query['continue'] ? readToken(query['continue'], query) : undefined;
  if (!from) checkResourceVersion(resource, query, storage.revision);
  const revision = from ? (from.revision === -1 ? undefined : from.revision) : exactRevision(query, limit);
  try {
    return await storage.page(resource, namespace, { ...(revision === undefined ? {} : { revision }), ...(from ? { after: from.after } : {}) });
  } catch (error) {
    throw error instanceof CompactedError ? tooOld(from) : error;
  }
}

/** The very revision that a list must show; undefined: the current one will do. */
function exactRevision(query: Query, limit: number): number | undefined {
  const { resourceVersion, resourceVersionMatch: match } = query;
  const isExact = match === 'Exact' || (limit > 0 && !match && resourceVersion && resourceVersion !== '0');
  return isExact ? Number(resourceVersion) : undefined;
}

function tooOld(from: ContinueToken | undefined): Error {
  if (!from) return expired('The resourceVersion for the provided list is too old.');
  return expired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
    { continue: writeToken({ revision: -1, after: from.after }) },
  );
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
