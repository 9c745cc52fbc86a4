import { age } from '../../duration.ts';
import { at, type FieldError, invalid, required } from '../../field-error.ts';
import type { Ingress, IngressBackend } from '../../generated/types/networking.v1.ts';
import { dns1123SubdomainFaults, ipFamily, wildcardSubdomainFaults } from '../../names.ts';
import type { KindBehaviour } from '../../resource.ts';
import { checkOneOf, checkWith } from '../../validation.ts';

function hostsOf({ spec }: Ingress): string {
  const hosts = (spec.rules ?? []).map(({ host }) => host).filter((host): host is string => Boolean(host));
  if (hosts.length === 0) return '*';
  return hosts.length > 3 ? `${hosts.slice(0, 3).join(',')} + ${hosts.length - 3} more...` : hosts.join(',');
}

function checkBackend({ service, resource }: IngressBackend, field: string): FieldError[] {
  if (service && resource) return [invalid(field, '', 'cannot set both resource and service backends')];
  if (resource) return [];
  if (!service) return [required(`${field}.service`, 'service or resource backend is required')];
  const errors = service.name ? [] : [required(`${field}.service.name`)];
  if (!service.port?.name && !service.port?.number) errors.push(required(`${field}.service.port`, 'port name or number is required'));
  if (service.port?.name && service.port.number) errors.push(invalid(`${field}.service.port`, '', 'cannot set both port name & port number'));
  return errors;
}

/** Upstream: ValidateIngressSpec. */
function validate({ spec }: Ingress): FieldError[] {
  const errors: FieldError[] = [];
  if (!spec.rules?.length && !spec.defaultBackend) errors.push(invalid('spec', spec.rules ?? null, 'either `defaultBackend` or `rules` must be specified'));
  if (spec.defaultBackend) errors.push(...checkBackend(spec.defaultBackend, 'spec.defaultBackend'));
  (spec.rules ?? []).forEach(({ host, http }, index) => {
    const path = at('spec.rules', index);
    if (host) {
      if (ipFamily(host) !== undefined) errors.push(invalid(`${path}.host`, host, 'must be a DNS name, not an IP address'));
      else errors.push(...checkWith(host.includes('*') ? wildcardSubdomainFaults : dns1123SubdomainFaults, host, `${path}.host`));
    }
    if (http && !http.paths?.length) errors.push(required(`${path}.http.paths`));
    (http?.paths ?? []).forEach((rule, i) => {
      const base = at(`${path}.http.paths`, i);
      if (!rule.pathType) errors.push(required(`${base}.pathType`, 'pathType must be specified'));
      else errors.push(...checkOneOf(rule.pathType, ['Exact', 'ImplementationSpecific', 'Prefix'], `${base}.pathType`));
      if (rule.pathType !== 'ImplementationSpecific' && !rule.path?.startsWith('/'))
        errors.push(invalid(`${base}.path`, rule.path ?? '', 'must be an absolute path'));
      errors.push(...checkBackend(rule.backend, `${base}.backend`));
    });
  });
  return errors;
}

export const ingress: KindBehaviour<Ingress> = {
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'Ingress',
  hasGeneration: true,
  hasStatus: true,
  prepareForCreate: (object) => {
    object.status = { loadBalancer: {} };
  },
  validate,
  validateUpdate: validate,
  row: (object, nowMs) => [
    object.metadata.name ?? '',
    object.spec.ingressClassName ?? '<none>',
    hostsOf(object),
    (object.status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || '').join(','),
    object.spec.tls?.length ? '80, 443' : '80',
    age(object.metadata.creationTimestamp, nowMs),
  ],
};
