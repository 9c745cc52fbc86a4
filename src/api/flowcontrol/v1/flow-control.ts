import { age } from '../../duration.ts';
import type { FlowSchema, PriorityLevelConfiguration } from '../../generated/types/flowcontrol.v1.ts';
import type { KindBehaviour } from '../../kind.ts';

const NONE = '<none>';

export const flowSchema: KindBehaviour<FlowSchema> = {
  group: 'flowcontrol.apiserver.k8s.io',
  version: 'v1',
  kind: 'FlowSchema',
  hasGeneration: true,
  row: ({ metadata, spec, status }, nowMs) => [
    metadata.name ?? '',
    spec.priorityLevelConfiguration?.name ?? '',
    spec.matchingPrecedence ?? 0,
    spec.distinguisherMethod?.type ?? NONE,
    age(metadata.creationTimestamp, nowMs),
    status?.conditions?.find(({ type }) => type === 'Dangling')?.status ?? '?',
  ],
};

export const priorityLevelConfiguration: KindBehaviour<PriorityLevelConfiguration> = {
  group: 'flowcontrol.apiserver.k8s.io',
  version: 'v1',
  kind: 'PriorityLevelConfiguration',
  hasGeneration: true,
  row: ({ metadata, spec }, nowMs) => {
    const { limited } = spec;
    const queuing = limited?.limitResponse?.queuing;
    return [
      metadata.name ?? '',
      spec.type ?? '',
      limited ? (limited.nominalConcurrencyShares ?? 0) : NONE,
      queuing ? (queuing.queues ?? 0) : NONE,
      queuing ? (queuing.handSize ?? 0) : NONE,
      queuing ? (queuing.queueLengthLimit ?? 0) : NONE,
      age(metadata.creationTimestamp, nowMs),
    ];
  },
};
