import { age } from '../../duration.ts';
import type { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '../../generated/types/admissionregistration.v1.ts';
import type { Cell, KindBehaviour } from '../../kind.ts';

const row = ({ metadata, webhooks }: MutatingWebhookConfiguration | ValidatingWebhookConfiguration, nowMs: number): Cell[] => [
  metadata.name ?? '',
  webhooks?.length ?? 0,
  age(metadata.creationTimestamp, nowMs),
];

export const mutatingWebhookConfiguration: KindBehaviour<MutatingWebhookConfiguration> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'MutatingWebhookConfiguration',
  hasGeneration: true,
  row,
};

export const validatingWebhookConfiguration: KindBehaviour<ValidatingWebhookConfiguration> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingWebhookConfiguration',
  hasGeneration: true,
  row,
};
