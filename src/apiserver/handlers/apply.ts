import type { ApiRequest, ApiResponse } from '../../api/request.ts';
import { timestamp } from '../../lib/clock.ts';
import { type Apply, applyTo, applyToNothing, checkConfiguration } from '../apply/apply.ts';
import { targetOf } from '../decode/body.ts';
import type { ServedResource } from '../served-resource.ts';
import { writeOptions } from '../write/options.ts';
import { targetOfRequest } from '../write/write.ts';
import type { HandlerParts } from './parts.ts';

/** Server-side apply of a configuration: creates the object, or merges into it what the manager says it shall be. */
export async function apply(
  { storage, writes, bodies, clock }: HandlerParts,
  resource: ServedResource,
  request: ApiRequest,
  configuration: unknown,
): Promise<ApiResponse> {
  const options = writeOptions('PatchOptions', request);
  const target = { ...targetOfRequest(resource, request), options };
  const config = checkConfiguration(resource, target, configuration);
  const { fieldManager, force } = options;
  const by: Apply = { resource, subresource: target.subresource, config, fieldManager, force, now: timestamp(clock.now()) };
  const decoded = (value: unknown): ReturnType<typeof bodies.decodeValue> => bodies.decodeValue(value, targetOf(resource), { fieldValidation: 'Ignore' });
  if (!target.subresource && !(await storage.get(resource, target))) {
    const managedFields = applyToNothing(by);
    const { object, warnings } = await writes.create(target, { ...decoded(config), managedFields });
    return { code: 201, object, warnings };
  }
  const { object, warnings } = await writes.update(target, (live) => {
    const { object, managedFields } = applyTo(live, by);
    // A copy in any case: defaulting fills in what it is handed.
    return { ...decoded(object ?? live), managedFields };
  });
  return { code: 200, object, warnings };
}
