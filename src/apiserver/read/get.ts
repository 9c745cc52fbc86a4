import type { ApiRequest, ApiResponse } from '../../api/request.ts';
import { notFound } from '../../api/status.ts';
import type { ServedResource } from '../served-resource.ts';
import { readResourceVersion, untilRevision } from './resource-version.ts';
import type { WatchSource } from './watch.ts';

export async function get({ storage, clock }: WatchSource, resource: ServedResource, request: ApiRequest): Promise<ApiResponse> {
  const { namespace = '', name = '' } = request;
  await untilRevision(storage, readResourceVersion(request.query['resourceVersion'], { of: 'get' }), clock);
  const current = await storage.get(resource, { namespace, name });
  if (!current) throw notFound(resource.facts, name);
  return { code: 200, object: current.object };
}
