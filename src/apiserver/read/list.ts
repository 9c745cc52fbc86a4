import type { KubeList, KubeObject } from '../../api/object.ts';
import type { ApiRequest, ApiResponse } from '../../api/request.ts';
import { badRequest, expired } from '../../api/status.ts';
import { CompactedError } from '../../store/store.ts';
import type { ServedResource } from '../served-resource.ts';
import type { ObjectPage } from '../storage/storage.ts';
import { type ContinueToken, readToken, writeToken } from './continue-token.ts';
import { type ListOptions, listOptions } from './list-options.ts';
import { readResourceVersion, untilRevision } from './resource-version.ts';
import { selectionOf } from './selection.ts';
import type { WatchSource } from './watch.ts';

export async function list(source: WatchSource, resource: ServedResource, request: ApiRequest): Promise<ApiResponse> {
  const { objects, revision, next, remaining } = await selectObjects(source, resource, request);
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
export async function selectObjects(source: WatchSource, resource: ServedResource, { query, namespace = '' }: ApiRequest): Promise<Selected> {
  const options = listOptions(query);
  const selection = selectionOf(resource, options);
  const limit = limitOf(options);
  const page = await snapshotOf(source, resource, namespace, options);
  const objects: KubeObject[] = [];
  let seen = 0;
  for (const item of page.items) {
    if (limit > 0 && objects.length === limit) break;
    seen++;
    if (selection.name !== undefined && item.relativeKey !== selection.name && !item.relativeKey.endsWith(`/${selection.name}`)) continue;
    const object = source.storage.open(resource, item);
    if (selection.all || selection.matches(object)) objects.push(object);
  }
  const remaining = page.items.length - seen;
  if (remaining === 0) return { objects, revision: page.revision };
  const next = writeToken({ revision: page.revision, after: page.items[seen - 1]!.relativeKey });
  // What a selector would leave out of the rest is not known.
  return { objects, revision: page.revision, next, ...(selection.all ? { remaining } : {}) };
}

/** How many items a page has at the most; 0: all. A list at any version comes from a cache, which knows no pages (apiserver: cacher). */
function limitOf({ limit = 0, resourceVersion, continue: token }: ListOptions): number {
  return resourceVersion === '0' && !token ? 0 : limit;
}

async function snapshotOf({ storage, clock }: WatchSource, resource: ServedResource, namespace: string, options: ListOptions): Promise<ObjectPage> {
  const from = options.continue ? readToken(options.continue) : undefined;
  if (from && options.resourceVersion && options.resourceVersion !== '0') throw badRequest('specifying resource version is not allowed when using continue');
  const wanted = from ? 0 : readResourceVersion(options.resourceVersion, { of: 'list' });
  await untilRevision(storage, wanted, clock);
  const revision = from ? (from.revision < 0 ? undefined : from.revision) : exactRevision(options, wanted);
  try {
    return await storage.page(resource, namespace, { ...(revision === undefined ? {} : { revision }), ...(from ? { after: from.after } : {}) });
  } catch (error) {
    throw error instanceof CompactedError ? tooOld(from) : error;
  }
}

/** The very revision that a list must show; undefined: the current one will do. */
function exactRevision({ resourceVersionMatch: match, limit = 0 }: ListOptions, wanted: number): number | undefined {
  return wanted > 0 && (match === 'Exact' || (limit > 0 && !match)) ? wanted : undefined;
}

function tooOld(from: ContinueToken | undefined): Error {
  if (!from) return expired('The resourceVersion for the provided list is too old.');
  return expired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
    { continue: writeToken({ revision: -1, after: from.after }) },
  );
}
