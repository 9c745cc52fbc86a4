import { describe, expect, it } from 'vitest';
import type { CustomResourceDefinition } from '../../src/api/generated/types/apiextensions.v1.ts';
import type { ManagedFieldsEntry } from '../../src/api/generated/types/meta.v1.ts';
import type { Draft } from '../../src/api/object.ts';
import {
  ConfigMaps,
  CustomResourceDefinitions,
  FlowSchemas,
  PriorityLevelConfigurations,
  ResourceQuotas,
  ValidatingAdmissionPolicies,
} from '../../src/api/resources.ts';
import { clusters } from './virtual-cluster-fixture.ts';

/** Controllers that upstream runs inside of its API server, and how they sign what they write. */
describe('controllers of the API server', () => {
  const start = clusters();

  const writers = (managedFields: readonly ManagedFieldsEntry[] = []): string[] =>
    managedFields.map(({ manager, operation, subresource = '' }) => `${manager} ${operation} ${subresource}`.trim()).sort();

  const definition = (kind: string, singular: string): Draft<CustomResourceDefinition> => ({
    metadata: { name: `${kind.toLowerCase()}s.example.com` },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: `${kind.toLowerCase()}s`, kind, singular },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  });

  it('a definition gets its names, and another of its group not the same ones until they are free', async () => {
    const { client, clock } = await start();
    const definitions = client.resource(CustomResourceDefinitions);
    const conditions = async (name: string): Promise<string[]> =>
      ((await definitions.get('', name)).status?.conditions ?? []).map(({ type, status, reason }) => `${type}=${status} ${reason}`);
    await definitions.create(definition('Widget', 'thing'));
    await clock.advance(1000);
    expect(await conditions('widgets.example.com')).toEqual(['NamesAccepted=True NoConflicts', 'Established=True InitialNamesAccepted']);
    await definitions.create(definition('Gadget', 'thing'));
    await clock.advance(1000);
    expect(await conditions('gadgets.example.com')).toEqual(['NamesAccepted=False SingularConflict', 'Established=False NotAccepted']);
    await definitions.delete('', 'widgets.example.com');
    await clock.advance(1000);
    expect(await conditions('gadgets.example.com')).toEqual(['NamesAccepted=True NoConflicts', 'Established=True InitialNamesAccepted']);
    expect(writers((await definitions.get('', 'gadgets.example.com')).metadata.managedFields)).toContain('kube-apiserver Update status');
  });

  it('a flow schema says whether its priority level is there', async () => {
    const { client, clock } = await start();
    const schemas = client.resource(FlowSchemas);
    const spec = { matchingPrecedence: 500, priorityLevelConfiguration: { name: 'own' } };
    await schemas.create({ metadata: { name: 'mine' }, spec });
    await clock.advance(1000);
    const dangling = async () => (await schemas.get('', 'mine')).status?.conditions?.[0];
    expect(await dangling()).toMatchObject({ type: 'Dangling', status: 'True', reason: 'NotFound' });
    await client
      .resource(PriorityLevelConfigurations)
      .create({ metadata: { name: 'own' }, spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } } });
    await clock.advance(1000);
    expect(await dangling()).toMatchObject({ status: 'False', reason: 'Found' });
    expect(writers((await schemas.get('', 'mine')).metadata.managedFields)).toContain('api-priority-and-fairness-config-consumer-v1 Apply status');
  });

  it('an admission policy says which generation has been looked at', async () => {
    const { client, clock } = await start();
    const policies = client.resource(ValidatingAdmissionPolicies);
    const matchConstraints = { resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }] };
    await policies.create({ metadata: { name: 'p' }, spec: { matchConstraints, validations: [{ expression: 'true' }] } });
    await clock.advance(1000);
    expect((await policies.get('', 'p')).status).toEqual({ observedGeneration: 1, typeChecking: {} });
  });

  it('what admission books on a quota stays booked, under its name', async () => {
    const { client, clock } = await start();
    const quotas = client.resource(ResourceQuotas);
    await quotas.create({ metadata: { name: 'q', namespace: 't' }, spec: { hard: { configmaps: '2' } } });
    await clock.advance(1000);
    const before = Number((await quotas.get('t', 'q')).status?.used?.['configmaps']);
    await client.resource(ConfigMaps).create({ metadata: { name: 'one', namespace: 't' } });
    await clock.advance(1000);
    const quota = await quotas.get('t', 'q');
    expect(quota.status?.used).toEqual({ configmaps: String(before + 1) });
    expect(writers(quota.metadata.managedFields)).toContain('kube-apiserver Update status');
    await client.resource(ConfigMaps).delete('t', 'one');
    await clock.advance(1000);
    expect((await quotas.get('t', 'q')).status?.used).toEqual({ configmaps: String(before) });
  });
});
