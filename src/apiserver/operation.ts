import { type FieldError, invalid, notSupported } from '../api/field-error.ts';
import { resources } from '../api/generated/resources.ts';
import { apiVersionOf, type KubeObject } from '../api/object.ts';
import type { ApiRequest } from '../api/request.ts';
import { badRequest, invalid as invalidStatus, StatusError, unsupportedMediaType } from '../api/status.ts';
import { DecodeError, decode } from './decode.ts';
import { decodeUtf8, duplicateKeys, parseJson } from './json.ts';
import { parseYaml } from './yaml.ts';

export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

/** The options of a write, checked. */
export interface WriteOptions {
  dryRun: boolean;
  fieldValidation: FieldValidation;
  fieldManager: string;
  force: boolean;
}

type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions';

const META = 'meta.k8s.io';

export function refuseOptions(kind: OptionsKind, errors: Parameters<typeof invalidStatus>[2]): void {
  if (errors.length) throw invalidStatus({ group: META, kind }, '', errors);
}

/** @throws StatusError Invalid, named after the options, as upstream validates them (apimachinery/pkg/apis/meta/v1/validation). */
export function writeOptions(kind: OptionsKind, request: ApiRequest): WriteOptions {
  const { dryRun, fieldValidation = 'Warn', fieldManager, force } = request.query;
  const errors = [
    ...(dryRun !== undefined && dryRun !== 'All' ? [notSupported('dryRun', [dryRun], ['All'])] : []),
    ...(fieldManager !== undefined && fieldManager.length > 128
      ? [{ reason: 'FieldValueTooLong' as const, field: 'fieldManager', message: 'Too long: may not be more than 128 bytes' }]
      : []),
    ...unprintable(fieldManager ?? ''),
    ...(['Strict', 'Warn', 'Ignore', ''].includes(fieldValidation) ? [] : [notSupported('fieldValidation', fieldValidation, ['', 'Ignore', 'Strict', 'Warn'])]),
  ];
  const isApply = request.contentType === 'application/apply-patch+yaml';
  if (kind === 'PatchOptions') {
    if (isApply && !fieldManager) errors.push({ reason: 'FieldValueRequired', field: 'fieldManager', message: 'Required value: is required for apply patch' });
    if (!isApply && force !== undefined)
      errors.push({ reason: 'FieldValueForbidden', field: 'force', message: 'Forbidden: may not be specified for non-apply patch' });
  }
  refuseOptions(kind, errors);
  return {
    dryRun: dryRun === 'All',
    fieldValidation: (fieldValidation || 'Warn') as FieldValidation,
    fieldManager: fieldManager || managerOf(request.userAgent),
    force: force === 'true' || force === '1',
  };
}

function unprintable(fieldManager: string): FieldError[] {
  return [...fieldManager].flatMap((char, position) => {
    const code = char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
    return /\p{C}/u.test(char) ? [invalid('fieldManager', fieldManager, `invalid character U+${code} (at position ${position})`)] : [];
  });
}

/** The manager's name where the request gives none: the first part of the user agent (upstream: managerOrUserAgent). */
function managerOf(userAgent: string | undefined): string {
  return (
    userAgent
      ?.split('/')[0]
      ?.replaceAll(/[^\P{C}]/gu, '')
      .slice(0, 128) || 'unknown'
  );
}

/** `application/json; charset=utf-8` → `application/json`. */
export function mediaType(contentType: string | undefined): string {
  return (contentType || 'application/json').split(';')[0]!.trim().toLowerCase();
}

const BODY_TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

/**
 * The parsed body of a request. A body that is an object came from this process and is taken as it is.
 *
 * @returns also the paths of duplicate keys.
 */
export function parseBody(request: ApiRequest): { value: unknown; duplicates: () => string[] } {
  const { body } = request;
  if (!(body instanceof Uint8Array)) return { value: body, duplicates: () => [] };
  const type = mediaType(request.contentType);
  const text = decodeUtf8(body);
  if (type === 'application/json' || type === '') return { value: parseJson(text), duplicates: () => duplicateKeys(text) };
  if (type === 'application/yaml') {
    const { value, duplicates } = parseYaml(text);
    return { value, duplicates: () => duplicates };
  }
  throw unsupportedMediaType(BODY_TYPES);
}

/**
 * The object in a request's body, decoded for the resource (or for another type, such as a Scale) and free of unknown
 * fields; those become errors or warnings as the client asked.
 */
