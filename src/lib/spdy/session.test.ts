import { expect, test } from 'vitest';
import { SpdySession, type SpdyStream } from './session.ts';

/** Two ends of one connection; what one sends arrives at the other in pieces of odd sizes. */
function pair(opened: (stream: SpdyStream) => void): { near: SpdySession; far: SpdySession } {
  const wireTo = (other: () => SpdySession) => ({
    send: (bytes: Buffer) => {
      for (let at = 0; at < bytes.length; at += 7) void other().receive(bytes.subarray(at, at + 7));
    },
    close: () => void other().ended(),
    pause: () => {},
    resume: () => {},
  });
  const near: SpdySession = new SpdySession(wireTo(() => far));
  const far: SpdySession = new SpdySession(
    wireTo(() => near),
    opened,
  );
  return { near, far };
}

async function text({ input }: SpdyStream): Promise<string> {
  let all = '';
  for await (const chunk of input) all += Buffer.from(chunk).toString();
  return all;
}

test('streams are opened with headers, and each way ends by itself', async () => {
  const seen: Record<string, string>[] = [];
  const { near } = pair((stream) => {
    seen.push({ ...stream.headers });
    void text(stream).then((question) => {
      stream.send(Buffer.from(`${question}!`));
      stream.end();
    });
  });
  const first = await near.open({ streamType: 'data', port: '80' });
  const second = await near.open({ streamType: 'error' });
  first.send(Buffer.from('hel'));
  second.send(Buffer.from('x'));
  first.send(Buffer.from('lo'));
  first.end();
  second.end();
  expect(await Promise.all([text(first), text(second)])).toEqual(['hello!', 'x!']);
  expect(seen).toEqual([{ streamtype: 'data', port: '80' }, { streamtype: 'error' }]);
});

test('more than fits into one frame goes in several', async () => {
  const { near } = pair((stream) => {
    void text(stream).then((all) => {
      stream.send(Buffer.from(String(all.length)));
      stream.end();
    });
  });
  const stream = await near.open({ streamtype: 'data' });
  stream.send(Buffer.alloc(300_000, 'a'));
  stream.end();
  expect(await text(stream)).toBe('300000');
});

test('bytes that are no SPDY are refused', async () => {
  const { near } = pair(() => {});
  await expect(near.receive(Buffer.from('HTTP/1.1 400 Bad Request\r\n'))).rejects.toThrow('frame too large');
});
