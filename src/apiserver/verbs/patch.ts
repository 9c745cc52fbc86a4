import { invalid as invalidField } from '../../api/field-error.ts';
import type { KubeObject } from '../../api/object.ts';
import type { ApiRequest, ApiResponse } from '../../api/request.ts';
import { badRequest, invalid, StatusError, tooLarge } from '../../api/status.ts';
import { applyConfiguration } from '../apply/apply.ts';
import type { ApiContext } from '../context.ts';
import { decodeUtf8, parseJson } from '../json.ts';
import { decodeValue, mediaType, type WriteOptions, writeOptions } from '../operation.ts';
import { applyJsonPatch } from '../patches/json-patch.ts';
import { applyMergePatch } from '../patches/merge-patch.ts';
import { applyStrategicMergePatch } from '../patches/strategic-merge-patch.ts';
import type { ServedResource } from '../registry.ts';
import { parseYaml } from '../yaml.ts';
import { modify } from './update.ts';

const APPLY = 'application/apply-patch+yaml';
const STRATEGIC = 'application/strategic-merge-patch+json';

export async function patch(context: ApiContext, resource: ServedResource, request: ApiRequest): Promise<ApiResponse> {
  if (mediaType(request.contentType) === APPLY) return applyConfiguration(context, resource, request, parsePatch(request, { yaml: true }));
  const { options, change, warnings } = patchChange(resource, { ...resource, kind: resource.facts.kind }, request);
  return { code: 200, object: await modify(context, resource, request, options, warnings, change), warnings };
}

/** Turns a patch request into a change of an object of the target type, e.g. a Deployment or its Scale. */
export function patchChange(
  resource: ServedResource,
  target: { schemaId: string; kind: string; apiVersion: string },
  request: ApiRequest,
): { options: WriteOptions; change: (current: KubeObject) => KubeObject; warnings: string[] } {
  const apply = patcher(request, target.schemaId);
  const options = writeOptions('PatchOptions', request);
  const body = parsePatch(request, { yaml: false });
  const isStrategic = mediaType(request.contentType) === STRATEGIC;
  const warnings: string[] = [];
  const change = (current: KubeObject): KubeObject => {
    const patched = apply(current, body);
    warnings.length = 0;
    const object = decodeValue(patched, target, options.fieldValidation, warnings, isStrategic ? { refuse: (why) => doesNotFit(body, why) } : {});
    const given = object.metadata;
    if (given.name !== current.metadata.name)
      throw badRequest(`the name of the object (${given.name}) does not match the name on the URL (${current.metadata.name})`);
    if (resource.namespaced && given.namespace !== current.metadata.namespace)
      throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
    return object;
  };
  return { options, change, warnings };
}

/** What a strategic merge patch leads to does not fit the type (apiserver/pkg/endpoints/handlers/patch.go: applyPatchToObject). */
function doesNotFit(body: unknown, why: string): StatusError {
  return invalid({ group: '', kind: '' }, '', [invalidField('patch', goValue(body), why)]);
}

/** A parsed JSON value as Go's `%+v` prints it. */
function goValue(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goValue).join(' ')}]`;
  if (typeof value !== 'object') return String(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${entries.map(([key, part]) => `${key}:${goValue(part)}`).join(' ')}]`;
}

function patcher(request: ApiRequest, schemaId: string): (document: unknown, body: unknown) => unknown {
  switch (mediaType(request.contentType)) {
    case 'application/json-patch+json':
      return applyJsonPatch;
    case 'application/merge-patch+json':
      return applyMergePatch;
    case STRATEGIC:
      return (document, body) => applyStrategicMergePatch(schemaId, document, body);
    default:
      throw new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  }
}

function parsePatch(request: ApiRequest, { yaml }: { yaml: boolean }): unknown {
  if (!(request.body instanceof Uint8Array)) return request.body;
  if (request.body.length > 3 * 1024 * 1024) throw tooLarge('Request entity too large: limit is 3145728');
  const text = decodeUtf8(request.body);
  if (yaml && !/^\s*\{/.test(text)) return parseYaml(text).value;
  return parseJson(text);
}
