import type { KubeObject } from '../../api/object.ts';
import type { ApiRequest, ApiResponse } from '../../api/request.ts';
import { badRequest, type StatusError } from '../../api/status.ts';
import { timestamp } from '../../lib/clock.ts';
import { type Apply, applyTo, applyToNothing, cannotConvert, checkConfiguration } from '../apply/apply.ts';
import { type DecodedBody, type ParsedBody, targetOf } from '../decode/body.ts';
import type { Repeats } from '../decode/strict.ts';
import type { ServedResource } from '../served-resource.ts';
import { writeOptions } from '../write/options.ts';
import { targetOfRequest } from '../write/write.ts';
import { mayCreate } from './may-create.ts';
import type { HandlerParts } from './parts.ts';
import { checkPlace } from './place.ts';

/** Server-side apply of a configuration: creates the object, or merges into it what the manager says it shall be. */
export async function apply(
  { storage, writes, bodies, clock, authorizer }: HandlerParts,
  resource: ServedResource,
  request: ApiRequest,
  { value, repeats }: ParsedBody,
): Promise<ApiResponse> {
  const options = writeOptions('PatchOptions', request);
  const target = { ...targetOfRequest(resource, request), options };
  const repeated = options.fieldValidation === 'Ignore' ? [] : repeatedLines(repeats());
  if (repeated.length && options.fieldValidation === 'Strict') throw badRequest(refusalOf(repeated));
  const config = checkConfiguration(resource, value);
  const { fieldManager, force } = options;
  const by: Apply = { resource, subresource: target.subresource, config, fieldManager, force, now: timestamp(clock.now()) };
  const refuse = (why: string): StatusError => cannotConvert(config, why);
  const decoded = (value: KubeObject): DecodedBody => {
    const body = bodies.decodeValue(value, targetOf(resource), { fieldValidation: 'Ignore', form: 'map', refuse });
    checkPlace(resource, target, body.object);
    return { ...body, warnings: [...repeated, ...body.warnings] };
  };
  if (!target.subresource && !(await storage.get(resource, target))) {
    await mayCreate(authorizer, request);
    const body = decoded(config);
    const managedFields = applyToNothing(by, target.name);
    const { object, warnings } = await writes.create(target, { ...body, managedFields });
    return { code: 201, object, warnings };
  }
  const { object, warnings } = await writes.update(target, (live) => {
    const { object, managedFields } = applyTo(live, by);
    // A copy in any case: defaulting fills in what it is handed.
    return { ...decoded(object ?? live), managedFields };
  });
  return { code: 200, object, warnings };
}

const repeatedLines = (repeats: Repeats): readonly string[] => (repeats.type === 'yaml' ? repeats.lines : []);

/** Upstream: apiserver/pkg/endpoints/handlers/patch.go, applyPatcher. */
const refusalOf = (lines: readonly string[]): string =>
  `error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n${lines.map((line) => `  ${line}`).join('\n')}`;
