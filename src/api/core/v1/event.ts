import { age } from '../../duration.ts';
import { type FieldError, invalid, required } from '../../field-error.ts';
import type { Event } from '../../generated/types/core.v1.ts';
import type { Cell, KindBehaviour } from '../../kind.ts';
import { byteLength, qualifiedNameFaults } from '../../names.ts';
import { checkSubdomain, checkWith } from '../../validation.ts';

/** Upstream: kube-apiserver --event-ttl. */
export const EVENT_TTL_SECONDS = 3600;

function sourceOf({ source, reportingComponent, reportingInstance }: Event): string {
  const component = source?.component || reportingComponent || '';
  const host = source?.host || reportingInstance || '';
  return host ? `${component}, ${host}` : component;
}

/** The cells of `kubectl get events`, for both groups that serve events. */
export function eventRow(event: Event, nowMs: number): Cell[] {
  const first = age(event.firstTimestamp ?? event.eventTime, nowMs);
  const last = event.series ? age(event.series.lastObservedTime, nowMs) : event.lastTimestamp ? age(event.lastTimestamp, nowMs) : first;
  const { kind = '', name, fieldPath } = event.involvedObject ?? {};
  return [
    last,
    event.type ?? '',
    event.reason ?? '',
    name ? `${kind.toLowerCase()}/${name}` : kind.toLowerCase(),
    fieldPath ?? '',
    sourceOf(event),
    (event.message ?? '').trim(),
    first,
    event.series ? (event.series.count ?? 0) : event.count || 1,
    event.metadata.name ?? '',
  ];
}

const LIMITS = { reportingInstance: 128, action: 128, reason: 128, message: 1024 } as const;

/** What an event of the newer form, which tells its exact time, must say besides. */
function checkNewForm(event: Event): FieldError[] {
  const errors: FieldError[] = [];
  if (!event.reportingComponent) errors.push(required('reportingComponent'));
  errors.push(...checkWith(qualifiedNameFaults, event.reportingComponent ?? '', 'reportingComponent'));
  for (const [field, limit] of Object.entries(LIMITS) as [keyof typeof LIMITS, number][]) {
    const text = event[field] ?? '';
    if (!text && field !== 'message') errors.push(required(field));
    if (byteLength(text) > limit) errors.push(invalid(field, '', `can have at most ${limit} characters`));
  }
  return errors;
}

/** Upstream: legacyValidateEvent: an event lies in the namespace of what it tells about, or in default. */
function validate(event: Event): FieldError[] {
  const about = event.involvedObject?.namespace ?? '';
  const here = event.metadata.namespace ?? '';
  const isNew = Boolean(event.eventTime);
  const sound = about ? isNew || about === here : here === 'default' || (isNew && here === 'kube-system');
  return [
    ...(sound ? [] : [invalid('involvedObject.namespace', about, 'does not match event.namespace')]),
    ...(isNew ? checkNewForm(event) : []),
    ...checkSubdomain(here, 'namespace'),
  ];
}

/** Upstream: pkg/registry/core/event/strategy.go. */
export const event: KindBehaviour<Event> = {
  group: '',
  version: 'v1',
  kind: 'Event',
  ttlSeconds: EVENT_TTL_SECONDS,
  metadataRules: 'none',
  validate,
  row: eventRow,
  selectableFields: {
    'involvedObject.kind': ({ involvedObject }) => involvedObject?.kind ?? '',
    'involvedObject.namespace': ({ involvedObject }) => involvedObject?.namespace ?? '',
    'involvedObject.name': ({ involvedObject }) => involvedObject?.name ?? '',
    'involvedObject.uid': ({ involvedObject }) => involvedObject?.uid ?? '',
    'involvedObject.apiVersion': ({ involvedObject }) => involvedObject?.apiVersion ?? '',
    'involvedObject.resourceVersion': ({ involvedObject }) => involvedObject?.resourceVersion ?? '',
    'involvedObject.fieldPath': ({ involvedObject }) => involvedObject?.fieldPath ?? '',
    reason: ({ reason }) => reason ?? '',
    reportingComponent: ({ reportingComponent }) => reportingComponent ?? '',
    source: ({ source, reportingComponent }) => source?.component || reportingComponent || '',
    type: ({ type }) => type ?? '',
  },
};
