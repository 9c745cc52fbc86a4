import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { schema } from '../../src/api/generated/schema.ts';
import { compileTypes } from '../../src/api/type.ts';
import { applyJsonPatch } from '../../src/apiserver/patches/json-patch.ts';
import { applyMergePatch } from '../../src/apiserver/patches/merge-patch.ts';
import { applyStrategicMergePatch } from '../../src/apiserver/patches/strategic-merge-patch.ts';

const types = compileTypes(schema);
const OBJECT_META = types.get('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta')!;

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const keys = fc.constantFrom('a', 'b', 'c', 'x/y', 'm~n', '__proto__', 'constructor');
const { json } = fc.letrec<{ json: Json; object: { [key: string]: Json } }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.string({ maxLength: 3 }),
    fc.array(tie('json'), { maxLength: 3 }),
    tie('object'),
  ) as fc.Arbitrary<Json>,
  object: fc.array(fc.tuple(keys, tie('json')), { maxLength: 4 }).map(own),
}));

function own(entries: [string, Json][]): { [key: string]: Json } {
  const out: { [key: string]: Json } = {};
  for (const [key, value] of entries) Object.defineProperty(out, key, { value, enumerable: true, configurable: true, writable: true });
  return out;
}

const isObject = (value: Json): value is { [key: string]: Json } => typeof value === 'object' && value !== null && !Array.isArray(value);
const entriesOf = (value: Json): Map<string, Json> => new Map(isObject(value) ? Object.entries(value) : []);
const text = (value: unknown): string => JSON.stringify(sorted(value as Json));
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  return isObject(value)
    ? own(
        Object.keys(value)
          .sort()
          .map((key) => [key, sorted(Object.getOwnPropertyDescriptor(value, key)!.value as Json)]),
      )
    : value;
}

describe('JSON merge patch', () => {
  /** RFC 7386, section 2, word for word, over maps. */
  function model(target: Json, patch: Json): Json {
    if (!isObject(patch)) return patch;
    const out = entriesOf(target);
    for (const [key, value] of entriesOf(patch)) {
      if (value === null) out.delete(key);
      else out.set(key, model(out.get(key) ?? null, value));
    }
    return own([...out]);
  }

  it('does what the RFC says', () => {
    fc.assert(
      fc.property(json, json, (target, patch) => {
        expect(text(applyMergePatch(target, patch))).toBe(text(model(target, patch)));
      }),
      { numRuns: 2000 },
    );
  });

  it('changes neither the document nor the patch, nor any prototype', () => {
    fc.assert(
      fc.property(json, json, (target, patch) => {
        const before = [text(target), text(patch)];
        applyMergePatch(target, patch);
        expect([text(target), text(patch)]).toEqual(before);
        expect(({} as { a?: unknown }).a).toBeUndefined();
      }),
    );
  });

  it('done twice is done once', () => {
    fc.assert(
      fc.property(json, json, (target, patch) => {
        expect(text(applyMergePatch(applyMergePatch(target, patch), patch))).toBe(text(applyMergePatch(target, patch)));
      }),
    );
  });
});

describe('JSON patch', () => {
  const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');
  /** Every place in a document, with what stands there. */
  function* places(value: Json, path = ''): Generator<{ path: string; value: Json }> {
    yield { path, value };
    if (Array.isArray(value)) for (const [i, inner] of value.entries()) yield* places(inner, `${path}/${i}`);
    else if (isObject(value)) for (const [key, inner] of Object.entries(value)) yield* places(inner, `${path}/${escaped(key)}`);
  }

  it('finds every place in a document, and only what stands there', () => {
    fc.assert(
      fc.property(json, (document) => {
        for (const { path, value } of places(document)) {
          expect(text(applyJsonPatch(document, [{ op: 'test', path, value }]))).toBe(text(document));
          expect(() => applyJsonPatch(document, [{ op: 'test', path, value: 'certainly not' }])).toThrow();
          expect(() => applyJsonPatch(document, [{ op: 'remove', path: `${path}/nowhere/at/all` }])).toThrow();
        }
      }),
    );
  });

  it('takes back what it adds', () => {
    fc.assert(
      fc.property(json, json, fc.nat(), (document, value, pick) => {
        const containers = [...places(document)].filter(({ value: v }) => typeof v === 'object' && v !== null);
        fc.pre(containers.length > 0);
        const { path, value: container } = containers[pick % containers.length]!;
        const place = `${path}/${Array.isArray(container) ? String(pick % (container.length + 1)) : 'fresh'}`;
        const patched = applyJsonPatch(document, [
          { op: 'add', path: place, value },
          { op: 'test', path: place, value },
          { op: 'remove', path: place },
        ]);
        expect(text(patched)).toBe(text(document));
      }),
    );
  });

  it('moves as it copies and removes', () => {
    const document = { a: { b: [1, 2, 3] }, c: {} };
    expect(applyJsonPatch(document, [{ op: 'move', from: '/a/b/0', path: '/c/d' }])).toEqual({ a: { b: [2, 3] }, c: { d: 1 } });
    expect(applyJsonPatch(document, [{ op: 'copy', from: '/a', path: '/c/a' }])).toEqual({ a: { b: [1, 2, 3] }, c: { a: { b: [1, 2, 3] } } });
    expect(applyJsonPatch(document, [{ op: 'add', path: '/a/b/-', value: 4 }])).toEqual({ a: { b: [1, 2, 3, 4] }, c: {} });
    expect(document).toEqual({ a: { b: [1, 2, 3] }, c: {} });
  });

  it.each([
    ['an unknown operation', [{ op: 'explode', path: '/a' }], 422],
    ['a path that is not there', [{ op: 'remove', path: '/x/y' }], 422],
    ['an index that is not there', [{ op: 'replace', path: '/a/b/7', value: 1 }], 422],
    ['a failed test', [{ op: 'test', path: '/a/b/0', value: 2 }], 422],
    ['something that is no patch', { op: 'add' }, 400],
  ])('refuses %s', (_what, patch, code) => {
    expect(() => applyJsonPatch({ a: { b: [1] } }, patch)).toThrow(expect.objectContaining({ status: expect.objectContaining({ code }) }));
  });
});

