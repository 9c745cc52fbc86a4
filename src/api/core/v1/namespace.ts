import { age } from '../../duration.ts';
import type { Namespace } from '../../generated/types/core.v1.ts';
import { nameCheck } from '../../meta/validation.ts';
import { dns1123LabelFaults } from '../../names.ts';
import type { KindBehaviour } from '../../resource.ts';

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
  row: ({ metadata, status }, nowMs) => [metadata.name ?? '', status.phase ?? '', age(metadata.creationTimestamp, nowMs)],
  selectableFields: {
    name: ({ metadata }) => metadata.name ?? '',
    'status.phase': ({ status }) => status.phase ?? '',
  },
};
