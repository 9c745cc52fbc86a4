import { EVENT_TTL_SECONDS, eventRow } from '../../core/v1/event.ts';
import type { Event as CoreEvent } from '../../generated/types/core.v1.ts';
import type { Event } from '../../generated/types/events.v1.ts';
import type { KindBehaviour, StoredAs } from '../../kind.ts';
import type { KubeObject } from '../../object.ts';

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

/** Upstream: pkg/registry/events; stored as the core group's events. */
export const eventsEvent: KindBehaviour<Event> = {
  group: 'events.k8s.io',
  version: 'v1',
  kind: 'Event',
  storedAs,
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
