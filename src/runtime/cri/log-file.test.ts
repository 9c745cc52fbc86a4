import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { VirtualClock } from '../../lib/virtual-clock.ts';
import { parseLine, type ReadLogOptions, readLog } from './log-file.ts';

let folder: string;
let path: string;
const clock = new VirtualClock();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coracle-log-'));
  path = join(folder, '0.log');
});
afterEach(() => rmSync(folder, { recursive: true }));

const line = (second: number, text: string, tag = 'F'): string => `2026-01-02T03:04:0${second}.123456789Z stdout ${tag} ${text}\n`;

/** Time goes on while the log is read. */
async function read(options: Partial<ReadLogOptions> = {}): Promise<string> {
  let text = '';
  let isRead = false;
  const reading = (async () => {
    for await (const entry of readLog(path, { clock, running: async () => false, ...options })) text += entry.text;
  })().finally(() => {
    isRead = true;
  });
  while (!isRead) await clock.advance(100);
  await reading;
  return text;
}

test.each([
  ['2026-01-02T03:04:05.123456789Z stdout F some text', { at: Date.parse('2026-01-02T03:04:05.123Z'), stream: 'stdout', text: 'some text\n' }],
  ['2026-01-02T03:04:05.5Z stderr P a part', { stream: 'stderr', text: 'a part', time: '2026-01-02T03:04:05.5Z' }],
  ['2026-01-02T03:04:05Z stdout F ', { text: '\n' }],
  ['2026-01-02T03:04:05Z stdout F', { text: '\n' }],
  ['no log at all', undefined],
])('%s', (text, expected) => {
  if (expected) expect(parseLine(text)).toMatchObject(expected);
  else expect(parseLine(text)).toBeUndefined();
});

test('a log that is not there is empty', async () => expect(await read()).toBe(''));

test('the last lines are whole lines, of however many parts', async () => {
  writeFileSync(path, line(1, 'one') + line(2, 'tw', 'P') + line(2, 'o') + line(3, 'three'));
  expect(await read({ tailLines: 2 })).toBe('two\nthree\n');
  expect(await read({ tailLines: 9 })).toBe('one\ntwo\nthree\n');
  expect(await read({ tailLines: 0 })).toBe('');
});

test('lines from a time on', async () => {
  writeFileSync(path, line(1, 'one') + line(2, 'two') + line(3, 'three'));
  expect(await read({ since: Date.parse('2026-01-02T03:04:02Z') })).toBe('two\nthree\n');
});

test('a line that is being written is waited for', async () => {
  writeFileSync(path, line(1, 'one') + line(2, 'two').slice(0, 20));
  let looks = 0;
  const running = async (): Promise<boolean> => {
    if (++looks === 2) appendFileSync(path, line(2, 'two').slice(20));
    return looks < 3;
  };
  expect(await read({ follow: true, running })).toBe('one\ntwo\n');
});

test('a log that is moved aside is read to its end, then the new one', async () => {
  writeFileSync(path, line(1, 'one'));
  let looks = 0;
  const running = async (): Promise<boolean> => {
    looks++;
    if (looks === 1) {
      appendFileSync(path, line(2, 'two'));
      renameSync(path, `${path}.old`);
      writeFileSync(path, line(3, 'three'));
    }
    return looks < 4;
  };
  expect(await read({ follow: true, running })).toBe('one\ntwo\nthree\n');
});
