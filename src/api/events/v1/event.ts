import { conversions } from '../../conversions.ts';
import { EVENT_TTL_SECONDS, eventRow } from '../../core/v1/event.ts';
import type { Event as CoreEvent } from '../../generated/types/core.v1.ts';
import type { Event } from '../../generated/types/events.v1.ts';
import type { KindBehaviour } from '../../resource.ts';

/** Upstream: pkg/registry/events; stored as the core group's events. */
export const eventsEvent: KindBehaviour<Event> = {
  group: 'events.k8s.io',
  version: 'v1',
  kind: 'Event',
  ttlSeconds: EVENT_TTL_SECONDS,
  row: (event, nowMs) => eventRow(conversions['events.k8s.io/v1/Event']!.toStorage(event) as CoreEvent, nowMs),
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
