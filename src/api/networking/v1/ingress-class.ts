import { age } from '../../duration.ts';
import { type FieldError, forbidden, invalid, notSupported, required, tooLong } from '../../field-error.ts';
import type { IngressClass, IngressClassParametersReference } from '../../generated/types/networking.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { checkDomainPrefixedPath, checkLabelName } from '../../validation.ts';
import { checkTypedReference } from './ingress-validation.ts';

const MAX_CONTROLLER = 250;
const SCOPES = ['Cluster', 'Namespace'];

function checkParameters(parameters: IngressClassParametersReference, field: string): FieldError[] {
  const errors = checkTypedReference(parameters, field);
  const { scope, namespace } = parameters;
  if (scope === undefined) return [...errors, required(`${field}.scope`)];
  if (!SCOPES.includes(scope)) return [...errors, notSupported(`${field}.scope`, scope, SCOPES)];
  const path = `${field}.namespace`;
  if (scope === 'Cluster') return [...errors, ...(namespace === undefined ? [] : [forbidden(path, "`parameters.scope` is set to 'Cluster'")])];
  return [...errors, ...(namespace === undefined ? [required(path, "`parameters.scope` is set to 'Namespace'")] : checkLabelName(namespace, path))];
}

/** Upstream: ValidateIngressClass. */
function validate({ spec }: IngressClass): FieldError[] {
  const { controller = '', parameters } = spec ?? {};
  return [
    ...(controller.length > MAX_CONTROLLER ? [tooLong('spec.controller', MAX_CONTROLLER)] : []),
    ...checkDomainPrefixedPath(controller, 'spec.controller'),
    ...(parameters ? checkParameters(parameters, 'spec.parameters') : []),
  ];
}

export const ingressClass: KindBehaviour<IngressClass> = {
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'IngressClass',
  hasGeneration: true,
  setDefaults: ({ spec }) => {
    if (spec?.parameters) spec.parameters.scope ??= 'Cluster';
  },
  validate,
  validateUpdate: (object, old) =>
    object.spec?.controller === old.spec?.controller ? [] : [invalid('spec.controller', object.spec?.controller ?? '', 'field is immutable')],
  updateOrder: ['metadata', 'change', 'whole'],
  row: ({ metadata, spec }, nowMs) => {
    const { apiGroup, kind, name } = spec?.parameters ?? {};
    return [
      metadata.name ?? '',
      spec?.controller ?? '',
      kind ? `${kind}${apiGroup ? `.${apiGroup}` : ''}/${name}` : '<none>',
      age(metadata.creationTimestamp, nowMs),
    ];
  },
};
