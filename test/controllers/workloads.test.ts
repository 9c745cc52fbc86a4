import { describe } from 'vitest';
import { recordings } from '../golden/recordings.ts';
import type { RequestCase } from '../golden/requests.mjs';
import { playOnVirtualTime } from './recorded-cases.ts';

// What a real control plane did with StatefulSets, DaemonSets, Jobs, CronJobs, volumes and budgets, and with nodes that no
// kubelet looks after.

/** A request there comes before the controllers have looked; here they are as fast as the request. */
const RACES = new Set(['SS-scale', 'RS-cost']);

describe('recorded workloads', () => playOnVirtualTime(recordings<RequestCase>('workloads.jsonl').filter(({ id }) => !RACES.has(id))));

/** When a pod is tried again is for upstream's hints of queueing to say, which are not here. */
const HINTS = new Set(['ND-schedule']);

describe('recorded nodes', () => playOnVirtualTime(recordings<RequestCase>('nodes.jsonl').filter(({ id }) => !HINTS.has(id))));
