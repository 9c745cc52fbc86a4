import { asGiven } from '../../emptied.ts';
import { at, type FieldError, invalid, notSupported, required } from '../../field-error.ts';
import type { HTTPIngressPath, IngressBackend, IngressRule, IngressSpec, IngressTLS } from '../../generated/types/networking.v1.ts';
import { ipFamily } from '../../ip-address.ts';
import { pathSegmentFaults } from '../../meta/validation.ts';
import { dns1035LabelFaults, dns1123SubdomainFaults, portNameFaults, wildcardSubdomainFaults } from '../../names.ts';
import { checkPortNumber, checkSubdomain, checkWith } from '../../validation.ts';

const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];
const FORBIDDEN_PARTS = ['//', '/./', '/../', '%2f', '%2F'];
const FORBIDDEN_ENDS = ['/..', '/.'];

/** A reference to an object in the same namespace (upstream: validateIngressTypedLocalObjectReference). */
export function checkTypedReference(reference: { apiGroup?: string | null; kind?: string; name?: string }, field: string): FieldError[] {
  const { apiGroup, kind, name } = reference;
  return [
    ...(apiGroup === undefined || apiGroup === null ? [] : checkSubdomain(apiGroup, `${field}.apiGroup`)),
    ...(kind ? checkWith(pathSegmentFaults, kind, `${field}.kind`) : [required(`${field}.kind`)]),
    ...(name ? checkWith(pathSegmentFaults, name, `${field}.name`) : [required(`${field}.name`)]),
  ];
}

/** Upstream: validateIngressBackend. */
function checkBackend({ service, resource }: IngressBackend, field: string): FieldError[] {
  if (service && resource) return [invalid(field, '', 'cannot set both resource and service backends')];
  if (resource) return checkTypedReference(resource, `${field}.resource`);
  if (!service) return [invalid(field, '', 'resource or service backend is required')];
  const path = `${field}.service`;
  const errors = service.name ? checkWith(dns1035LabelFaults, service.name, `${path}.name`) : [required(`${path}.name`)];
  const { name, number } = service.port ?? {};
  if (name && number) errors.push(invalid(field, '', 'cannot set both port name & port number'));
  else if (name) errors.push(...checkWith(portNameFaults, name, `${path}.port.name`));
  else if (number) errors.push(...checkPortNumber(number, `${path}.port.number`));
  else errors.push(required(field, 'port name or number is required'));
  return errors;
}

/** Upstream: validateHTTPIngressPath. */
function checkPath({ path = '', pathType, backend }: Omit<HTTPIngressPath, 'pathType'> & { pathType?: string | null }, field: string): FieldError[] {
  if (pathType === undefined || pathType === null) return [required(`${field}.pathType`, 'pathType must be specified')];
  const errors: FieldError[] = [];
  const wrong = (words: string): number => errors.push(invalid(`${field}.path`, path, words));
  if (!PATH_TYPES.includes(pathType)) errors.push(notSupported(`${field}.pathType`, pathType, PATH_TYPES));
  else if (pathType !== 'ImplementationSpecific') {
    if (!path.startsWith('/')) wrong('must be an absolute path');
    for (const part of FORBIDDEN_PARTS) if (path.includes(part)) wrong(`must not contain '${part}'`);
    for (const end of FORBIDDEN_ENDS) if (path.endsWith(end)) wrong(`cannot end with '${end}'`);
  } else if (path && !path.startsWith('/')) wrong('must be an absolute path');
  return [...errors, ...checkBackend(backend ?? {}, `${field}.backend`)];
}

const checkHost = (host: string, field: string): FieldError[] => checkWith(host.includes('*') ? wildcardSubdomainFaults : dns1123SubdomainFaults, host, field);

function checkRule({ host, http }: IngressRule, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (host) {
    if (ipFamily(host) !== undefined) errors.push(invalid(`${field}.host`, host, 'must be a DNS name, not an IP address'));
    errors.push(...checkHost(host, `${field}.host`));
  }
  if (!http) return errors;
  const paths = http.paths ?? [];
  if (paths.length === 0) errors.push(required(`${field}.http.paths`));
  return [...errors, ...paths.flatMap((path, index) => checkPath(path, at(`${field}.http.paths`, index)))];
}

function checkTls({ hosts, secretName }: IngressTLS, field: string): FieldError[] {
  return [
    ...(hosts ?? []).flatMap((host, index) => checkHost(host, at(`${field}.hosts`, index))),
    ...(secretName ? checkSubdomain(secretName, `${field}.secretName`) : []),
  ];
}

/** Upstream: pkg/apis/networking/validation, ValidateIngressSpec. */
export function validateIngressSpec(spec: IngressSpec): FieldError[] {
  const { rules = [], defaultBackend, tls = [], ingressClassName } = spec;
  return [
    ...(rules.length === 0 && !defaultBackend ? [invalid('spec', asGiven(spec, 'rules'), 'either `defaultBackend` or `rules` must be specified')] : []),
    ...(defaultBackend ? checkBackend(defaultBackend, 'spec.defaultBackend') : []),
    ...rules.flatMap((rule, index) => checkRule(rule, at('spec.rules', index))),
    ...tls.flatMap((entry, index) => checkTls(entry, at('spec.tls', index))),
    ...(ingressClassName === undefined ? [] : checkSubdomain(ingressClassName, 'spec.ingressClassName')),
  ];
}
