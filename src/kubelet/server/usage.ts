import { timestamp } from '../../lib/clock.ts';
import type { KubeletServer } from '../kubelet-server.ts';

/** The use of the node's pods, as metrics servers read it (k8s.io/kubelet: stats/v1alpha1.Summary), as far as the runtime tells of it. */
export async function statsSummary(server: KubeletServer, { nodeName, now }: { nodeName: string; now: number }): Promise<object> {
  const time = timestamp(now);
  const usages = await server.podUsage();
  const sum = (of: 'cpuNanoCores' | 'memoryBytes'): number =>
    usages.reduce((total, { containers }) => total + containers.reduce((inner, container) => inner + container[of], 0), 0);
  const figures = (cpuNanoCores: number, memoryBytes: number): object => ({
    cpu: { time, usageNanoCores: cpuNanoCores },
    memory: { time, workingSetBytes: memoryBytes },
  });
  return {
    node: { nodeName, startTime: time, ...figures(sum('cpuNanoCores'), sum('memoryBytes')) },
    pods: usages.map(({ namespace, name, uid, containers }) => ({
      podRef: { name, namespace, uid },
      containers: containers.map((container) => ({ name: container.name, ...figures(container.cpuNanoCores, container.memoryBytes) })),
    })),
  };
}

/** The same as metrics for Prometheus (upstream: pkg/kubelet/metrics/collectors/resource_metrics.go). */
export async function resourceMetrics(server: KubeletServer, now: number): Promise<string> {
  const usages = await server.podUsage();
  const lines = ['# HELP container_memory_working_set_bytes Current working set of the container in bytes', '# TYPE container_memory_working_set_bytes gauge'];
  for (const { namespace, name, containers } of usages) {
    for (const container of containers) {
      lines.push(`container_memory_working_set_bytes{container="${container.name}",namespace="${namespace}",pod="${name}"} ${container.memoryBytes} ${now}`);
    }
  }
  return `${lines.join('\n')}\n`;
}
