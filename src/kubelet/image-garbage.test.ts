import { expect, test } from 'vitest';
import type { Image } from '../runtime/runtime.ts';
import { type ImageState, superfluousImages } from './image-garbage.ts';

const image = (id: string, size: number, more: Partial<Image> = {}): Image => ({ id, size, repoTags: [], repoDigests: [], ...more });
const disk = (usedPercent: number) => ({ mountPoint: '/', capacityBytes: 1000, usedBytes: usedPercent * 10, availableBytes: 1000 - usedPercent * 10 });
const MINUTES = 60_000;

const state = (usedPercent: number, more: Partial<ImageState> = {}): ImageState => ({
  disk: disk(usedPercent),
  images: [image('old', 60), image('older', 60), image('used', 60), image('pinned', 60, { pinned: true }), image('new', 60)],
  uses: new Map([
    ['old', { seenAt: 0, usedAt: 2 }],
    ['older', { seenAt: 0, usedAt: 1 }],
    ['used', { seenAt: 0, usedAt: 9 * MINUTES }],
    ['pinned', { seenAt: 0, usedAt: 0 }],
    ['new', { seenAt: 9 * MINUTES, usedAt: 0 }],
  ]),
  inUse: new Set(['used']),
  now: 10 * MINUTES,
  ...more,
});

test.each<[string, number, string[]]>([
  ['room enough', 84, []],
  ['a little too full: the one that nobody has used for longest', 85, ['older']],
  ['fuller: as many as it takes', 90, ['older', 'old']],
  ['full: what is used, pinned or new stays', 100, ['older', 'old']],
])('%s', (_name, usedPercent, wanted) => {
  expect(superfluousImages(state(usedPercent)).map(({ id }) => id)).toEqual(wanted);
});

test('a disk of which nothing is known is left alone', () => {
  expect(superfluousImages(state(0, { disk: { mountPoint: '/', capacityBytes: 0, usedBytes: 0, availableBytes: 0 } }))).toEqual([]);
});
