import { describe, expect, it } from 'vitest';
import type { Service } from '../../src/api/generated/types/core.v1.ts';
import type { Draft } from '../../src/api/object.ts';
import { IPAddresses, ServiceCIDRs, Services } from '../../src/api/resources.ts';
import { clusters } from './virtual-cluster-fixture.ts';

describe('addresses of Services', () => {
  const start = clusters();
  const draft = (name: string, spec: Draft<Service['spec']>): Draft<Service> => ({
    metadata: { name, namespace: 't' },
    spec: { ports: [{ port: 80 }], ...spec },
  });

  async function cluster() {
    const { client, clock } = await start();
    const services = client.resource(Services);
    const held = async () =>
      (await client.resource(IPAddresses).list()).items
        .map(({ metadata, spec }) => `${metadata.name} ${spec.parentRef?.name}`)
        .filter((line) => !line.endsWith(' kubernetes'))
        .sort();
    return { services, clock, client, held };
  }

  it('an address is held by an IPAddress for as long as the Service has it', async () => {
    const { services, held, clock, client } = await cluster();
    const { spec } = await services.create(draft('a', {}));
    expect(await held()).toEqual([`${spec.clusterIP} a`]);
    await expect(services.create(draft('b', { clusterIP: spec.clusterIP! }))).rejects.toThrow('provided IP is already allocated');
    expect(await held()).toEqual([`${spec.clusterIP} a`]);
    await services.delete('t', 'a');
    expect(await held()).toEqual([]);
    await services.create(draft('b', { clusterIP: spec.clusterIP! }));
    await services.patch('t', 'b', { spec: { type: 'ExternalName', externalName: 'a.example.com' } }, 'application/merge-patch+json');
    expect(await held()).toEqual([]);
    // One that a crash has left behind is given back in time, and one that nobody holds is held again.
    const { spec: again } = await services.create(draft('c', {}));
    await client.resource(IPAddresses).delete('', again.clusterIP!);
    const lost = { metadata: { name: '10.96.9.9', labels: { 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' } } };
    await client.resource(IPAddresses).create({ ...lost, spec: { parentRef: { resource: 'services', namespace: 't', name: 'gone' } } });
    await clock.advance(30_000);
    expect(await held()).toEqual([`${again.clusterIP} c`, '10.96.9.9 gone'].sort());
    await clock.advance(40_000);
    expect(await held()).toEqual([`${again.clusterIP} c`]);
  });

  it('a write that comes to nothing takes nothing', async () => {
    const { services, held } = await cluster();
    await expect(services.create(draft('a', { type: 'NodePort', ports: [{ port: 0 }] }))).rejects.toThrow('spec.ports[0].port');
    await services.create(draft('a', { type: 'NodePort', ports: [{ port: 80, nodePort: 30_001 }] }));
    await expect(services.create(draft('b', { type: 'NodePort', ports: [{ port: 80, nodePort: 30_001 }] }))).rejects.toThrow(
      'provided port is already allocated',
    );
    await services.create(draft('c', { type: 'NodePort' }), { dryRun: 'All' });
    expect(await held()).toHaveLength(1);
  });

  it('many at once get addresses and ports of their own', async () => {
    const { services, held } = await cluster();
    const made = await Promise.all(Array.from({ length: 50 }, (_, index) => services.create(draft(`s${index}`, { type: 'NodePort' }))));
    expect(new Set(made.map(({ spec }) => spec.clusterIP)).size).toBe(50);
    expect(new Set(made.map(({ spec }) => spec.ports![0]!.nodePort)).size).toBe(50);
    expect(await held()).toHaveLength(50);
  });

  it('C215: node ports stay with the names of their ports', async () => {
    const { services } = await cluster();
    const ports = [
      { name: 'http', port: 80 },
      { name: 'https', port: 443 },
    ];
    const { spec: first } = await services.create(draft('a', { type: 'NodePort', ports }));
    const numbers = (spec: Service['spec']) => Object.fromEntries(spec.ports!.map(({ name, nodePort }) => [name, nodePort]));
    const change = (list: object[]) => services.patch('t', 'a', { spec: { ports: list } }, 'application/merge-patch+json');
    const moved = await change([
      { name: 'http', port: 8000 },
      { name: 'https', port: 8443 },
    ]);
    expect(numbers(moved.spec)).toEqual(numbers(first));
    const renamed = numbers(
      (
        await change([
          { name: 'web', port: 8000 },
          { name: 'https', port: 8443 },
        ])
      ).spec,
    );
    expect(renamed['https']).toBe(numbers(first)['https']);
    expect(renamed['web']).toBeGreaterThanOrEqual(30_000);
  });

  it('C216: a port for health checks comes and goes with what needs it', async () => {
    const { services } = await cluster();
    const made = await services.create(draft('a', { type: 'LoadBalancer', externalTrafficPolicy: 'Local' }));
    expect(made.spec.healthCheckNodePort).toBeGreaterThanOrEqual(30_000);
    const changed = await services.patch('t', 'a', { spec: { externalTrafficPolicy: 'Cluster' } }, 'application/merge-patch+json');
    expect(changed.spec.healthCheckNodePort).toBeUndefined();
  });

  it.each<[string, Draft<Service['spec']>, string | object]>([
    ['another family', { ipFamilies: ['IPv6'] }, 'spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster'],
    ['two families', { ipFamilies: ['IPv4', 'IPv6'] }, "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified"],
    ['two stacks', { ipFamilyPolicy: 'RequireDualStack' }, 'this cluster is not configured for dual-stack services'],
    ['two stacks if there are', { ipFamilyPolicy: 'PreferDualStack' }, { ipFamilyPolicy: 'PreferDualStack', ipFamilies: ['IPv4'] }],
    ['headless, for no pods', { clusterIP: 'None' }, { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4', 'IPv6'] }],
    ['headless, for pods', { clusterIP: 'None', selector: { a: 'b' } }, { ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv4'] }],
  ])('C217: %s', async (_what, spec, wanted) => {
    const { services } = await cluster();
    const made = services.create(draft('a', spec));
    if (typeof wanted === 'string') await expect(made).rejects.toThrow(wanted);
    else expect((await made).spec).toMatchObject(wanted);
  });

  it('the network is ready, and is kept while it is in use', async () => {
    const { client, clock } = await cluster();
    const networks = client.resource(ServiceCIDRs);
    const addresses = client.resource(IPAddresses);
    await networks.create({ metadata: { name: 'n' }, spec: { cidrs: ['10.97.0.0/16'] } });
    await addresses.create({ metadata: { name: '10.97.0.5' }, spec: { parentRef: { resource: 'services', namespace: 't', name: 'a' } } });
    await clock.advance(100);
    expect((await networks.get('', 'n')).status?.conditions?.[0]).toMatchObject({ type: 'Ready', status: 'True' });
    await networks.delete('', 'n');
    await clock.advance(100);
    expect((await networks.get('', 'n')).status?.conditions?.[0]).toMatchObject({ status: 'False', reason: 'Terminating' });
    await addresses.delete('', '10.97.0.5');
    await clock.advance(100);
    await expect(networks.get('', 'n')).rejects.toThrow('not found');
  });
});
