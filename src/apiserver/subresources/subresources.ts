import type { ApiRequest, ApiResponse } from '../../api/request.ts';
import type { ApiContext } from '../context.ts';
import type { ServedResource } from '../registry.ts';
import { get } from '../verbs/list.ts';
import { patch } from '../verbs/patch.ts';
import { update } from '../verbs/update.ts';
import { bind } from './binding.ts';
import { evict } from './eviction.ts';
import { finalize } from './finalize.ts';
import { log } from './pod-connection.ts';
import { scale } from './scale.ts';

export type Subresource = (context: ApiContext, resource: ServedResource, request: ApiRequest) => Promise<ApiResponse>;

/** Read, replaced and patched like the object itself; the update rules see the subresource's name. */
const partOfTheObject: Subresource = (context, resource, request) =>
  request.verb === 'get' ? get(context, resource, request) : request.verb === 'patch' ? patch(context, resource, request) : update(context, resource, request);

/** By name; a subresource of one resource alone under `resource/name`. */
const SUBRESOURCES: Record<string, Subresource> = {
  status: partOfTheObject,
  scale,
  approval: partOfTheObject,
  'pods/resize': partOfTheObject,
  'pods/ephemeralcontainers': partOfTheObject,
  'pods/binding': bind,
  'pods/eviction': evict,
  'pods/log': log,
  'namespaces/finalize': finalize,
};

export function findSubresource(resource: ServedResource, name: string): Subresource | undefined {
  return SUBRESOURCES[`${resource.facts.resource}/${name}`] ?? SUBRESOURCES[name];
}
