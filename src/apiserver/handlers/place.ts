import type { KubeObject } from '../../api/object.ts';
import { badRequest } from '../../api/status.ts';
import type { ServedResource } from '../served-resource.ts';

/**
 * Holds an object's name and namespace against those of the request; a namespace that is left out is the request's.
 *
 * @throws StatusError BadRequest
 */
export function checkPlace(
  { namespaced }: Pick<ServedResource, 'namespaced'>,
  { namespace, name }: { namespace: string; name: string },
  { metadata }: KubeObject,
): void {
  if (!namespaced) delete metadata.namespace;
  else if (!metadata.namespace) metadata.namespace = namespace;
  else if (metadata.namespace !== namespace) throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  if (!metadata.name) throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (metadata.name !== name) throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
}
