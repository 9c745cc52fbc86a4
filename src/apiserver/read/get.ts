import type { ApiRequest, ApiResponse } from '../../api/request.ts';
import { notFound } from '../../api/status.ts';
import type { ServedResource } from '../served-resource.ts';
import type { Storage } from '../storage/storage.ts';
import { checkResourceVersion } from './resource-version.ts';

export async function get(storage: Storage, resource: ServedResource, request: ApiRequest): Promise<ApiResponse> {
  const { namespace = '', name = '' } = request;
  checkResourceVersion(resource, request.query, storage.revision);
  const current = await storage.get(resource, { namespace, name });
  if (!current) throw notFound(resource.facts, name);
  return { code: 200, object: current.object };
}
