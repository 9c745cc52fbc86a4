import { invalid as invalidField } from '../../api/field-error.ts';
import { goText } from '../../api/go-text.ts';
import type { KubeObject } from '../../api/object.ts';
import type { ApiRequest } from '../../api/request.ts';
import { invalid, StatusError, tooLarge } from '../../api/status.ts';
import { stringifyExact } from '../../lib/exact-json.ts';
import { type BodyDecoder, type DecodedBody, type DecodeTarget, type FieldValidation, mediaType } from '../decode/body.ts';
import { decodeUtf8, parseJson } from '../decode/json.ts';
import { parseYaml } from '../decode/yaml.ts';
import { applyJsonPatch } from '../patches/json-patch.ts';
import { applyMergePatch } from '../patches/merge-patch.ts';
import { applyStrategicMergePatch } from '../patches/strategic-merge-patch.ts';
import { checkPlace } from './place.ts';

const MAX_PATCH_BYTES = 3 * 1024 * 1024;

interface PatchContext {
  bodies: BodyDecoder;
  /** What the patched object is: a resource's kind, or another such as a Scale. */
  target: DecodeTarget;
  namespaced: boolean;
  fieldValidation: FieldValidation;
}

/** A patch as a request holds it: one to be applied to the object that stands there, or a configuration for server-side apply. */
export type Patch = { type: 'apply'; configuration: unknown } | { type: 'patch'; apply(current: KubeObject, context: PatchContext): DecodedBody };

/** @throws StatusError for a body or content type that is no patch. */
export function patchOf(request: ApiRequest): Patch {
  switch (mediaType(request.contentType)) {
    case 'application/apply-patch+yaml':
      return { type: 'apply', configuration: parsePatch(request, { yaml: true }) };
    case 'application/json-patch+json':
      return patchWith(request, (_target, document, body) => applyJsonPatch(document, body));
    case 'application/merge-patch+json':
      return patchWith(request, (_target, document, body) => applyMergePatch(document, body));
    case 'application/strategic-merge-patch+json':
      return strategicPatch(request);
    default:
      throw new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  }
}

/** What a patch leads to does not fit the type; the outcome is shown, as text (jsonPatcher.applyPatchToCurrentObject). */
function patchWith(request: ApiRequest, merge: (target: DecodeTarget, document: unknown, body: unknown) => unknown): Patch {
  const body = parsePatch(request, { yaml: false });
  return {
    type: 'patch',
    apply(current, { bodies, target, namespaced, fieldValidation }) {
      const patched = merge(target, current, body);
      const refuse = (why: string): StatusError => doesNotFit(stringifyExact(patched), why);
      return inPlace(bodies.decodeValue(patched, target, { fieldValidation, refuse }), current, namespaced);
    },
  };
}

/** The patch is shown, and the outcome is read as a map (apiserver/pkg/endpoints/handlers/patch.go: applyPatchToObject). */
function strategicPatch(request: ApiRequest): Patch {
  const body = parsePatch(request, { yaml: false });
  return {
    type: 'patch',
    apply(current, { bodies, target, namespaced, fieldValidation }) {
      const patched = applyStrategicMergePatch(target.type, current, body);
      const refuse = (why: string): StatusError => doesNotFit(goText(body), why);
      return inPlace(bodies.decodeValue(patched, target, { fieldValidation, form: 'map', refuse }), current, namespaced);
    },
  };
}

function inPlace(body: DecodedBody, { metadata: { name = '', namespace = '' } }: KubeObject, namespaced: boolean): DecodedBody {
  checkPlace({ namespaced }, { name, namespace }, body.object);
  return body;
}

function doesNotFit(shown: string, why: string): StatusError {
  return invalid({ group: '', kind: '' }, '', [invalidField('patch', shown, why)]);
}

function parsePatch(request: ApiRequest, { yaml }: { yaml: boolean }): unknown {
  if (!(request.body instanceof Uint8Array)) return request.body;
  if (request.body.length > MAX_PATCH_BYTES) throw tooLarge(`Request entity too large: limit is ${MAX_PATCH_BYTES}`);
  const text = decodeUtf8(request.body);
  if (yaml && !/^\s*\{/.test(text)) return parseYaml(text).value;
  return parseJson(text);
}
