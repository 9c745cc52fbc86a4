import { describe, expect, it } from 'vitest';
import type { PersistentVolumeClaim } from '../../src/api/generated/types/core.v1.ts';
import { PersistentVolumeClaims, PersistentVolumes, Pods, StatefulSets, StorageClasses } from '../../src/api/resources.ts';
import { HOST_PATH_PROVISIONER } from '../../src/controllers/volume-provisioner/controller.ts';
import { clusters } from './virtual-cluster-fixture.ts';

describe('claims and volumes', () => {
  const start = clusters();
  const claimSpec = (storageClassName?: string) =>
    ({
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      ...(storageClassName === undefined ? {} : { storageClassName }),
    }) as PersistentVolumeClaim['spec'];

  it('SCH-26: a pod has a node when its claims have their volumes there', async () => {
    const { cluster } = await start();
    const { client, clock } = cluster;
    await client
      .resource(StorageClasses)
      .create({ metadata: { name: 'local' }, provisioner: 'kubernetes.io/no-provisioner', volumeBindingMode: 'WaitForFirstConsumer' });
    const terms = [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['hollow-2'] }] }];
    await client.resource(PersistentVolumes).create({
      metadata: { name: 'v' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        storageClassName: 'local',
        local: { path: '/disk' },
        nodeAffinity: { required: { nodeSelectorTerms: terms } },
      },
    });
    await client.resource(PersistentVolumeClaims).create({ metadata: { name: 'c', namespace: 't' }, spec: claimSpec('local') });
    await clock.advance(5000);
    expect((await client.resource(PersistentVolumeClaims).get('t', 'c')).status?.phase).toBe('Pending');
    const spec = { containers: [{ name: 'c', image: 'i' }], volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] };
    await client.resource(Pods).create({ metadata: { name: 'p', namespace: 't' }, spec });
    await clock.advance(5000);
    expect((await client.resource(Pods).get('t', 'p')).spec.nodeName).toBe('hollow-2');
    expect(await client.resource(PersistentVolumeClaims).get('t', 'c')).toMatchObject({ spec: { volumeName: 'v' }, status: { phase: 'Bound' } });
  });

  it('SCH-25: nobody takes a pod whose claim is not there', async () => {
    const { cluster } = await start();
    const spec = { containers: [{ name: 'c', image: 'i' }], volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] };
    await cluster.client.resource(Pods).create({ metadata: { name: 'p', namespace: 't' }, spec });
    await cluster.clock.advance(2000);
    const { status } = await cluster.client.resource(Pods).get('t', 'p');
    expect(status.conditions?.find(({ type }) => type === 'PodScheduled')?.message).toBe(
      '0/3 nodes are available: persistentvolumeclaim "c" not found. not found',
    );
  });

  it('a StatefulSet has volumes made by the default class, and they go with their claims', async () => {
    const { cluster } = await start();
    const { client, clock } = cluster;
    await client.resource(StorageClasses).create({
      metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner: HOST_PATH_PROVISIONER,
      volumeBindingMode: 'WaitForFirstConsumer',
    });
    await client.resource(StatefulSets).create({
      metadata: { name: 'db', namespace: 't' },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'db' } },
        template: { metadata: { labels: { app: 'db' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
        volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claimSpec() }],
      },
    });
    await clock.advance(30_000);
    expect((await client.resource(StatefulSets).get('t', 'db')).status?.readyReplicas).toBe(2);
    const { items: claims } = await client.resource(PersistentVolumeClaims).list({ namespace: 't' });
    expect(claims.map(({ status }) => status?.phase)).toEqual(['Bound', 'Bound']);
    await client.resource(StatefulSets).delete('t', 'db');
    for (const { metadata } of claims) await client.resource(PersistentVolumeClaims).delete('t', metadata.name!);
    await clock.advance(60_000);
    expect((await client.resource(PersistentVolumes).list()).items).toEqual([]);
  });
});