describe('strategic merge patch', () => {
  const POD_SPEC = types.get('io.k8s.api.core.v1.PodSpec')!;
  type Container = { name: string; image?: string; env?: { name: string; value: string }[] };
  const container = fc.record<Container>({ name: fc.constantFrom('a', 'b', 'c'), image: fc.constantFrom('x:1', 'x:2') });
  const containers = fc.uniqueArray(container, { selector: (c) => c.name, maxLength: 3 });

  it('merges lists by their key: the patch wins and sets its order, the rest stays and keeps its own', () => {
    fc.assert(
      fc.property(containers, containers, (live, patch) => {
        const { containers: result } = applyStrategicMergePatch(POD_SPEC, { containers: live }, { containers: patch }) as { containers: Container[] };
        const wanted = new Map(live.map((c) => [c.name, c]));
        for (const c of patch) wanted.set(c.name, { ...wanted.get(c.name), ...c });
        expect(new Map(result.map((c) => [c.name, c]))).toEqual(wanted);
        const names = result.map((c) => c.name);
        const inPatch = patch.map((c) => c.name);
        const others = live.map((c) => c.name).filter((name) => !inPatch.includes(name));
        expect(names.filter((name) => inPatch.includes(name))).toEqual(inPatch);
        expect(names.filter((name) => !inPatch.includes(name))).toEqual(others);
      }),
    );
  });

  it('deletes by key, replaces the list, and orders it', () => {
    fc.assert(
      fc.property(containers, fc.constantFrom('a', 'b', 'c'), (live, name) => {
        const patched = (patch: object) =>
          (applyStrategicMergePatch(POD_SPEC, { containers: live }, patch) as { containers: Container[] }).containers.map((c) => c.name);
        expect(patched({ containers: [{ name, $patch: 'delete' }] })).toEqual(live.map((c) => c.name).filter((n) => n !== name));
        expect(patched({ containers: [{ $patch: 'replace' }, { name, image: 'y' }] })).toEqual([name]);
        const order = [...live].reverse().map(({ name: n }) => ({ name: n }));
        expect(patched({ '$setElementOrder/containers': order })).toEqual(order.map((o) => o.name));
      }),
    );
  });

  it('keeps to the listed keys with $retainKeys, and takes values out of lists of scalars', () => {
    expect(
      applyStrategicMergePatch(
        types.get('io.k8s.api.apps.v1.DeploymentSpec')!,
        { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } },
        { strategy: { $retainKeys: ['type'], type: 'Recreate' } },
      ),
    ).toEqual({ strategy: { type: 'Recreate' } });
    expect(applyStrategicMergePatch(OBJECT_META, { finalizers: ['a/x', 'b/y'] }, { '$deleteFromPrimitiveList/finalizers': ['a/x'] })).toEqual({
      finalizers: ['b/y'],
    });
    expect(applyStrategicMergePatch(OBJECT_META, { finalizers: ['a/x'] }, { finalizers: ['b/y', 'a/x'] })).toEqual({
      finalizers: ['b/y', 'a/x'],
    });
  });

  it('C104: removes every element that shares a key', () => {
    const live = {
      containers: [
        {
          name: 'c',
          env: [
            { name: 'X', value: '1' },
            { name: 'X', value: '1' },
          ],
        },
      ],
    };
    expect(applyStrategicMergePatch(POD_SPEC, live, { containers: [{ name: 'c', env: [{ name: 'X', $patch: 'delete' }] }] })).toEqual({
      containers: [{ name: 'c', env: [] }],
    });
  });

  it('C110: refuses a list that does not follow its own order', () => {
    const patch = {
      containers: [
        {
          name: 'c',
          env: [
            { name: 'T2', value: 'two' },
            { name: 'T', value: '2' },
          ],
          '$setElementOrder/env': [{ name: 'T' }, { name: 'T2' }, { name: 'T' }].slice(0, 2),
        },
      ],
    };
    expect(() => applyStrategicMergePatch(POD_SPEC, { containers: [{ name: 'c', env: [] }] }, patch)).toThrow("doesn't match $setElementOrder list");
  });

  it('survives any patch without a crash of ours', () => {
    const directive = fc.constantFrom(
      '$patch',
      '$retainKeys',
      '$setElementOrder/containers',
      '$deleteFromPrimitiveList/containers',
      'containers',
      'nodeSelector',
      'volumes',
      '__proto__',
    );
    const value: fc.Arbitrary<unknown> = fc.oneof(
      json,
      fc.constantFrom('delete', 'replace', 'merge', 'explode'),
      containers,
      fc.array(fc.record({ $patch: fc.constantFrom('delete', 'replace', 'merge') }), { maxLength: 2 }),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(directive, value), { maxLength: 4 }), containers, (entries, live) => {
        try {
          applyStrategicMergePatch(POD_SPEC, { containers: live, nodeSelector: { a: 'b' } }, own(entries as [string, Json][]));
        } catch (error) {
          expect((error as Error).name).toBe('StatusError');
        }
      }),
      { numRuns: 1000 },
    );
  });
});