export function decodeBody(
  request: ApiRequest,
  target: { schemaId: string; kind: string; apiVersion: string },
  fieldValidation: FieldValidation,
  warnings: string[],
): KubeObject {
  const { value, duplicates } = recognize(request, target.kind);
  return decodeValue(value, target, fieldValidation, warnings, { duplicates });
}

/** What a body that is no object at all is answered with (apiserver: transformDecodeError). */
function recognize(request: ApiRequest, kind: string): { value: unknown; duplicates: () => string[] } {
  const unrecognized = (why: string): Error =>
    badRequest(
      `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: ${why} (${summary(request.body as Uint8Array)})`,
    );
  let parsed: ReturnType<typeof parseBody>;
  try {
    parsed = parseBody(request);
  } catch (error) {
    const isJson = mediaType(request.contentType) === 'application/json';
    throw isJson && error instanceof StatusError && error.reason === 'BadRequest' ? unrecognized(error.message) : error;
  }
  const { value } = parsed;
  if (request.body instanceof Uint8Array && (typeof value !== 'object' || value === null || Array.isArray(value))) {
    if (value === null) return { ...parsed, value: {} };
    const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
    throw unrecognized(
      `json: cannot unmarshal ${type} into Go value of type struct { APIVersion string "json:"apiVersion,omitempty""; Kind string "json:"kind,omitempty"" }`,
    );
  }
  return parsed;
}

/** The beginning of a body, as messages show it. */
function summary(body: Uint8Array, length = 30): string {
  if (body.length === 0) return '<empty>';
  const text = Buffer.from(body.subarray(0, length));
  return (body[0] === 0x7b ? text.toString() : text.toString('hex')) + (body.length > length ? ' ...' : '');
}

export interface DecodeWays {
  /** The paths of fields that the text has twice. */
  duplicates?: () => string[];
  /** The error for a value that does not fit its type; without it, that of a body that cannot be decoded. */
  refuse?: (why: string) => Error;
}

export function decodeValue(
  value: unknown,
  target: { schemaId: string; kind: string; apiVersion: string },
  fieldValidation: FieldValidation,
  warnings: string[],
  { duplicates = () => [], refuse }: DecodeWays = {},
): KubeObject {
  const version = target.apiVersion.slice(target.apiVersion.indexOf('/') + 1);
  const cannot = (why: string): Error =>
    refuse?.(why) ?? badRequest(`${target.kind} in version ${JSON.stringify(version)} cannot be handled as a ${target.kind}: ${why}`);
  checkType(value, target);
  try {
    const { object, unknownFields } = decode(target.schemaId, value);
    if (fieldValidation !== 'Ignore') {
      const faults = [
        ...duplicates().map((path) => `duplicate field ${JSON.stringify(path)}`),
        ...unknownFields.map((path) => `unknown field ${JSON.stringify(path)}`),
      ];
      if (faults.length && fieldValidation === 'Strict') throw cannot(`strict decoding error: ${faults.join(', ')}`);
      warnings.push(...faults);
    }
    return { ...object, kind: target.kind, apiVersion: target.apiVersion, metadata: object['metadata'] ?? {} } as KubeObject;
  } catch (error) {
    if (error instanceof DecodeError) throw cannot(refuse ? error.converterMessage : error.message);
    throw error;
  }
}

function checkType(value: unknown, { kind, apiVersion }: { kind: string; apiVersion: string }): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  const given = value as { kind?: unknown; apiVersion?: unknown };
  if (typeof given.apiVersion === 'string' && given.apiVersion && given.apiVersion !== apiVersion) {
    throw badRequest(`the API version in the data (${given.apiVersion}) does not match the expected API version (${apiVersion})`);
  }
  if (typeof given.kind !== 'string' || !given.kind || given.kind === kind) return;
  const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const why = isKnown(apiVersion, given.kind)
    ? `converting (${version}.${given.kind}) to (${group.split('.')[0] || 'core'}.${kind}): unknown conversion`
    : `no kind ${JSON.stringify(given.kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/api/legacyscheme/scheme.go:30"`;
  throw badRequest(`${given.kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${why}`);
}

function isKnown(apiVersion: string, kind: string): boolean {
  return resources.some((facts) => facts.kind === kind && apiVersionOf(facts) === apiVersion);
}
