import { describe, expect, it } from 'vitest';
import { podResources } from '../../api/core/v1/pod/requests.ts';
import type { Pod, ResourceQuota } from '../../api/generated/types/core.v1.ts';
import { ConfigMaps, Pods, ReplicaSets } from '../../api/resources.ts';
import { planQuota } from './controller.ts';

describe('the quota controller', () => {
  const quota = (hard: Record<string, string>): ResourceQuota => ({
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'q', namespace: 't' },
    spec: { hard },
    status: {},
  });
  const pod = (cpu: string, phase = 'Running'): Pod =>
    ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', namespace: 't' },
      spec: { containers: [{ name: 'a', resources: { requests: { cpu }, limits: { cpu } } }] },
      status: { phase },
    }) as unknown as Pod;

  it('counts pods that are not finished, their requests and limits, and objects', () => {
    const { actions } = planQuota({
      now: 0,
      quota: quota({ pods: '5', 'requests.cpu': '2', cpu: '2', 'limits.cpu': '4', 'count/replicasets.apps': '3', configmaps: '1' }),
      content: [
        { resource: Pods, objects: [pod('500m'), pod('1'), pod('1', 'Succeeded')] },
        { resource: ReplicaSets, objects: [pod('1')] },
        { resource: ConfigMaps, objects: [] },
      ],
    });
    expect(actions[0]).toMatchObject({
      object: { status: { used: { pods: '2', 'requests.cpu': '1500m', cpu: '1500m', 'limits.cpu': '1500m', 'count/replicasets.apps': '1', configmaps: '0' } } },
    });
  });

  it('a pod needs its containers together, or its largest init container', () => {
    const containers = [{ resources: { requests: { cpu: '1' } } }, { resources: { requests: { cpu: '1' } } }];
    const initContainers = [{ restartPolicy: 'Always', resources: { requests: { cpu: '500m' } } }, { resources: { requests: { cpu: '3' } } }];
    expect(podResources({ containers, initContainers } as unknown as Pod['spec'], 'requests')).toEqual({ cpu: '3500m' });
  });
});
