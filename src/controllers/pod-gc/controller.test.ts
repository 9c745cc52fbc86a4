import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/generated/types/core.v1.ts';
import { timestamp } from '../../lib/clock.ts';
import { planPodGc } from './controller.ts';

const NOW = Date.UTC(2026, 0, 1);

describe('the pod garbage collector', () => {
  const pod = (name: string, { node = 'n1', phase = 'Running', ...metadata }: { node?: string; phase?: string; deletionTimestamp?: string } = {}): Pod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 't', uid: name, ...metadata },
    spec: { containers: [], nodeName: node },
    status: { phase },
  });

  it('deletes pods of nodes that are gone, finished ones beyond the threshold and stranded ones', () => {
    const pods = [
      pod('kept'),
      pod('orphan', { node: 'gone' }),
      pod('done-1', { phase: 'Failed' }),
      pod('done-2', { phase: 'Succeeded' }),
      pod('unplaced', { node: '', deletionTimestamp: timestamp(NOW) }),
    ];
    const nodes = [{ apiVersion: 'v1', kind: 'Node' as const, metadata: { name: 'n1' }, spec: {}, status: {} }];
    const plan = planPodGc({ now: NOW, pods, nodes: nodes as never, goneNodes: new Set(['gone']), terminatedPodThreshold: 1 });
    const names = (actions: typeof plan.actions): string[] =>
      actions.flatMap((action) => (action.type === 'batch' ? action.actions : [])).map((action) => (action as { name: string }).name);
    expect(names(plan.actions).toSorted()).toEqual(['orphan', 'unplaced']);
    expect(names(plan.next!([{ ok: true, parts: [] }]).actions).toSorted()).toEqual(['done-1', 'orphan', 'unplaced']);
    expect(plan.requeueAfterMs).toBe(20_000);
  });
});
