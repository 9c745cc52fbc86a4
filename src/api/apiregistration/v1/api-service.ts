import { age } from '../../duration.ts';
import { at, type FieldError, invalid, notSupported, required } from '../../field-error.ts';
import type { APIService, APIServiceSpec, ServiceReference } from '../../generated/types/apiregistration.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { pathSegmentFaults } from '../../meta/validation.ts';
import { dns1035LabelFaults, dns1123SubdomainFaults, portNumberFaults } from '../../names.ts';
import { checkWith } from '../../validation.ts';

const STATUSES = ['True', 'False', 'Unknown'];
const MOST_GROUP_PRIORITY = 20_000;
const MOST_VERSION_PRIORITY = 1000;

function availability({ status }: APIService): string {
  const condition = status?.conditions?.find(({ type }) => type === 'Available');
  if (!condition) return 'Unknown';
  return condition.status !== 'True' && condition.reason ? `${condition.status} (${condition.reason})` : condition.status;
}

/** The name is made of the version and the group. */
function nameFaults(name: string, { object: { spec } }: { object: APIService }): string[] {
  const faults = pathSegmentFaults(name);
  const right = `${spec.version ?? ''}.${spec.group ?? ''}`;
  return faults.length || name === right ? faults : [`must be \`spec.version+"."+spec.group\`: ${JSON.stringify(right)}`];
}

function checkPriority(priority: number, field: string, most: number): FieldError[] {
  return priority > 0 && priority <= most ? [] : [invalid(field, priority, `must be positive and less than ${most}`)];
}

/** An API that this server serves itself trusts nobody. */
function checkLocal({ caBundle = '', insecureSkipTLSVerify }: APIServiceSpec): FieldError[] {
  const bytes = Buffer.from(caBundle, 'base64').length;
  return [
    ...(bytes ? [invalid('spec.caBundle', `${bytes} bytes`, 'local APIServices may not have a caBundle')] : []),
    ...(insecureSkipTLSVerify ? [invalid('spec.insecureSkipTLSVerify', true, 'local APIServices may not have insecureSkipTLSVerify')] : []),
  ];
}

function checkRemote({ namespace, name, port = 0 }: ServiceReference, { caBundle, insecureSkipTLSVerify }: APIServiceSpec): FieldError[] {
  const faults = portNumberFaults(port);
  return [
    ...(namespace ? [] : [required('spec.service.namespace')]),
    ...(name ? [] : [required('spec.service.name')]),
    ...(faults.length ? [invalid('spec.service.port', port, `port is not valid: ${faults.join(', ')}`)] : []),
    ...(insecureSkipTLSVerify && caBundle ? [invalid('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present')] : []),
  ];
}

/** Upstream: kube-aggregator/pkg/apis/apiregistration/validation, ValidateAPIService. */
function validate({ spec }: APIService): FieldError[] {
  const { group, version = '', groupPriorityMinimum = 0, versionPriority = 0, service } = spec;
  return [
    ...(!group && version !== 'v1' ? [required('spec.group', 'only v1 may have an empty group and it better be legacy kube')] : []),
    ...(group ? checkWith(dns1123SubdomainFaults, group, 'spec.group') : []),
    ...checkWith(dns1035LabelFaults, version, 'spec.version'),
    ...checkPriority(groupPriorityMinimum, 'spec.groupPriorityMinimum', MOST_GROUP_PRIORITY),
    ...checkPriority(versionPriority, 'spec.versionPriority', MOST_VERSION_PRIORITY),
    ...(service ? checkRemote(service, spec) : checkLocal(spec)),
  ];
}

const checkConditions = ({ status }: APIService): FieldError[] =>
  (status?.conditions ?? []).flatMap(({ status: is = '' }, index) =>
    STATUSES.includes(is) ? [] : [notSupported(`${at('status.conditions', index)}.status`, is, STATUSES)],
  );

/** Upstream: kube-aggregator/pkg/registry/apiservice/strategy.go and etcd, ConvertToTable. */
export const apiService: KindBehaviour<APIService> = {
  group: 'apiregistration.k8s.io',
  version: 'v1',
  kind: 'APIService',
  storagePrefix: 'apiregistration.k8s.io/apiservices',
  allowUnconditionalUpdate: false,
  metadataRules: 'general',
  validateName: nameFaults,
  setDefaults: ({ spec }) => {
    if (spec.service) spec.service.port ??= 443;
  },
  prepareForCreate: (object) => {
    const lastTransitionTime = object.metadata.creationTimestamp;
    const local = { type: 'Available', status: 'True', reason: 'Local', message: 'Local APIServices are always available' };
    object.status = object.spec.service ? {} : { conditions: [{ ...local, ...(lastTransitionTime ? { lastTransitionTime } : {}) }] };
  },
  validate,
  updateOrder: ['metadata', 'whole'],
  validateStatusUpdate: checkConditions,
  row: (object, nowMs) => {
    const { metadata, spec } = object;
    const service = spec.service ? `${spec.service.namespace ?? ''}/${spec.service.name ?? ''}` : 'Local';
    return [metadata.name ?? '', service, availability(object), age(metadata.creationTimestamp, nowMs)];
  },
};
