import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigMaps, Deployments, Nodes, Pods } from '../../src/api/resources.ts';
import { ManifestError } from '../../src/cluster/apply-manifests.ts';
import { Cluster } from '../../src/cluster/cluster.ts';
import { DirectoryInUseError } from '../../src/store/embedded/lock.ts';

const manifest = (name: string): string => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}}
spec:
  replicas: 2
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {containers: [{name: c, image: a}]}
`;

async function until(what: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 500; i++) {
    if (await what()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('not within five seconds');
}

describe('Cluster', () => {
  it('runs many in one process, which do not disturb each other', async () => {
    const clusters = await Promise.all([1, 2, 3].map((nodes) => Cluster.start({ nodes, freeze: true })));
    try {
      await Promise.all(clusters.map((cluster, i) => cluster.apply(manifest(`web-${i}`))));
      for (const [i, cluster] of clusters.entries()) {
        const deployments = cluster.client.resource(Deployments);
        await until(async () => (await deployments.get('default', `web-${i}`)).status.availableReplicas === 2);
        expect((await deployments.list({})).items.map((d) => d.metadata.name)).toEqual([`web-${i}`]);
        expect((await cluster.client.resource(Nodes).list()).items).toHaveLength(i + 1);
        expect(cluster.kubeconfig).toContain(cluster.server);
      }
      expect(new Set(clusters.map((cluster) => cluster.server)).size).toBe(3);
    } finally {
      await Promise.all(clusters.map((cluster) => cluster.stop()));
    }
  });

  it('draws the same names from the same seed', async () => {
    const names = async (): Promise<string[]> => {
      const cluster = await Cluster.start({ nodes: 1, seed: 5 });
      try {
        const { metadata } = await cluster.client.resource(ConfigMaps).create({ metadata: { generateName: 'x-', namespace: 'default' } });
        return [metadata.name!];
      } finally {
        await cluster.stop();
      }
    };
    expect(await names()).toEqual(await names());
  });

  it('finds its objects again in its data directory, and lets nobody else in meanwhile', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'cluster-'));
    try {
      const first = await Cluster.start({ nodes: 1, dataDir });
      await first.apply(manifest('kept'));
      await until(async () => (await first.client.resource(Deployments).get('default', 'kept')).status.availableReplicas === 2);
      const pods = (await first.client.resource(Pods).list({})).items.map((p) => p.metadata.uid).sort();
      await expect(Cluster.start({ dataDir })).rejects.toThrow(DirectoryInUseError);
      await first.stop();
      const second = await Cluster.start({ nodes: 1, dataDir });
      await until(async () => (await second.client.resource(Deployments).get('default', 'kept')).status.availableReplicas === 2);
      expect((await second.client.resource(Pods).list({})).items.map((p) => p.metadata.uid).sort()).toEqual(pods);
      await second.stop();
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });

  it('says where a manifest is wrong', async () => {
    const cluster = await Cluster.start({ nodes: 0 });
    try {
      await expect(cluster.apply('a: [')).rejects.toThrow(ManifestError);
      await expect(cluster.apply('apiVersion: v1\nkind: ConfigMap\n')).rejects.toThrow('metadata.name must be set');
      await expect(cluster.apply('apiVersion: v9\nkind: Boat\nmetadata: {name: x}\n')).rejects.toThrow('no kind "Boat" is served in "v9"');
      await expect(cluster.apply(manifest('Not_A_Name'))).rejects.toThrow('is invalid: metadata.name');
    } finally {
      await cluster.stop();
    }
  });
});
