import type { KubeObject, Resource } from '../../api/object.ts';
import { Namespaces, Pods } from '../../api/resources.ts';
import type { Client } from '../../client/client.ts';
import type { InformerFactory } from '../../client/informer.ts';
import { type Controller, watchRule } from '../runtime/controller.ts';
import { type ServedResources, selectResources } from '../runtime/served-resources.ts';
import { type NamespaceSnapshot, planNamespace } from './plan.ts';

/**
 * Empties and finalizes namespaces that are being deleted. What they hold is read from the API server itself, since
 * nothing may be left behind.
 */
export function namespaceController(informers: InformerFactory, client: Client, resources: ServedResources): Controller<NamespaceSnapshot> {
  const namespaces = informers.lister(Namespaces);
  const namespaced = selectResources(resources, (resource) => resource.namespaced);
  const isGoing = (name: string): boolean => namespaces.get('', name)?.metadata.deletionTimestamp !== undefined;
  return {
    name: 'namespace-controller',
    watches: [
      watchRule(Namespaces, ({ type, object }) => (type !== 'deleted' && object.metadata.deletionTimestamp !== undefined ? [object.metadata.name!] : [])),
      watchRule(Pods, ({ type, object }) => (type === 'deleted' && isGoing(object.metadata.namespace!) ? [object.metadata.namespace!] : [])),
    ],
    observe: async (key, { now }) => {
      const namespace = namespaces.get('', key);
      if (namespace?.metadata.deletionTimestamp === undefined) return undefined;
      const content: { resource: Resource; objects: KubeObject[] }[] = [];
      for (const resource of namespaced.current()) {
        const { items } = await client.resource(resource).list({ namespace: key });
        if (items.length > 0) content.push({ resource, objects: items.map((item) => ({ ...item, kind: resource.kind })) });
      }
      return { now, namespace, content };
    },
    plan: planNamespace,
  };
}
