import type { ComponentStatus } from '../../generated/types/core.v1.ts';
import type { KindBehaviour } from '../../kind.ts';

/** Upstream: pkg/printers/internalversion, printComponentStatus. */
function cells({ metadata, conditions = [] }: ComponentStatus): string[] {
  const healthy = conditions.find(({ type }) => type === 'Healthy');
  const status = healthy?.status === 'True' ? 'Healthy' : healthy?.status === 'False' ? 'Unhealthy' : 'Unknown';
  return [metadata?.name ?? '', status, healthy?.message ?? '', healthy?.error ?? ''];
}

export const componentStatus: KindBehaviour<ComponentStatus> = {
  group: '',
  version: 'v1',
  kind: 'ComponentStatus',
  deprecation: 'v1 ComponentStatus is deprecated in v1.19+',
  row: (object) => cells(object),
};
