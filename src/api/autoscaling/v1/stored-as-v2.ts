import type { StoredAs } from '../../kind.ts';
import type { KubeObject } from '../../object.ts';

type Fields = Record<string, unknown>;

const HPA_ANNOTATIONS = {
  metrics: 'autoscaling.alpha.kubernetes.io/metrics',
  behavior: 'autoscaling.alpha.kubernetes.io/behavior',
  conditions: 'autoscaling.alpha.kubernetes.io/conditions',
  currentMetrics: 'autoscaling.alpha.kubernetes.io/current-metrics',
} as const;

interface CpuMetric {
  type: string;
  resource?: { name?: string; target?: { type?: string; averageUtilization?: number }; current?: { averageUtilization?: number } };
}

const isCpuUtilization = (metric: CpuMetric, side: 'target' | 'current'): boolean =>
  metric.type === 'Resource' &&
  metric.resource?.name === 'cpu' &&
  (side === 'target' ? metric.resource.target?.type === 'Utilization' : metric.resource.current?.averageUtilization !== undefined);

/** v1 knows one metric, CPU utilization; all else of v2 travels in annotations (upstream: pkg/apis/autoscaling/v1/conversion.go). */
export const storedAsV2: StoredAs = {
  group: 'autoscaling',
  version: 'v2',
  toStorage(object) {
    const { spec, status, ...rest } = object as KubeObject & { spec: Fields; status?: Fields };
    const { targetCPUUtilizationPercentage: target, ...specRest } = spec;
    const { currentCPUUtilizationPercentage: current, ...statusRest } = status ?? {};
    const annotations = { ...object.metadata.annotations };
    const take = (name: keyof typeof HPA_ANNOTATIONS): unknown => {
      const text = annotations[HPA_ANNOTATIONS[name]];
      delete annotations[HPA_ANNOTATIONS[name]];
      try {
        return text === undefined ? undefined : JSON.parse(text);
      } catch {
        return undefined;
      }
    };
    const more = take('metrics') as unknown[] | undefined;
    const behavior = take('behavior');
    const conditions = take('conditions');
    const currentMore = take('currentMetrics') as unknown[] | undefined;
    const cpu = target === undefined ? [] : [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: target } } }];
    const cpuNow = current === undefined ? [] : [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: current } } }];
    const metrics = [...cpu, ...(more ?? [])];
    const currentMetrics = [...cpuNow, ...(currentMore ?? [])];
    const { annotations: _, ...metadata } = object.metadata;
    return {
      ...rest,
      apiVersion: 'autoscaling/v2',
      metadata: { ...metadata, ...(Object.keys(annotations).length ? { annotations } : {}) },
      spec: { ...specRest, ...(metrics.length ? { metrics } : {}), ...(behavior ? { behavior } : {}) },
      status: { ...statusRest, ...(currentMetrics.length ? { currentMetrics } : {}), ...(conditions ? { conditions } : {}) },
    } as KubeObject;
  },
  fromStorage(object) {
    const { spec, status, ...rest } = object as KubeObject & { spec: Fields; status?: Fields };
    const { metrics = [], behavior, ...specRest } = spec as { metrics?: CpuMetric[]; behavior?: unknown };
    const { currentMetrics = [], conditions, ...statusRest } = (status ?? {}) as { currentMetrics?: CpuMetric[]; conditions?: unknown[] };
    const cpu = metrics.find((m) => isCpuUtilization(m, 'target'));
    const cpuNow = currentMetrics.find((m) => isCpuUtilization(m, 'current'));
    const more = metrics.filter((m) => m !== cpu);
    const moreNow = currentMetrics.filter((m) => m !== cpuNow);
    const annotations = {
      ...object.metadata.annotations,
      ...(more.length ? { [HPA_ANNOTATIONS.metrics]: JSON.stringify(more) } : {}),
      ...(behavior ? { [HPA_ANNOTATIONS.behavior]: JSON.stringify(behavior) } : {}),
      ...(conditions?.length ? { [HPA_ANNOTATIONS.conditions]: JSON.stringify(conditions) } : {}),
      ...(moreNow.length ? { [HPA_ANNOTATIONS.currentMetrics]: JSON.stringify(moreNow) } : {}),
    };
    return {
      ...rest,
      apiVersion: 'autoscaling/v1',
      metadata: { ...object.metadata, ...(Object.keys(annotations).length ? { annotations } : {}) },
      spec: { ...specRest, ...(cpu ? { targetCPUUtilizationPercentage: cpu.resource!.target!.averageUtilization } : {}) },
      status: {
        currentReplicas: 0,
        desiredReplicas: 0,
        ...statusRest,
        ...(cpuNow ? { currentCPUUtilizationPercentage: cpuNow.resource!.current!.averageUtilization } : {}),
      },
    } as KubeObject;
  },
};
