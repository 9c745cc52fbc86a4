import { invalid } from '../../../src/api/field-error.ts';
import type { KindBehaviour } from '../../../src/api/kind.ts';
import type { KubeObject, Resource } from '../../../src/api/object.ts';

/** A made-up kind: so many boats, each a ConfigMap. */
export interface Fleet extends KubeObject {
  kind: 'Fleet';
  spec: { boats?: number };
  status?: { launched?: number };
}

export const Fleets: Resource<Fleet> = { group: 'example.dev', version: 'v1', resource: 'fleets', kind: 'Fleet', namespaced: true };

export const fleet: KindBehaviour<Fleet> = {
  group: 'example.dev',
  version: 'v1',
  kind: 'Fleet',
  served: {
    resource: 'fleets',
    scope: 'Namespaced',
    shortNames: ['fl'],
    subresources: ['status', 'scale'],
    columns: [
      ['Name', 'string', 'name', null],
      ['Boats', 'integer', null, null, 'How many boats there should be.'],
      ['Launched', 'integer', null, null, 'How many there are.'],
    ],
    schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: { boats: { type: 'integer' } } },
        status: { type: 'object', properties: { launched: { type: 'integer' } } },
      },
    },
  },
  hasGeneration: true,
  setDefaults(object) {
    object.spec ??= {};
    object.spec.boats ??= 1;
  },
  validate: ({ spec: { boats = 0 } }) => (boats > 9 ? [invalid('spec.boats', boats, 'the harbour has nine berths')] : []),
  row: ({ metadata, spec, status }) => [metadata.name ?? '', spec.boats ?? 0, status?.launched ?? 0],
  scale: {
    specReplicas: ({ spec }) => spec.boats ?? 0,
    withSpecReplicas: (object, boats) => ({ ...object, spec: { ...object.spec, boats } }),
    statusReplicas: ({ status }) => status?.launched ?? 0,
    selector: ({ metadata }) => `fleet=${metadata.name}`,
  },
};
