import { invalid as invalidField } from '../../api/field-error.ts';
import { goText } from '../../api/go-text.ts';
import type { KubeObject } from '../../api/object.ts';
import type { ApiRequest } from '../../api/request.ts';
import { badRequest, invalid, StatusError, tooLarge, unsupportedMediaType } from '../../api/status.ts';
import { stringifyExact } from '../../lib/exact-json.ts';
import { type BodyDecoder, type DecodedBody, type DecodeTarget, type FieldValidation, mediaType, type ParsedBody, TYPE_META } from '../decode/body.ts';
import { goKind } from '../decode/go-json.ts';
import { decodeUtf8, keysIfRepeated, parseJson } from '../decode/json.ts';
import { NO_REPEATS, strictFaults } from '../decode/strict.ts';
import { decodeStructural } from '../decode/structural.ts';
import { parseYaml } from '../decode/yaml.ts';
import { applyJsonPatch, unknownMembers } from '../patches/json-patch.ts';
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
export type Patch = { type: 'apply'; configuration: ParsedBody } | { type: 'patch'; apply(current: KubeObject, context: PatchContext): DecodedBody };

/** A strategic merge patch goes by keys and strategies that only the types of Go have. */
const CUSTOM_PATCH_TYPES = ['application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml'];

/** @throws StatusError for a body or content type that is no patch of such a target. */
export function patchOf(request: ApiRequest, { decode }: DecodeTarget): Patch {
  switch (mediaType(request.contentType)) {
    case 'application/apply-patch+yaml':
      return { type: 'apply', configuration: parseConfiguration(request) };
    case 'application/json-patch+json':
      return jsonPatch(request);
    case 'application/merge-patch+json':
      return mergePatch(request);
    case 'application/strategic-merge-patch+json':
      if (decode === decodeStructural) throw unsupportedMediaType(CUSTOM_PATCH_TYPES);
      return strategicPatch(request);
    default:
      throw new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  }
}

/** The faults that a strict reader finds in the patch itself; who does not ask for them gets another reader, and other words (jsonPatcher.applyJSPatch). */
function jsonPatch(request: ApiRequest): Patch {
  return {
    type: 'patch',
    apply(current, context) {
      const isStrict = context.fieldValidation !== 'Ignore';
      const { value, repeats } = parsePatch(request, isStrict ? (why) => badRequest(`error decoding patch: ${why}`) : badRequest);
      const faults = isStrict ? strictFaults(repeats(), unknownMembers(value)).warnings.map((fault) => `json patch ${fault}`) : [];
      return outcome(applyJsonPatch(current, value), current, context, faults);
    },
  };
}

function mergePatch(request: ApiRequest): Patch {
  return {
    type: 'patch',
    apply(current, context) {
      const isStrict = context.fieldValidation !== 'Ignore';
      const noPatch = (): StatusError => badRequest('Invalid JSON Patch');
      const { value, repeats } = parsePatch(request, isStrict ? (why) => badRequest(`error decoding patch: ${why}`) : noPatch);
      if (value === null) throw noPatch();
      if (typeof value !== 'object' || (isStrict && Array.isArray(value))) throw isStrict ? badRequest(`error decoding patch: ${notAMap(value)}`) : noPatch();
      const faults = isStrict ? strictFaults(repeats(), []).warnings : [];
      return outcome(applyMergePatch(current, value), current, context, faults);
    },
  };
}

/** What a patch leads to does not fit the type; the outcome is shown, as text (jsonPatcher.applyPatchToCurrentObject). */
function outcome(patched: unknown, current: KubeObject, { bodies, target, namespaced, fieldValidation }: PatchContext, faults: readonly string[]): DecodedBody {
  const refuse = (why: string): StatusError => doesNotFit(stringifyExact(patched), why);
  if (Array.isArray(patched)) throw refuse(`couldn't get version/kind; json parse error: json: cannot unmarshal array into ${TYPE_META}`);
  return inPlace(bodies.decodeValue(patched, target, { fieldValidation, refuse, faults }), current, namespaced);
}

const notAMap = (value: unknown): string => `json: cannot unmarshal ${goKind(value)} into Go value of type map[string]interface {}`;

/** The patch is shown, and the outcome is read as a map (apiserver/pkg/endpoints/handlers/patch.go: applyPatchToObject). */
function strategicPatch(request: ApiRequest): Patch {
  return {
    type: 'patch',
    apply(current, { bodies, target, namespaced, fieldValidation }) {
      const { value, repeats } = parsePatch(request, badRequest);
      const body = value === null ? {} : value;
      if (typeof body !== 'object' || Array.isArray(body)) throw badRequest(notAMap(body));
      const patched = applyStrategicMergePatch(target.type, current, body);
      const refuse = (why: string): StatusError => doesNotFit(goText(body), why);
      const faults = fieldValidation === 'Ignore' ? [] : strictFaults(repeats(), []).warnings;
      return inPlace(bodies.decodeValue(patched, target, { fieldValidation, form: 'map', refuse, faults }), current, namespaced);
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

function parsePatch({ body }: ApiRequest, refuse: (why: string) => StatusError): ParsedBody {
  if (!(body instanceof Uint8Array)) return { value: body, repeats: () => NO_REPEATS };
  const text = textOf(body);
  try {
    const value = parseJson(text);
    return { value, repeats: () => ({ type: 'json', keys: keysIfRepeated(text, value) }) };
  } catch (error) {
    throw error instanceof StatusError && error.reason === 'BadRequest' ? refuse(error.message) : error;
  }
}

/** A configuration is YAML, and so what it says twice is told by its lines, even where it is JSON. */
function parseConfiguration({ body }: ApiRequest): ParsedBody {
  if (!(body instanceof Uint8Array)) return { value: body, repeats: () => NO_REPEATS };
  const text = textOf(body);
  if (!/^\s*\{/.test(text)) {
    const { value, repeats } = parseYaml(text);
    return { value, repeats: () => repeats };
  }
  const value = parseJson(text);
  return { value, repeats: () => (keysIfRepeated(text, value).length ? parseYaml(text).repeats : NO_REPEATS) };
}

function textOf(body: Uint8Array): string {
  if (body.length > MAX_PATCH_BYTES) throw tooLarge(`Request entity too large: limit is ${MAX_PATCH_BYTES}`);
  return decodeUtf8(body);
}
