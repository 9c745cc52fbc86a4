import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { schema } from '../../src/api/generated/schema.ts';
import { compileTypes } from '../../src/api/type.ts';
import { FieldSet } from '../../src/apiserver/apply/field-set.ts';
import { compare, merge, removeItems, toFieldSet, withNamedFields } from '../../src/apiserver/apply/typed.ts';

const element = fc.constantFrom('f:a', 'f:b', 'k:{"name":"c"}', 'v:"x"');
const path = fc.array(element, { minLength: 1, maxLength: 3 });
const set = fc.array(path, { maxLength: 6 }).map((paths) => FieldSet.of(...paths));
const keys = (fields: FieldSet): string[] => [...fields.paths()].map((p) => p.join(' ')).sort();

describe('a set of fields', () => {
  it('goes through FieldsV1 and back', () => {
    fc.assert(
      fc.property(set, (fields) => {
        expect(keys(FieldSet.fromFieldsV1(JSON.parse(JSON.stringify(fields.toFieldsV1()))))).toEqual(keys(fields));
      }),
    );
  });

  it('has the algebra of sets of paths', () => {
    fc.assert(
      fc.property(set, set, (a, b) => {
        const [left, right] = [new Set(keys(a)), new Set(keys(b))];
        expect(keys(a.union(b))).toEqual([...new Set([...left, ...right])].sort());
        expect(keys(a.intersection(b))).toEqual([...left].filter((key) => right.has(key)).sort());
        expect(keys(a.difference(b))).toEqual([...left].filter((key) => !right.has(key)).sort());
        expect(keys(a.without(b))).toEqual([...left].filter((key) => ![...right].some((other) => key === other || key.startsWith(`${other} `))).sort());
        expect(a.difference(b).isEmpty).toBe([...left].every((key) => right.has(key)));
      }),
    );
  });
});

const POD_SPEC = compileTypes(schema).get('io.k8s.api.core.v1.PodSpec')!;
const container = fc.record({ name: fc.constantFrom('a', 'b', 'c'), image: fc.constantFrom('x', 'y') }, { requiredKeys: ['name'] });
const podSpec = fc.record(
  {
    containers: fc.uniqueArray(container, { selector: (c) => c.name, maxLength: 3 }),
    nodeSelector: fc.dictionary(fc.constantFrom('k', 'l'), fc.constantFrom('1', '2')),
    hostNetwork: fc.boolean(),
    terminationGracePeriodSeconds: fc.nat({ max: 3 }),
    securityContext: fc.record({ runAsUser: fc.nat({ max: 2 }), supplementalGroups: fc.array(fc.nat({ max: 2 }), { maxLength: 2 }) }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
);

describe('typed objects', () => {
  it('differ nowhere from themselves, and everything that differs is told', () => {
    fc.assert(
      fc.property(podSpec, podSpec, (before, after) => {
        const same = compare(POD_SPEC, before, before);
        expect([same.added, same.modified, same.removed].every((fields) => fields.isEmpty)).toBe(true);
        const there = compare(POD_SPEC, before, after);
        const back = compare(POD_SPEC, after, before);
        expect(keys(there.added)).toEqual(keys(back.removed));
        expect(keys(there.modified)).toEqual(keys(back.modified));
      }),
    );
  });

  it('merged have what was applied, and keep what was not', () => {
    fc.assert(
      fc.property(podSpec, podSpec, (live, applied) => {
        const merged = merge(POD_SPEC, live, applied);
        const { removed, modified } = compare(POD_SPEC, applied, merged);
        expect(removed.isEmpty).toBe(true);
        expect(modified.isEmpty).toBe(true);
        expect(merge(POD_SPEC, merged, applied)).toEqual(merged);
        const kept = toFieldSet(POD_SPEC, live).difference(toFieldSet(POD_SPEC, applied));
        expect(keys(kept.difference(withNamedFields(POD_SPEC, toFieldSet(POD_SPEC, merged))).difference(compare(POD_SPEC, live, merged).modified))).toEqual([]);
      }),
    );
  });

  it('lose exactly what is taken out', () => {
    fc.assert(
      fc.property(podSpec, podSpec, (object, other) => {
        const doomed = withNamedFields(POD_SPEC, toFieldSet(POD_SPEC, object).intersection(toFieldSet(POD_SPEC, other)));
        const left = removeItems(POD_SPEC, object, doomed);
        expect(toFieldSet(POD_SPEC, left ?? {}).intersection(doomed).isEmpty).toBe(true);
        expect(removeItems(POD_SPEC, object, new FieldSet())).toEqual(object);
      }),
    );
  });
});
