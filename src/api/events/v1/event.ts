import { event as coreEvent, EVENT_TTL_SECONDS, eventRow } from '../../core/v1/event.ts';
import { deepEqual } from '../../equality.ts';
import { type FieldError, invalid, required } from '../../field-error.ts';
import type { Event as CoreEvent } from '../../generated/types/core.v1.ts';
import type { Event } from '../../generated/types/events.v1.ts';
import type { KindBehaviour, StoredAs } from '../../kind.ts';
import type { KubeObject } from '../../object.ts';
import { checkImmutable } from '../../validation.ts';
import { IMMUTABLE, internalFields } from './internal-names.ts';

const TYPES = ['Normal', 'Warning'];

/** Names of events.k8s.io/v1 and of core/v1 for the same field (upstream: pkg/apis/events/v1/conversion.go). */
const EVENT_FIELDS: readonly [string, string][] = [
  ['regarding', 'involvedObject'],
  ['note', 'message'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
  ['reportingController', 'reportingComponent'],
];

const renamed = (object: KubeObject, apiVersion: string, pairs: readonly (readonly [string, string])[]): KubeObject => {
  const names = new Map(pairs);
  const out: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(object)) out[names.get(key) ?? key] = value;
  return { ...out, apiVersion } as unknown as KubeObject;
};

/** Events are kept as the core group has them. */
const storedAs: StoredAs = {
  group: '',
  version: 'v1',
  toStorage: (object) => renamed(object, 'v1', EVENT_FIELDS),
  fromStorage: (object) =>
    renamed(
      object,
      'events.k8s.io/v1',
      EVENT_FIELDS.map(([a, b]) => [b, a]),
    ),
};

/** What the core group finds wrong with the same event; one field has another name there. */
function legacyFaults(event: Event): FieldError[] {
  const faults = coreEvent.validate?.(storedAs.toStorage(event) as CoreEvent) ?? [];
  return faults.map((fault) => (fault.field === 'reportingComponent' ? { ...fault, field: 'reportingController' } : fault));
}

/** Upstream: validateV1EventSeries. */
function checkSeries({ series }: Event): FieldError[] {
  if (!series) return [];
  return [
    ...((series.count ?? 0) < 2 ? [invalid('series.count', '', 'should be at least 2')] : []),
    ...(series.lastObservedTime ? [] : [required('series.lastObservedTime')]),
  ];
}

/** Fields that only events of the core group have; upstream names them as that group does. */
function checkUnset({ deprecatedFirstTimestamp, deprecatedLastTimestamp, deprecatedCount, deprecatedSource }: Event): FieldError[] {
  const isSet: readonly [field: string, isSet: boolean][] = [
    ['firstTimestamp', Boolean(deprecatedFirstTimestamp)],
    ['lastTimestamp', Boolean(deprecatedLastTimestamp)],
    ['count', Boolean(deprecatedCount)],
    ['source', Boolean(deprecatedSource?.component || deprecatedSource?.host)],
  ];
  return isSet.filter(([, is]) => is).map(([field]) => invalid(field, '', 'needs to be unset'));
}

/** What is asked of new events, and of old ones no more (upstream: pkg/apis/core/validation, ValidateEventCreate). */
function validateNew(event: Event): FieldError[] {
  const { eventTime, type = '' } = event;
  return [
    ...checkSeries(event),
    ...(eventTime ? [] : [required('eventTime')]),
    ...(TYPES.includes(type) ? [] : [invalid('type', '', `has invalid value: ${type}`)]),
    ...checkUnset(event),
  ];
}

/** An event that happened stays what it was; only its series goes on (upstream: ValidateEventUpdate). */
function validateUpdate(event: Event, old: Event): FieldError[] {
  const [now, before] = [internalFields(event), internalFields(old)];
  return [
    ...legacyFaults(event),
    ...(deepEqual(event.series, old.series) ? [] : checkSeries(event)),
    ...IMMUTABLE.flatMap((field) => checkImmutable(now[field] ?? null, before[field] ?? null, field)),
  ];
}

/** Upstream: pkg/registry/events; stored as the core group's events. */
export const eventsEvent: KindBehaviour<Event> = {
  group: 'events.k8s.io',
  version: 'v1',
  kind: 'Event',
  storedAs,
  validate: legacyFaults,
  validateNew,
  validateUpdate,
  ttlSeconds: EVENT_TTL_SECONDS,
  row: (event, nowMs) => eventRow(storedAs.toStorage(event) as CoreEvent, nowMs),
  selectableFields: {
    'regarding.kind': ({ regarding }) => regarding?.kind ?? '',
    'regarding.namespace': ({ regarding }) => regarding?.namespace ?? '',
    'regarding.name': ({ regarding }) => regarding?.name ?? '',
    'regarding.uid': ({ regarding }) => regarding?.uid ?? '',
    'regarding.apiVersion': ({ regarding }) => regarding?.apiVersion ?? '',
    'regarding.resourceVersion': ({ regarding }) => regarding?.resourceVersion ?? '',
    'regarding.fieldPath': ({ regarding }) => regarding?.fieldPath ?? '',
    reason: ({ reason }) => reason ?? '',
    reportingController: ({ reportingController }) => reportingController ?? '',
    type: ({ type }) => type ?? '',
  },
};
