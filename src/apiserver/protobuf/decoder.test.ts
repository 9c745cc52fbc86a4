import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { describe, expect, it } from 'vitest';
import { messages } from '../../api/generated/protobuf.ts';
import { resourceFacts } from '../../api/generated/resource-facts.ts';
import { schema } from '../../api/generated/schema.ts';
import { Rng } from '../../lib/rng.ts';
import { VirtualClock } from '../../lib/virtual-clock.ts';
import { MemoryStore } from '../../store/memory/memory-store.ts';
import { ApiServer } from '../api-server.ts';
import { ProtobufDecoder } from './decoder.ts';

/** A message of fields that are all text, bytes or messages. */
function message(fields: Record<number, string | Uint8Array>): Uint8Array {
  const writer = new BinaryWriter();
  for (const [number, value] of Object.entries(fields)) {
    writer.tag(Number(number), 2);
    if (typeof value === 'string') writer.string(value);
    else writer.bytes(value);
  }
  return writer.finish();
}

const body = (apiVersion: string, kind: string, raw: Uint8Array): Uint8Array =>
  Buffer.concat([Buffer.from('k8s\0'), message({ 1: message({ 1: apiVersion, 2: kind }), 2: raw })]);
const server = new ApiServer({ store: new MemoryStore(), clock: new VirtualClock(), rng: new Rng(1), admission: () => [] });
const decoder = new ProtobufDecoder(server.registry, messages);

describe('protobuf', () => {
  it('knows every field of every served kind', () => {
    const missing = new Set<string>();
    const seen = new Set<string>();
    const visit = (type: string): void => {
      if (seen.has(type)) return;
      seen.add(type);
      const known = messages[type];
      if (!known) {
        missing.add(type);
        return;
      }
      // The fields of a struct that Go embeds are those of the type around it.
      const fieldsOf = (fields: (typeof messages)[string]): string[] =>
        Object.values(fields).flatMap(([name, kind, ref]) =>
          kind === 'message' && schema[type] && !schema[type].fields[name] ? fieldsOf(messages[ref!] ?? {}) : [name],
        );
      const names = new Set(fieldsOf(known));
      for (const [, kind, ref] of Object.values(known)) if (kind.startsWith('message')) visit(ref!);
      for (const name of Object.keys(schema[type]?.fields ?? {}))
        if (!names.has(name) && name !== 'apiVersion' && name !== 'kind') missing.add(`${type}.${name}`);
    };
    for (const { schema: type } of resourceFacts) if (type) visit(type);
    expect([...missing]).toEqual([]);
  });

  it('reads a certificate signing request', () => {
    const spec = message({ 1: Buffer.from('PEM'), 5: 'client auth', 6: message({ 1: 'scopes', 2: message({ 1: 'a' }) }), 7: 'example.com/signer' });
    const status = message({ 1: message({ 1: 'Approved', 2: 'Why', 6: 'True' }) });
    expect(decoder.decode(body('certificates.k8s.io/v1', 'CertificateSigningRequest', message({ 1: message({ 1: 'me' }), 2: spec, 3: status })))).toEqual({
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name: 'me' },
      spec: { request: 'UEVN', usages: ['client auth'], extra: { scopes: ['a'] }, signerName: 'example.com/signer' },
      status: { conditions: [{ type: 'Approved', reason: 'Why', status: 'True' }] },
    });
  });

  it('reads the unions of a CustomResourceDefinition’s schema, and embedded structs', () => {
    const text = message({ 5: 'string' });
    const props = message({
      8: message({ 1: Buffer.from('{"a":1}') }),
      24: message({ 1: text }),
      30: message({ 2: text }),
      32: message({ 1: 'a', 2: message({ 2: 'b' }) }),
    });
    const version = message({ 1: 'v1', 4: message({ 1: props }) });
    const { spec } = decoder.decode(body('apiextensions.k8s.io/v1', 'CustomResourceDefinition', message({ 2: message({ 7: version }) })));
    const openAPIV3Schema = { default: { a: 1 }, items: { type: 'string' }, additionalProperties: { type: 'string' }, dependencies: { a: ['b'] } };
    expect(spec).toEqual({ versions: [{ name: 'v1', schema: { openAPIV3Schema } }] });
    const config = message({ 1: message({ 1: message({ 1: 'driver', 2: message({ 1: Buffer.from('{}') }) }) }) });
    expect(decoder.decode(body('resource.k8s.io/v1', 'DeviceClass', message({ 2: message({ 2: config }) })))).toMatchObject({
      spec: { config: [{ opaque: { driver: 'driver', parameters: {} } }] },
    });
  });
});
