import { describe, expect, it } from 'vitest';
import type { Namespace } from '../../api/generated/types/core.v1.ts';
import type { KubeObject } from '../../api/object.ts';
import { ConfigMaps, Pods } from '../../api/resources.ts';
import { timestamp } from '../../lib/clock.ts';
import { type NamespaceSnapshot, planNamespace } from './plan.ts';

const NOW = Date.UTC(2026, 0, 1);

describe('the plan for a namespace', () => {
  const namespace: Namespace = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 't', uid: 'n', deletionTimestamp: timestamp(NOW) },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Terminating' },
  };
  const object = (kind: string, name: string, metadata: object = {}): KubeObject => ({
    apiVersion: 'v1',
    kind,
    metadata: { name, namespace: 't', uid: name, ...metadata },
  });
  const snapshot = (content: NamespaceSnapshot['content']): NamespaceSnapshot => ({ now: NOW, namespace, content });

  it('deletes pods before all else', () => {
    const plan = planNamespace(
      snapshot([
        { resource: ConfigMaps, objects: [object('ConfigMap', 'c')] },
        { resource: Pods, objects: [object('Pod', 'p')] },
      ]),
    );
    expect(plan.actions).toMatchObject([{ type: 'batch', actions: [{ type: 'delete', name: 'p' }] }]);
    const then = plan.next!([
      { ok: true, parts: [{ ok: true, object: object('Pod', 'p', { deletionTimestamp: timestamp(NOW), deletionGracePeriodSeconds: 30 }) }] },
    ]);
    expect(then.requeueAfterMs).toBe(16_000);
    const [update] = then.actions;
    const conditions = update?.type === 'update' ? (update.object as Namespace).status.conditions! : [];
    expect(conditions.find(({ type }) => type === 'NamespaceContentRemaining')).toMatchObject({
      status: 'True',
      reason: 'SomeResourcesRemain',
      message: 'Some resources are remaining: configmaps. has 1 resource instances, pods. has 1 resource instances',
    });
  });

  it('finalizes an empty one, after its conditions', () => {
    const plan = planNamespace(snapshot([]));
    expect(plan.actions).toMatchObject([{ type: 'update', subresource: 'status' }]);
    expect(plan.next!([{ ok: true, object: namespace }]).actions).toMatchObject([
      { type: 'update', subresource: 'finalize', object: { spec: { finalizers: [] } } },
    ]);
  });
});
