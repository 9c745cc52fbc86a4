import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Codec } from './codec.ts';

const codec = new Codec();

test('messages are written as protobuf says', () => {
  const bytes = codec.encode('StopContainerRequest', { containerId: 'ab', timeout: 300 });
  // Field 1, two bytes of text; field 2, a number in two groups of seven bits.
  expect(Buffer.from(bytes).toString('hex')).toBe('0a02616210ac02');
});

test('what is empty is not sent, but a message that is empty is', () => {
  expect(codec.encode('ExecRequest', { containerId: '', tty: false, cmd: [] })).toHaveLength(0);
  expect(Buffer.from(codec.encode('LinuxSandboxSecurityContext', { runAsUser: { value: 0 } })).toString('hex')).toBe('1a00');
});

test('fields that are not in the table are passed over', () => {
  const bytes = Buffer.from('0a0161' + '9a060568656c6c6f', 'hex');
  expect(codec.decode('ContainerId', bytes)).toEqual({ containerId: 'a' });
});

test('numbers of a list may be packed', () => {
  expect(codec.decode('PortForwardRequest', Buffer.from('12' + '03' + '50901f', 'hex'))).toEqual({ port: [80, 3984] });
});

test('what was written is read again', () => {
  const text = fc.string({ minLength: 1 });
  const map = fc.dictionary(
    text.filter((key) => key !== '__proto__'),
    fc.string(),
    { minKeys: 1 },
  );
  const sandbox = fc.record({
    metadata: fc.record({ name: text, uid: text, attempt: fc.integer({ min: 1, max: 2 ** 31 }) }),
    labels: map,
    dnsConfig: fc.record({ servers: fc.array(text, { minLength: 1 }) }),
    linux: fc.record({
      securityContext: fc.record({ supplementalGroups: fc.array(fc.integer({ min: 0, max: 2 ** 32 }), { minLength: 1 }), privileged: fc.constant(true) }),
    }),
  });
  fc.assert(
    fc.property(sandbox, (message) => {
      expect(codec.decode('PodSandboxConfig', codec.encode('PodSandboxConfig', message))).toEqual(message);
    }),
  );
});
