import { age } from '../../duration.ts';
import type { NetworkPolicy } from '../../generated/types/networking.v1.ts';
import { formatSelector } from '../../labels.ts';
import type { KindBehaviour } from '../../resource.ts';

export const networkPolicy: KindBehaviour<NetworkPolicy> = {
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'NetworkPolicy',
  hasGeneration: true,
  setDefaults: ({ spec }) => {
    for (const rule of [...(spec?.ingress ?? []), ...(spec?.egress ?? [])]) for (const port of rule.ports ?? []) port.protocol ??= 'TCP';
    if (spec && !spec.policyTypes?.length) spec.policyTypes = spec.egress?.length ? ['Ingress', 'Egress'] : ['Ingress'];
  },
  row: ({ metadata, spec }, nowMs) => [metadata.name ?? '', formatSelector(spec?.podSelector ?? {}), age(metadata.creationTimestamp, nowMs)],
};
