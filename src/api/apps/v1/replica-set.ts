import { setTemplateDefaults } from '../../core/v1/pod/defaults.ts';
import { templateCells } from '../../core/v1/pod/template-cells.ts';
import { age } from '../../duration.ts';
import type { ReplicaSet } from '../../generated/types/apps.v1.ts';
import { formatSelector, selectorText } from '../../labels.ts';
import type { KindBehaviour } from '../../resource.ts';

/** Upstream: pkg/apis/apps/v1/defaults.go, pkg/registry/apps/replicaset/strategy.go. */
export const replicaSet: KindBehaviour<ReplicaSet> = {
  group: 'apps',
  version: 'v1',
  kind: 'ReplicaSet',
  hasGeneration: true,
  hasStatus: true,
  setDefaults: ({ spec }) => {
    setTemplateDefaults(spec.template);
    spec.replicas ??= 1;
  },
  prepareForCreate: (object) => {
    object.status = { replicas: 0 };
  },
  row: ({ metadata, spec, status }, nowMs) => [
    metadata.name ?? '',
    spec.replicas ?? 0,
    status.replicas ?? 0,
    status.readyReplicas ?? 0,
    age(metadata.creationTimestamp, nowMs),
    ...templateCells(spec.template?.spec),
    formatSelector(spec.selector),
  ],
  selectableFields: { 'status.replicas': ({ status }) => String(status.replicas ?? 0) },
  scale: {
    specReplicas: ({ spec }) => spec.replicas ?? 0,
    withSpecReplicas: (object, replicas) => ({ ...object, spec: { ...object.spec, replicas } }),
    statusReplicas: ({ status }) => status.replicas ?? 0,
    selector: ({ spec }) => selectorText(spec.selector),
  },
};
