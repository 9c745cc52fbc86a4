import { deepEqual } from '../../equality.ts';
import { at, type FieldError, forbidden, invalid, required } from '../../field-error.ts';
import type { LocalSubjectAccessReview, ResourceAttributes, SelfSubjectAccessReview, SubjectAccessReview } from '../../generated/types/authorization.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { qualifiedNameFaults } from '../../names.ts';
import { checkWith } from '../../validation.ts';

type Spec = Partial<SubjectAccessReview['spec']>;

/** Upstream: pkg/apis/authorization/validation. */
function checkSpec({ resourceAttributes, nonResourceAttributes }: Spec, subject: FieldError[]): FieldError[] {
  const errors: FieldError[] = [];
  if (resourceAttributes && nonResourceAttributes) {
    const { path = '', verb = '' } = nonResourceAttributes;
    errors.push(invalid('spec.nonResourceAttributes', { Path: path, Verb: verb }, 'cannot be specified in combination with resourceAttributes'));
  }
  if (!resourceAttributes && !nonResourceAttributes)
    errors.push(invalid('spec.resourceAttributes', null, 'exactly one of nonResourceAttributes or resourceAttributes must be specified'));
  return [...errors, ...subject, ...(resourceAttributes ? checkSelectors(resourceAttributes) : [])];
}

function checkSubject({ user, groups }: Spec): FieldError[] {
  return user || groups?.length ? [] : [invalid('spec.user', '', 'at least one of user or group must be specified')];
}

interface Requirement {
  key?: string;
  operator?: string;
  values?: readonly string[];
}

function checkSelectors({ fieldSelector, labelSelector }: ResourceAttributes): FieldError[] {
  const field = 'spec.resourceAttributes';
  const check = (name: string, selector: typeof fieldSelector | typeof labelSelector, keyFaults: (key: string, path: string) => FieldError[]): FieldError[] => {
    if (!selector) return [];
    const path = `${field}.${name}`;
    const requirements = (selector.requirements ?? []) as readonly Requirement[];
    const both = selector.rawSelector && requirements.length;
    return [
      ...(both ? [invalid(`${path}.rawSelector`, selector.rawSelector, 'may not specified at the same time as requirements')] : []),
      ...(selector.rawSelector || requirements.length
        ? []
        : [required(`${path}.requirements`, `when ${path} is specified, requirements or rawSelector is required`)]),
      ...requirements.flatMap((requirement, index) => checkRequirement(requirement, at(`${path}.requirements`, index), keyFaults)),
    ];
  };
  return [
    ...check('fieldSelector', fieldSelector, (key, path) => (key ? [] : [required(path, 'must be specified')])),
    ...check('labelSelector', labelSelector, (key, path) => checkWith(qualifiedNameFaults, key, path)),
  ];
}

/** Operators that are not known may be those of a newer client. */
function checkRequirement(
  { key = '', operator, values = [] }: Requirement,
  field: string,
  keyFaults: (key: string, path: string) => FieldError[],
): FieldError[] {
  const errors: FieldError[] = [];
  if ((operator === 'In' || operator === 'NotIn') && values.length === 0)
    errors.push(required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
  if ((operator === 'Exists' || operator === 'DoesNotExist') && values.length > 0)
    errors.push(forbidden(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
  return [...errors, ...keyFaults(key, `${field}.key`)];
}

/** A review is a question, not a thing: it has no name and no labels. */
function checkMetadata({ metadata }: Pick<SubjectAccessReview, 'metadata'>, words: string, namespace?: string): FieldError[] {
  const { managedFields: _m, namespace: here, creationTimestamp: _c, ...rest } = metadata ?? {};
  const isEmpty = deepEqual(rest, {}) && (here === undefined || namespace !== undefined);
  return isEmpty ? [] : [invalid('metadata', metadata, words)];
}

export const subjectAccessReview: KindBehaviour<SubjectAccessReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SubjectAccessReview',
  validate: (review) => [...checkSpec(review.spec, checkSubject(review.spec)), ...checkMetadata(review, 'must be empty')],
};

export const selfSubjectAccessReview: KindBehaviour<SelfSubjectAccessReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectAccessReview',
  validate: (review) => [...checkSpec(review.spec, []), ...checkMetadata(review, 'must be empty')],
};

export const localSubjectAccessReview: KindBehaviour<LocalSubjectAccessReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'LocalSubjectAccessReview',
  validate: (review) => {
    const { spec, metadata } = review;
    const here = metadata?.namespace ?? '';
    const { resourceAttributes, nonResourceAttributes } = spec;
    return [
      ...checkSpec(spec, checkSubject(spec)),
      ...checkMetadata(review, 'must be empty except for namespace', here),
      ...(resourceAttributes && (resourceAttributes.namespace ?? '') !== here
        ? [invalid('spec.resourceAttributes.namespace', resourceAttributes.namespace ?? '', 'must match metadata.namespace')]
        : []),
      ...(nonResourceAttributes
        ? [
            invalid(
              'spec.nonResourceAttributes',
              { Path: nonResourceAttributes.path ?? '', Verb: nonResourceAttributes.verb ?? '' },
              'disallowed on this kind of request',
            ),
          ]
        : []),
    ];
  },
};
