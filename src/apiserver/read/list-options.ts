import { type FieldError, forbidden, notSupported } from '../../api/field-error.ts';
import type { Query } from '../../api/request.ts';
import { invalid } from '../../api/status.ts';
import { type Options, readQuery } from '../decode/query.ts';

const LIST_OPTIONS = {
  labelSelector: 'text',
  fieldSelector: 'text',
  watch: 'flag',
  allowWatchBookmarks: 'flag',
  resourceVersion: 'text',
  resourceVersionMatch: 'text',
  timeoutSeconds: 'whole',
  limit: 'whole',
  continue: 'text',
  sendInitialEvents: 'flag',
} as const;

/** The options of a list, a watch, or the deletion of a collection. */
export type ListOptions = Options<typeof LIST_OPTIONS>;

/** @throws StatusError for what cannot be read, or does not go together (apimachinery: internalversion/validation.ValidateListOptions). */
export function listOptions(query: Query): ListOptions {
  const options = readQuery(query, LIST_OPTIONS);
  const errors = options.watch ? watchFaults(options) : listFaults(options);
  if (errors.length) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors);
  return options;
}

function listFaults({ resourceVersion, resourceVersionMatch: match, continue: token, sendInitialEvents }: ListOptions): FieldError[] {
  const errors: FieldError[] = [];
  if (match) {
    if (token) errors.push(forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided'));
    else if (!resourceVersion) errors.push(forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
    if (match !== 'Exact' && match !== 'NotOlderThan') errors.push(notSupported('resourceVersionMatch', match, ['Exact', 'NotOlderThan', '']));
    if (match === 'Exact' && resourceVersion === '0')
      errors.push(forbidden('resourceVersionMatch', 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  }
  if (sendInitialEvents !== undefined) errors.push(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  return errors;
}

function watchFaults({ resourceVersionMatch: match, sendInitialEvents }: ListOptions): FieldError[] {
  const errors: FieldError[] = [];
  if (sendInitialEvents !== undefined && !match)
    errors.push(forbidden('resourceVersionMatch', 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  if (match) {
    if (sendInitialEvents === undefined)
      errors.push(forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'));
    if (match !== 'NotOlderThan') errors.push(notSupported('resourceVersionMatch', match, ['NotOlderThan']));
  }
  return errors;
}
