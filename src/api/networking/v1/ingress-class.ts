import { age } from '../../duration.ts';
import type { IngressClass } from '../../generated/types/networking.v1.ts';
import type { KindBehaviour } from '../../resource.ts';

export const ingressClass: KindBehaviour<IngressClass> = {
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'IngressClass',
  hasGeneration: true,
  row: ({ metadata, spec }, nowMs) => {
    const { apiGroup, kind, name } = spec?.parameters ?? {};
    return [
      metadata.name ?? '',
      spec?.controller ?? '',
      kind ? `${kind}${apiGroup ? `.${apiGroup}` : ''}/${name}` : '<none>',
      age(metadata.creationTimestamp, nowMs),
    ];
  },
};
