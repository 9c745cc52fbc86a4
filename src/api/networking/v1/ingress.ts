import { age } from '../../duration.ts';
import { type FieldError, invalid } from '../../field-error.ts';
import type { Ingress } from '../../generated/types/networking.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { validateIngressSpec } from './ingress-validation.ts';

function hostsOf({ spec }: Ingress): string {
  const hosts = (spec.rules ?? []).map(({ host }) => host).filter((host): host is string => Boolean(host));
  if (hosts.length === 0) return '*';
  return hosts.length > 3 ? `${hosts.slice(0, 3).join(',')} + ${hosts.length - 3} more...` : hosts.join(',');
}

const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';

/** A class that is also told by the annotation of old must be the same one. Only new Ingresses are held to it. */
function checkClassAnnotation({ metadata, spec }: Ingress): FieldError[] {
  const told = metadata.annotations?.[CLASS_ANNOTATION];
  if (told === undefined || spec.ingressClassName === undefined || told === spec.ingressClassName) return [];
  return [invalid(`annotations.${CLASS_ANNOTATION}`, told, 'must match `ingressClassName` when both are specified')];
}

export const ingress: KindBehaviour<Ingress> = {
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'Ingress',
  storagePrefix: 'ingress',
  hasGeneration: true,
  hasStatus: true,
  prepareForCreate: (object) => {
    object.status = { loadBalancer: {} };
  },
  warnings: ({ metadata, spec }, old) =>
    !old && metadata.annotations?.[CLASS_ANNOTATION] !== undefined && spec?.ingressClassName === undefined
      ? [`annotation "${CLASS_ANNOTATION}" is deprecated, please use 'spec.ingressClassName' instead`]
      : [],
  validate: (object, old) => [...validateIngressSpec(object.spec), ...(old ? [] : checkClassAnnotation(object))],
  updateOrder: ['metadata', 'whole'],
  row: (object, nowMs) => [
    object.metadata.name ?? '',
    object.spec.ingressClassName ?? '<none>',
    hostsOf(object),
    (object.status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || '').join(','),
    object.spec.tls?.length ? '80, 443' : '80',
    age(object.metadata.creationTimestamp, nowMs),
  ],
};
