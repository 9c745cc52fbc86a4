import { invalid as invalidField } from '../../api/field-error.ts';
import type { KubeObject } from '../../api/object.ts';
import type { ApiRequest } from '../../api/request.ts';
import { badRequest, invalid, StatusError, unsupportedMediaType } from '../../api/status.ts';
import type { Struct } from '../../api/type.ts';
import { assert } from '../../lib/assert.ts';
import type { Registry } from '../registry.ts';
import type { ServedResource } from '../served-resource.ts';
import { type Decode, DecodeError } from './decode.ts';
import { decodeGo } from './go.ts';
import { decodeUtf8, keysIfRepeated, parseJson } from './json.ts';
import { NO_REPEATS, type Repeats, strictFaults } from './strict.ts';
import { decodeStructural } from './structural.ts';
import { parseYaml } from './yaml.ts';

export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

/** `application/json; charset=utf-8` → `application/json`. */
export function mediaType(contentType: string | undefined): string {
  return (contentType || 'application/json').split(';')[0]!.trim().toLowerCase();
}

/** How Go shows the type that a body's kind and version are read into. */
export const TYPE_META = 'Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

type Json = Record<string, unknown>;

const BODY_TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

export interface ParsedBody {
  value: unknown;
  /** Worked out when somebody asks. */
  repeats: () => Repeats;
}

/**
 * The parsed body of a request. A body that is an object came from this process and is taken as it is.
 *
 * @returns also what it says twice.
 */
export function parseBody(request: ApiRequest): ParsedBody {
  const { body } = request;
  if (!(body instanceof Uint8Array)) return { value: body, repeats: () => NO_REPEATS };
  const type = mediaType(request.contentType);
  const text = decodeUtf8(body);
  if (type === 'application/json' || type === '') {
    const value = parseJson(text);
    return { value, repeats: () => ({ type: 'json', keys: keysIfRepeated(text, value) }) };
  }
  if (type === 'application/yaml') {
    const { value, repeats } = parseYaml(text);
    return { value, repeats: () => repeats };
  }
  throw unsupportedMediaType(BODY_TYPES);
}

/** What a body that is no object at all is answered with (apiserver: transformDecodeError). */
function recognize(request: ApiRequest, { kind, decode }: DecodeTarget): ParsedBody {
  const unrecognized = (why: string): Error =>
    badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${summary(request.body as Uint8Array)})`);
  const noJson = (why: string): Error => unrecognized(`couldn't get version/kind; json parse error: ${why}`);
  let parsed: ParsedBody;
  try {
    parsed = parseBody(request);
  } catch (error) {
    const isJson = mediaType(request.contentType) === 'application/json';
    throw isJson && error instanceof StatusError && error.reason === 'BadRequest' ? noJson(error.message) : error;
  }
  const { value } = parsed;
  if (request.body instanceof Uint8Array && (typeof value !== 'object' || value === null || Array.isArray(value))) {
    if (value === null) return { ...parsed, value: {} };
    const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
    throw noJson(`json: cannot unmarshal ${type} into ${TYPE_META}`);
  }
  if (decode === decodeStructural && request.body instanceof Uint8Array) {
    // No other type can be meant by a body of a built-in kind; one of a custom kind has to say.
    const missing = missingType(value as Json);
    if (missing) throw unrecognized(`Object '${missing}' is missing in '${decodeUtf8(request.body)}'`);
  }
  return parsed;
}

function missingType({ kind, apiVersion }: Json): string | undefined {
  if (!kind) return 'Kind';
  return apiVersion ? undefined : 'apiVersion';
}

/** The beginning of a body, as messages show it. */
function summary(body: Uint8Array, length = 30): string {
  if (body.length === 0) return '<empty>';
  const text = Buffer.from(body.subarray(0, length));
  return (body[0] === 0x7b ? text.toString() : text.toString('hex')) + (body.length > length ? ' ...' : '');
}

