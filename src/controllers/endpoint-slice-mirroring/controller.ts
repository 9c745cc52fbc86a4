import type { Endpoints, Service } from '../../api/generated/types/core.v1.ts';
import { keyOf, splitKey } from '../../api/object.ts';
import { EndpointSlices, EndpointsResource, Services } from '../../api/resources.ts';
import type { InformerFactory } from '../../client/informer.ts';
import { byKey, type Controller, watchRule } from '../runtime/controller.ts';
import { MANAGED_BY, MANAGER, type MirrorSnapshot, planMirroring, SERVICE_NAME } from './plan.ts';

/** Shows Endpoints that somebody keeps by hand to whoever looks at EndpointSlices alone (upstream: pkg/controller/endpointslicemirroring). */
export function endpointSliceMirroringController(informers: InformerFactory): Controller<MirrorSnapshot> {
  const endpoints = informers.lister(EndpointsResource);
  const services = informers.lister(Services);
  const slices = informers.lister(EndpointSlices);
  return {
    name: 'endpoint-slice-mirroring-controller',
    watches: [
      watchRule(EndpointsResource, ({ object }) => [keyOf(object)]),
      watchRule(Services, ({ object }) => [keyOf(object)]),
      watchRule(EndpointSlices, ({ object: { metadata } }) =>
        metadata.labels?.[MANAGED_BY] === MANAGER ? [`${metadata.namespace}/${metadata.labels[SERVICE_NAME] ?? ''}`] : [],
      ),
    ],
    // A slice's name is drawn, so that one created twice would not be noticed otherwise.
    expects: { resource: EndpointSlices, ownerOf: (key) => byKey(endpoints, key)?.metadata.uid },
    async observe(key, { expectationsMet }) {
      if (!expectationsMet) return undefined;
      const { namespace, name } = splitKey(key);
      const found = byKey(endpoints, key);
      const own = slices.list({ namespace }).filter(({ metadata: { labels } }) => labels?.[MANAGED_BY] === MANAGER && labels[SERVICE_NAME] === name);
      return { endpoints: found && isMirrored(found, byKey(services, key)) ? found : undefined, slices: own };
    },
    plan: planMirroring,
  };
}

function isMirrored({ metadata: { labels, annotations } }: Endpoints, service: Service | undefined): boolean {
  if (labels?.['endpointslice.kubernetes.io/skip-mirror'] === 'true') return false;
  if (annotations?.['control-plane.alpha.kubernetes.io/leader'] !== undefined) return false;
  return service !== undefined && !service.spec.selector;
}
