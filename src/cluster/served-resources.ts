import type { Resource } from '../api/object.ts';
import type { Registry } from '../apiserver/registry.ts';
import type { ServedResources } from '../controllers/runtime/served-resources.ts';

/** What controllers look after of all that a server serves: each kind once, in the version in which it is stored. */
export function servedBy(registry: Registry): ServedResources {
  return {
    current: () =>
      registry.all().flatMap(({ facts, behaviour, namespaced }): Resource[] => {
        const { group, version, resource, kind, verbs } = facts;
        const isLookedAfter = !behaviour.storedAs && (['list', 'watch', 'delete'] as const).every((verb) => verbs.includes(verb));
        return isLookedAfter ? [{ group, version, resource, kind, namespaced }] : [];
      }),
    onChange: (listener) => void registry.onChange(listener),
  };
}
