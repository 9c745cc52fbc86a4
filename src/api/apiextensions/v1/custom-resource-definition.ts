import type { CustomResourceDefinition } from '../../generated/types/apiextensions.v1.ts';
import type { KindBehaviour } from '../../kind.ts';

export const customResourceDefinition: KindBehaviour<CustomResourceDefinition> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  hasGeneration: true,
  storagePrefix: 'apiextensions.k8s.io/customresourcedefinitions',
};
