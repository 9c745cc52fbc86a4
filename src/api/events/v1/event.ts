import { EVENT_TTL_SECONDS, eventRow } from '../../core/v1/event.ts';
import type { Event as CoreEvent } from '../../generated/types/core.v1.ts';
import type { Event } from '../../generated/types/events.v1.ts';
import type { KindBehaviour } from '../../resource.ts';

/** The same event as the core group spells it. */
export function toCoreEvent(event: Event): CoreEvent {
  const { regarding, note, reportingController, deprecatedCount, deprecatedFirstTimestamp, deprecatedLastTimestamp, deprecatedSource, series, ...rest } = event;
  return {
    ...rest,
    apiVersion: 'v1',
    involvedObject: regarding ?? {},
    ...(note === undefined ? {} : { message: note }),
    ...(reportingController === undefined ? {} : { reportingComponent: reportingController }),
    ...(deprecatedCount === undefined ? {} : { count: deprecatedCount }),
    ...(deprecatedFirstTimestamp === undefined ? {} : { firstTimestamp: deprecatedFirstTimestamp }),
    ...(deprecatedLastTimestamp === undefined ? {} : { lastTimestamp: deprecatedLastTimestamp }),
    ...(deprecatedSource === undefined ? {} : { source: deprecatedSource }),
    ...(series === undefined ? {} : { series }),
  };
}

/** The same event as events.k8s.io spells it. */
export function fromCoreEvent(event: CoreEvent): Event {
  const { involvedObject, message, reportingComponent, count, firstTimestamp, lastTimestamp, source, series, eventTime, ...rest } = event;
  return {
    ...rest,
    apiVersion: 'events.k8s.io/v1',
    regarding: involvedObject,
    eventTime: eventTime as string,
    ...(message === undefined ? {} : { note: message }),
    ...(reportingComponent === undefined ? {} : { reportingController: reportingComponent }),
    ...(count === undefined ? {} : { deprecatedCount: count }),
    ...(firstTimestamp === undefined ? {} : { deprecatedFirstTimestamp: firstTimestamp }),
    ...(lastTimestamp === undefined ? {} : { deprecatedLastTimestamp: lastTimestamp }),
    ...(source === undefined ? {} : { deprecatedSource: source }),
    ...(series === undefined ? {} : { series: series as Event['series'] & object }),
  };
}

/** Upstream: pkg/registry/events; stored as the core group's events. */
export const eventsEvent: KindBehaviour<Event> = {
  group: 'events.k8s.io',
  version: 'v1',
  kind: 'Event',
  ttlSeconds: EVENT_TTL_SECONDS,
  row: (event, nowMs) => eventRow(toCoreEvent(event), nowMs),
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
