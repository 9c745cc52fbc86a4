import { expect, it } from 'vitest';
import { Pipe } from './pipe.ts';

const MIB = 1 << 20;

function makePipe(): { pipe: Pipe; told: string[] } {
  const told: string[] = [];
  return { pipe: new Pipe({ pause: () => told.push('pause'), resume: () => told.push('resume') }), told };
}

it('gives what was pushed, in order, and ends', async () => {
  const { pipe, told } = makePipe();
  pipe.push(Buffer.from('a'));
  pipe.push(Buffer.from('b'));
  pipe.end();
  pipe.push(Buffer.from('late'));
  const seen: string[] = [];
  for await (const chunk of pipe) seen.push(Buffer.from(chunk).toString());
  expect(seen).toEqual(['a', 'b']);
  expect(told).toEqual([]);
});

it('has its source wait while more than a mebibyte is not taken', async () => {
  const { pipe, told } = makePipe();
  for (let i = 0; i < 4; i++) pipe.push(Buffer.alloc(MIB / 2));
  expect(told).toEqual(['pause']);
  const reader = pipe[Symbol.asyncIterator]();
  for (let i = 0; i < 2; i++) await reader.next();
  expect(told).toEqual(['pause']);
  await reader.next();
  expect(told).toEqual(['pause', 'resume']);
});

it('lets its source go on when the reader leaves', async () => {
  const { pipe, told } = makePipe();
  pipe.push(Buffer.alloc(2 * MIB));
  pipe.push(Buffer.alloc(2 * MIB));
  for await (const _ of pipe) break;
  expect(told).toEqual(['pause', 'resume']);
});
