import { expect, test } from 'vitest';
import type { FieldError } from '../../field-error.ts';
import type { Event } from '../../generated/types/events.v1.ts';
import { eventsEvent } from './event.ts';

const shown = (errors: readonly FieldError[] | undefined): string[] => (errors ?? []).map(({ field, message }) => `${field}: ${message}`);
const made = (more: object): Event =>
  ({
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'o', namespace: 'n' },
    eventTime: '2026-01-01T00:00:00.000000Z',
    type: 'Normal',
    reason: 'r',
    action: 'a',
    reportingController: 'c',
    reportingInstance: 'i',
    regarding: { kind: 'Pod', namespace: 'n', name: 'p' },
    ...more,
  }) as unknown as Event;

test('what is asked of new events', () => {
  expect(shown(eventsEvent.validateNew?.(made({})))).toEqual([]);
  const event = made({
    eventTime: null,
    type: 'A',
    series: { count: 1 },
    deprecatedCount: 1,
    deprecatedFirstTimestamp: '2026-01-01T00:00:00Z',
    deprecatedSource: { host: 'h' },
  });
  expect(shown(eventsEvent.validateNew?.(event))).toEqual([
    'series.count: Invalid value: "": should be at least 2',
    'series.lastObservedTime: Required value',
    'eventTime: Required value',
    'type: Invalid value: "": has invalid value: A',
    'firstTimestamp: Invalid value: "": needs to be unset',
    'count: Invalid value: "": needs to be unset',
    'source: Invalid value: "": needs to be unset',
  ]);
});

test('what happened stays what it was', () => {
  expect(shown(eventsEvent.validateUpdate?.(made({ series: { count: 2, lastObservedTime: '2026-01-01T00:00:01.000000Z' } }), made({})))).toEqual([]);
  expect(shown(eventsEvent.validateUpdate?.(made({ reason: 's', regarding: { kind: 'Pod', namespace: 'n', name: 'q' } }), made({})))).toEqual([
    'involvedObject: Invalid value: {"Kind":"Pod","Namespace":"n","Name":"q","UID":"","APIVersion":"","ResourceVersion":"","FieldPath":""}: field is immutable',
    'reason: Invalid value: "s": field is immutable',
    'reason: Invalid value: "s": field is immutable',
  ]);
});
