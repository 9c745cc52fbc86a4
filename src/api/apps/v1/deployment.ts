import { setTemplateDefaults } from '../../core/v1/pod/defaults.ts';
import { templateCells } from '../../core/v1/pod/template-cells.ts';
import { age } from '../../duration.ts';
import type { Deployment } from '../../generated/types/apps.v1.ts';
import { formatSelector, selectorText } from '../../labels.ts';
import type { KindBehaviour } from '../../resource.ts';

/** Upstream: pkg/apis/apps/v1/defaults.go, pkg/registry/apps/deployment/strategy.go. */
export const deployment: KindBehaviour<Deployment> = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  hasGeneration: true,
  hasStatus: true,
  setDefaults: ({ spec }) => {
    setTemplateDefaults(spec.template);
    spec.replicas ??= 1;
    spec.strategy ??= {};
    spec.strategy.type ||= 'RollingUpdate';
    if (spec.strategy.type === 'RollingUpdate') {
      spec.strategy.rollingUpdate ??= {};
      spec.strategy.rollingUpdate.maxUnavailable ??= '25%';
      spec.strategy.rollingUpdate.maxSurge ??= '25%';
    }
    spec.revisionHistoryLimit ??= 10;
    spec.progressDeadlineSeconds ??= 600;
  },
  prepareForCreate: (object) => {
    object.status = {};
  },
  row: ({ metadata, spec, status }, nowMs) => [
    metadata.name ?? '',
    `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
    status.updatedReplicas ?? 0,
    status.availableReplicas ?? 0,
    age(metadata.creationTimestamp, nowMs),
    ...templateCells(spec.template?.spec),
    formatSelector(spec.selector),
  ],
  scale: {
    specReplicas: ({ spec }) => spec.replicas ?? 0,
    withSpecReplicas: (object, replicas) => ({ ...object, spec: { ...object.spec, replicas } }),
    statusReplicas: ({ status }) => status.replicas ?? 0,
    selector: ({ spec }) => selectorText(spec.selector),
  },
};
