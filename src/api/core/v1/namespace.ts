import { age } from '../../duration.ts';
import { type FieldError, invalid } from '../../field-error.ts';
import type { Namespace } from '../../generated/types/core.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { nameCheck } from '../../meta/validation.ts';
import { dns1123LabelFaults, qualifiedNameFaults } from '../../names.ts';
import { checkWith } from '../../validation.ts';

const FINALIZERS = ['kubernetes', 'orphan', 'foregroundDeletion'];

/** Upstream: pkg/apis/core/validation, ValidateNamespace. */
function validate({ spec }: Namespace): FieldError[] {
  const field = 'spec.finalizers';
  return (spec.finalizers ?? []).flatMap((finalizer) => {
    const errors = checkWith(qualifiedNameFaults, finalizer, field);
    if (finalizer.includes('/') || FINALIZERS.includes(finalizer)) return errors;
    return [...errors, invalid(field, finalizer, 'name is neither a standard finalizer name nor is it fully qualified')];
  });
}

/** A namespace that is being deleted says so, and no other does. */
function validateStatusUpdate({ metadata, status }: Namespace): FieldError[] {
  const phase = status.phase ?? '';
  if (!metadata.deletionTimestamp) return phase === 'Active' ? [] : [invalid('status.Phase', phase, "may only be 'Active' if `deletionTimestamp` is empty")];
  return phase === 'Terminating' ? [] : [invalid('status.Phase', phase, "may only be 'Terminating' if `deletionTimestamp` is not empty")];
}

/** Upstream: pkg/apis/core/v1/defaults.go, pkg/registry/core/namespace/strategy.go. */
export const namespace: KindBehaviour<Namespace> = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  hasStatus: true,
  validateName: nameCheck(dns1123LabelFaults),
  setDefaults: (object) => {
    const { name, labels } = object.metadata;
    if (name && labels?.['kubernetes.io/metadata.name'] !== name) object.metadata.labels = { ...labels, 'kubernetes.io/metadata.name': name };
    object.status ??= {};
    object.status.phase ||= 'Active';
  },
  prepareForCreate: (object) => {
    object.status = { phase: 'Active' };
    const finalizers = object.spec.finalizers ?? [];
    object.spec.finalizers = finalizers.includes('kubernetes') ? finalizers : [...finalizers, 'kubernetes'];
  },
  prepareForUpdate: (object, old) => {
    object.spec = { ...object.spec, finalizers: old.spec.finalizers ?? [] };
  },
  isHeld: ({ spec }) => (spec?.finalizers?.length ?? 0) > 0,
  markedForDeletion: ({ metadata: { deletionGracePeriodSeconds: _, ...metadata }, ...object }) => ({
    ...object,
    metadata,
    status: { ...object.status, phase: 'Terminating' },
  }),
  validate,
  updateOrder: ['whole', 'metadata'],
  validateStatusUpdate,
  row: ({ metadata, status }, nowMs) => [metadata.name ?? '', status.phase ?? '', age(metadata.creationTimestamp, nowMs)],
  selectableFields: {
    name: ({ metadata }) => metadata.name ?? '',
    'status.phase': ({ status }) => status.phase ?? '',
  },
};
