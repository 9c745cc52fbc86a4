import { CUSTOM_PRIORITIES, type GroupVersion, OWN_GROUP_VERSIONS, type Priorities } from '../../api/apiregistration/v1/priorities.ts';
import type { CustomResourceDefinition } from '../../api/generated/types/apiextensions.v1.ts';
import type { APIService } from '../../api/generated/types/apiregistration.v1.ts';
import type { Draft } from '../../api/object.ts';
import { APIServices, CustomResourceDefinitions } from '../../api/resources.ts';
import type { InformerFactory } from '../../client/informer.ts';
import { type Controller, watchRule } from '../runtime/controller.ts';
import { deletionOf, inParallel, type Plan } from '../runtime/plan.ts';

const MANAGED = 'kube-aggregator.kubernetes.io/automanaged';

export interface RegistrationSnapshot {
  /** What custom resource definitions have it serve. */
  custom: readonly GroupVersion[];
  services: readonly APIService[];
}

/**
 * Keeps an APIService for every group and version that this server serves. Upstream: kube-aggregator/pkg/controllers/autoregister,
 * which runs in the API server.
 */
export function apiServiceController(informers: InformerFactory): Controller<RegistrationSnapshot> {
  const services = informers.lister(APIServices);
  const definitions = informers.lister(CustomResourceDefinitions);
  const ALL = 'all';
  return {
    name: 'autoregister-controller',
    writesAs: 'kube-apiserver',
    initialKeys: [ALL],
    watches: [watchRule(CustomResourceDefinitions, () => [ALL]), watchRule(APIServices, ({ type }) => (type === 'deleted' ? [ALL] : []))],
    observe: async () => ({
      custom: definitions.list().filter(isServed).flatMap(versionsOf),
      services: services.list(),
    }),
    plan: planRegistration,
  };
}

function isServed({ metadata, status }: CustomResourceDefinition): boolean {
  return metadata.deletionTimestamp === undefined && (status?.conditions ?? []).some(({ type, status: value }) => type === 'Established' && value === 'True');
}

function versionsOf({ spec }: CustomResourceDefinition): GroupVersion[] {
  return (spec.versions ?? []).filter(({ served }) => served).map(({ name }) => ({ group: spec.group, version: name }));
}

export function planRegistration({ custom, services }: RegistrationSnapshot): Plan {
  const wanted = new Map<string, Draft<APIService>>();
  for (const { group, version } of custom) wanted.set(`${version}.${group}`, draft({ group, version }, CUSTOM_PRIORITIES, 'true'));
  for (const { group, version, ...priorities } of OWN_GROUP_VERSIONS) wanted.set(`${version}.${group}`, draft({ group, version }, priorities, 'onstart'));
  const missing = [...wanted].filter(([name]) => !services.some(({ metadata }) => metadata.name === name));
  const left = services.filter(({ metadata }) => metadata.labels?.[MANAGED] === 'true' && !wanted.has(metadata.name ?? ''));
  return {
    actions: [
      ...inParallel(missing.map(([, object]) => ({ type: 'create', resource: APIServices, object, ifExists: 'get' }))),
      ...inParallel(left.map((service) => deletionOf(APIServices, service))),
    ],
  };
}

function draft({ group, version }: GroupVersion, priorities: Priorities, managed: 'true' | 'onstart'): Draft<APIService> {
  return { metadata: { name: `${version}.${group}`, labels: { [MANAGED]: managed } }, spec: { ...(group ? { group } : {}), version, ...priorities } };
}
