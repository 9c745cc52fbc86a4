import type { ConfigMap } from '../../../src/api/generated/types/core.v1.ts';
import { keyOf, splitKey } from '../../../src/api/object.ts';
import { ConfigMaps } from '../../../src/api/resources.ts';
import type { InformerFactory } from '../../../src/client/informer.ts';
import { controllerOf, controllerReference } from '../../../src/controllers/ownership.ts';
import { type Controller, watchRule } from '../../../src/controllers/runtime/controller.ts';
import type { Plan } from '../../../src/controllers/runtime/plan.ts';
import { type Fleet, Fleets } from './fleet.ts';

export interface FleetSnapshot {
  fleet: Fleet;
  /** By ConfigMaps that the fleet controls. */
  boats: readonly ConfigMap[];
}

const withLaunched = (fleet: Fleet, launched: number): Fleet => ({ ...fleet, status: { launched } });

/** Launches what is missing, and says how many there are. Pure. */
export function planFleet({ fleet, boats }: FleetSnapshot): Plan {
  const { name = '', namespace = '' } = fleet.metadata;
  const wanted = Array.from({ length: fleet.spec.boats ?? 0 }, (_, i) => `${name}-${i + 1}`);
  const missing = wanted.filter((boat) => !boats.some(({ metadata }) => metadata.name === boat));
  const ownerReferences = [controllerReference(Fleets, fleet)];
  return {
    actions: [
      ...missing.map((boat) => ({ type: 'create' as const, resource: ConfigMaps, object: { metadata: { name: boat, namespace, ownerReferences }, data: {} } })),
      ...(fleet.status?.launched === boats.length
        ? []
        : [{ type: 'update' as const, resource: Fleets, subresource: 'status' as const, object: withLaunched(fleet, boats.length) }]),
    ],
  };
}

export function fleetController(informers: InformerFactory): Controller<FleetSnapshot> {
  const fleets = informers.lister(Fleets);
  const configMaps = informers.lister(ConfigMaps);
  return {
    name: 'fleet-controller',
    watches: [
      watchRule(Fleets, ({ object }) => [keyOf(object)]),
      watchRule(ConfigMaps, ({ object }) => {
        const owner = controllerOf(object);
        return owner?.kind === 'Fleet' ? [`${object.metadata.namespace}/${owner.name}`] : [];
      }),
    ],
    async observe(key) {
      const { namespace, name } = splitKey(key);
      const fleet = fleets.get(namespace, name);
      return fleet && { fleet, boats: configMaps.list({ namespace }).filter((boat) => controllerOf(boat)?.uid === fleet.metadata.uid) };
    },
    plan: planFleet,
  };
}
