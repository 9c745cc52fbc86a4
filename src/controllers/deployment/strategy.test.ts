import { describe, expect, it } from 'vitest';
import { PlanWorld } from './plan-world.ts';
import { maxReplicas, minAvailable, resolveFenceposts } from './strategy.ts';

type Limit = number | string;

describe('fenceposts', () => {
  const rows: [replicas: number, maxSurge: Limit, maxUnavailable: Limit, surge: number, unavailable: number, most: number, least: number][] = [
    [1, '25%', '25%', 1, 0, 2, 1],
    [2, '25%', '25%', 1, 0, 3, 2],
    [3, '25%', '25%', 1, 0, 4, 3],
    [4, '25%', '25%', 1, 1, 5, 3],
    [5, '25%', '25%', 2, 1, 7, 4],
    [7, '25%', '25%', 2, 1, 9, 6],
    [10, '25%', '25%', 3, 2, 13, 8],
    [10, '30%', '30%', 3, 3, 13, 7],
    [99, '1%', '1%', 1, 0, 100, 99],
    [101, '1%', '1%', 2, 1, 103, 100],
    [2, 0, '1%', 0, 1, 2, 1],
    [2, 0, 5, 0, 5, 2, 0],
    [0, '25%', '25%', 0, 1, 0, 0],
  ];
  it.each(rows)('C001 DEP-20 DEP-21 DEP-22: %i replicas, surge %s, unavailable %s', (replicas, maxSurge, maxUnavailable, surge, unavailable, most, least) => {
    expect(resolveFenceposts({ maxSurge, maxUnavailable }, replicas)).toEqual({ maxSurge: surge, maxUnavailable: unavailable });
    const { deployment } = new PlanWorld({ replicas, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } } });
    expect(maxReplicas(deployment)).toBe(most);
    expect(minAvailable(deployment)).toBe(least);
  });
});
