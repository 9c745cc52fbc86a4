import type { FieldError } from './field-error.ts';
import type { Status, StatusCause, StatusDetails } from './generated/types/meta.v1.ts';
import { qualifiedResource } from './object.ts';

export type { Status };

type GroupResource = { group: string; resource: string };
type GroupKind = { group: string; kind: string };

/** The one error of the API's edge: a Status, as the client will read it. */
export class StatusError extends Error {
  readonly status: Status & { code: number; reason: string };
  /** Sentences for Warning headers, of what was found before the error. */
  readonly warnings: string[] = [];

  constructor(code: number, reason: string, message: string, details?: StatusDetails) {
    super(message);
    this.name = 'StatusError';
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      ...(reason ? { reason } : {}),
      ...(details ? { details } : {}),
      code,
    } as Status & { code: number; reason: string };
  }

  get code(): number {
    return this.status.code;
  }

  get reason(): string {
    return this.status.reason;
  }

  /** A StatusError that carries a Status received from elsewhere. */
  static from(status: Status): StatusError {
    const error = new StatusError(status.code ?? 500, status.reason ?? '', status.message ?? 'unknown', status.details);
    if (status.metadata && Object.keys(status.metadata).length) error.status.metadata = status.metadata;
    return error;
  }
}

/** Whether `error` is a StatusError with this reason, e.g. `NotFound`. */
export function hasReason(error: unknown, reason: string): error is StatusError {
  return error instanceof StatusError && error.reason === reason;
}

const detailsOf = ({ group, resource }: GroupResource, name: string): StatusDetails => ({
  ...(name ? { name } : {}),
  ...(group ? { group } : {}),
  kind: resource,
});

export function notFound(resource: GroupResource, name: string): StatusError {
  return new StatusError(404, 'NotFound', `${qualifiedResource(resource)} "${name}" not found`, detailsOf(resource, name));
}

export function alreadyExists(resource: GroupResource, name: string): StatusError {
  return new StatusError(409, 'AlreadyExists', `${qualifiedResource(resource)} "${name}" already exists`, detailsOf(resource, name));
}

export function conflict(resource: GroupResource, name: string, why: string): StatusError {
  return new StatusError(409, 'Conflict', `Operation cannot be fulfilled on ${qualifiedResource(resource)} "${name}": ${why}`, detailsOf(resource, name));
}

export function badRequest(message: string): StatusError {
  return new StatusError(400, 'BadRequest', message);
}

export function unauthorized(): StatusError {
  return new StatusError(401, 'Unauthorized', 'Unauthorized');
}

export function forbidden(resource: GroupResource, name: string, why: string): StatusError {
  const what = name ? `${qualifiedResource(resource)} "${name}"` : qualifiedResource(resource);
  return new StatusError(403, 'Forbidden', `${what} is forbidden: ${why}`, detailsOf(resource, name));
}

/** The path is not one of ours. */
export function pathNotFound(): StatusError {
  return new StatusError(404, 'NotFound', 'the server could not find the requested resource', {});
}

/** Nothing at all is served under the path; over https that is a page of plain text, no Status. */
export class NoSuchPage extends StatusError {
  constructor() {
    super(404, 'NotFound', 'the server could not find the requested resource', {});
  }
}

/** The path is one of ours, but does not take this method. */
export function methodNotAllowed(): StatusError {
  return new StatusError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
}

export function notAcceptable(supported: readonly string[]): StatusError {
  return new StatusError(406, 'NotAcceptable', `only the following media types are accepted: ${supported.join(', ')}`);
}

export function expired(message: string, next?: { continue: string }): StatusError {
  const error = new StatusError(410, 'Expired', message);
  if (next) error.status.metadata = { continue: next.continue };
  return error;
}

export function tooLarge(message: string): StatusError {
  return new StatusError(413, 'RequestEntityTooLarge', message);
}

export function unsupportedMediaType(supported: readonly string[]): StatusError {
  return new StatusError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${supported.join(', ')}`,
  );
}

export function tooManyRequests(message: string, retryAfterSeconds: number, causes?: StatusCause[]): StatusError {
  return new StatusError(429, 'TooManyRequests', message, { ...(causes ? { causes } : {}), ...(retryAfterSeconds ? { retryAfterSeconds } : {}) });
}

export function internalError(message: string): StatusError {
  return new StatusError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
}

/** All that is wrong with an object, at once. */
export function invalid({ group, kind }: GroupKind, name: string, errors: readonly FieldError[]): StatusError {
  const lines = [...new Set(errors.map((e) => `${e.field}: ${e.message}`))];
  const what = group ? `${kind}.${group}` : kind;
  return new StatusError(422, 'Invalid', `${what} "${name}" is invalid: ${lines.length === 1 ? lines[0] : `[${lines.join(', ')}]`}`, {
    ...(name ? { name } : {}),
    ...(group ? { group } : {}),
    ...(kind ? { kind } : {}),
    causes: errors.map((e) => ({ reason: e.reason, message: e.message, field: e.field })),
  });
}