export interface DecodeOptions {
  fieldValidation: FieldValidation;
  /** What the text says twice. */
  repeats?: () => Repeats;
  /** Faults for a strict reader that were found before. */
  faults?: readonly string[];
  /** The error for a value that does not fit its type; without it, that of a body that cannot be decoded. */
  refuse?: (why: string) => Error;
  /** `map`: the value was made by a patch, and is read by other rules than a text. */
  form?: 'json' | 'map';
}

/** What a value is to be read as: a resource's kind, or another such as a Scale. */
export interface DecodeTarget {
  type: Struct;
  decode: Decode;
  kind: string;
  apiVersion: string;
}

export function targetOf({ type, decode, facts, apiVersion }: ServedResource): DecodeTarget {
  return { type, decode, kind: facts.kind, apiVersion };
}

/** An object, free of unknown fields, with what the client shall be warned of. */
export interface DecodedBody {
  object: KubeObject;
  warnings: string[];
}

/** Makes objects of what clients send. */
export class BodyDecoder {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** The object in a request's body. Unknown and duplicate fields become errors or warnings, as the client asked. @throws StatusError */
  decode(request: ApiRequest, target: DecodeTarget, fieldValidation: FieldValidation): DecodedBody {
    const { value, repeats } = recognize(request, target);
    return this.decodeValue(value, target, { fieldValidation, repeats });
  }

  /** The target of a kind that is no resource of its own, e.g. `autoscaling/v1` `Scale`. */
  targetOfKind(apiVersion: string, kind: string): DecodeTarget {
    const type = this.#registry.typeOf(apiVersion, kind);
    assert(type, `${apiVersion} ${kind} has no type`);
    return { type, decode: decodeGo, kind, apiVersion };
  }

  decodeValue(
    value: unknown,
    target: DecodeTarget,
    { fieldValidation, repeats = () => NO_REPEATS, faults, refuse, form = 'json' }: DecodeOptions,
  ): DecodedBody {
    const version = target.apiVersion.slice(target.apiVersion.indexOf('/') + 1);
    const cannot = (why: string): Error =>
      refuse?.(why) ?? badRequest(`${target.kind} in version ${JSON.stringify(version)} cannot be handled as a ${target.kind}: ${why}`);
    this.#checkType(value, target);
    try {
      const { object, unknownFields } = target.decode(target.type, value, form);
      const found = fieldValidation === 'Ignore' ? { warnings: [], error: '' } : strictFaults(repeats(), unknownFields, faults);
      if (found.error && fieldValidation === 'Strict') throw cannot(found.error);
      return {
        object: { ...object, kind: target.kind, apiVersion: target.apiVersion, metadata: object['metadata'] ?? {} } as KubeObject,
        warnings: [...found.warnings],
      };
    } catch (error) {
      if (error instanceof DecodeError) throw cannot(error.message);
      throw error;
    }
  }

  #checkType(value: unknown, { kind, apiVersion, decode }: DecodeTarget): void {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    const given = value as { kind?: unknown; apiVersion?: unknown; metadata?: { name?: unknown } };
    if (typeof given.apiVersion === 'string' && given.apiVersion && given.apiVersion !== apiVersion) {
      throw badRequest(`the API version in the data (${given.apiVersion}) does not match the expected API version (${apiVersion})`);
    }
    if (typeof given.kind !== 'string' || !given.kind || given.kind === kind) return;
    const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
    if (decode === decodeStructural)
      throw invalid({ group, kind: given.kind }, String(given.metadata?.name ?? ''), [invalidField('kind', given.kind, `must be ${kind}`)]);
    const why = this.#registry.ofKind(apiVersion, given.kind)
      ? `converting (${version}.${given.kind}) to (${group.split('.')[0] || 'core'}.${kind}): unknown conversion`
      : `no kind ${JSON.stringify(given.kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/api/legacyscheme/scheme.go:30"`;
    throw badRequest(`${given.kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${why}`);
  }
}
