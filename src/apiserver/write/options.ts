import { type FieldError, invalid, notSupported } from '../../api/field-error.ts';
import type { ApiRequest } from '../../api/request.ts';
import { invalid as invalidStatus } from '../../api/status.ts';
import type { FieldValidation } from '../decode/body.ts';
import { isFlagSet } from '../decode/query.ts';

/** The options of a write, checked. */
export interface WriteOptions {
  dryRun: boolean;
  fieldValidation: FieldValidation;
  fieldManager: string;
  force: boolean;
  /** The options as the client gave them. */
  asked: Readonly<Record<string, unknown>>;
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
    force: isFlagSet(force),
    asked: {
      ...(dryRun === undefined ? {} : { dryRun: [dryRun] }),
      ...(fieldManager ? { fieldManager } : {}),
      ...(request.query['fieldValidation'] ? { fieldValidation } : {}),
    },
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

/** The options of a write that the server makes in its own name. */
export function serverOptions({ dryRun = false }: { dryRun?: boolean } = {}): WriteOptions {
  return { dryRun, fieldValidation: 'Ignore', fieldManager: 'kube-apiserver', force: false, asked: dryRun ? { dryRun: ['All'] } : {} };
}
