import type { Event } from '../../generated/types/events.v1.ts';
import { type InternalTypes, internalJson } from '../../internal-json.ts';

/** Go's internal types of an event (pkg/apis/core/types.go), the fields named as in this group. */
const TYPES: InternalTypes = {
  ObjectReference: 'Kind Namespace Name UID=uid APIVersion=apiVersion ResourceVersion FieldPath',
  EventSource: 'Component Host',
};

/** What does not change once it has happened, in upstream's order and names; the reason comes twice. */
export const IMMUTABLE = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'reason',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingController',
  'reportingInstance',
] as const;

/** The fields that do not change, as Go prints its internal type. */
export function internalFields(event: Event): Readonly<Record<(typeof IMMUTABLE)[number], unknown>> {
  return {
    involvedObject: internalJson(event.regarding, 'ObjectReference', TYPES),
    reason: event.reason ?? '',
    message: event.note ?? '',
    source: internalJson(event.deprecatedSource, 'EventSource', TYPES),
    firstTimestamp: event.deprecatedFirstTimestamp,
    lastTimestamp: event.deprecatedLastTimestamp,
    count: event.deprecatedCount ?? 0,
    type: event.type ?? '',
    eventTime: event.eventTime,
    action: event.action ?? '',
    related: event.related && internalJson(event.related, 'ObjectReference', TYPES),
    reportingController: event.reportingController ?? '',
    reportingInstance: event.reportingInstance ?? '',
  };
}
