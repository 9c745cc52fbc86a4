import type { LogLine } from '../../runtime/runtime.ts';

/** Lines of a log as text, each with its time before it where that is asked for; no more than `limit` characters. */
export async function* logText(lines: AsyncIterable<LogLine>, { timestamps, limit }: { timestamps: boolean; limit: number }): AsyncGenerator<string> {
  let left = limit;
  for await (const { at, time = new Date(at).toISOString().replace('Z', '000000Z'), text } of lines) {
    const line = timestamps ? `${time} ${text}` : text;
    yield line.length > left ? line.slice(0, left) : line;
    left -= line.length;
    if (left <= 0) return;
  }
}
