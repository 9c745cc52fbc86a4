import { expect, test } from 'vitest';
import { goSeconds } from '../lib/duration.ts';
import { BackOffTable } from './back-off.ts';

test('KUB-25: 0, 10, 20, 40 … 300 seconds after crashes', () => {
  const table = new BackOffTable();
  const delays: (number | undefined)[] = [];
  let now = 0;
  for (let i = 0; i < 8; i++) {
    delays.push(table.delayFor('c', now));
    now += table.delayFor('c', now) ?? 0;
    table.next('c', { eventAt: now, now });
  }
  expect(delays).toEqual([undefined, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]);
});

test('KUB-25: ten quiet minutes after the last restart forget them', () => {
  const table = new BackOffTable();
  table.next('c', { eventAt: 0, now: 0 });
  expect(table.delayFor('c', 595_000)).toBe(10_000);
  expect(table.delayFor('c', 605_000)).toBeUndefined();
});

test('as Go writes them', () => {
  expect([40_000, 80_000, 300_000].map(goSeconds)).toEqual(['40s', '1m20s', '5m0s']);
});
