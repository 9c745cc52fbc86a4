import { podResources } from '../api/core/v1/pod/requests.ts';
import type { Pod } from '../api/generated/types/core.v1.ts';
import { asNumber } from '../api/quantity.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { NodePaths } from './config/node-paths.ts';
import { POD_UID_LABEL } from './labels.ts';
import type { Cause } from './plan/pod-life.ts';

/** What a pod has written to the node's disk, in bytes. */
export interface LocalUsage {
  /** By the name of the volume. */
  volumes: ReadonlyMap<string, number>;
  /** By the name of the container: its own files and its logs. */
  containers: ReadonlyMap<string, number>;
}

const EPHEMERAL_STORAGE = 'ephemeral-storage';

/** Whether anything limits what a pod may write. */
export function hasStorageLimits({ spec }: Pod): boolean {
  return (spec.volumes ?? []).some(({ emptyDir }) => emptyDir?.sizeLimit) || spec.containers.some(({ resources }) => resources?.limits?.[EPHEMERAL_STORAGE]);
}

/** Which limit a pod has passed (upstream: eviction_manager.go localStorageEviction). Pure. */
export function exceededLimit({ spec }: Pod, { volumes, containers }: LocalUsage): Cause | undefined {
  const evicted = (message: string): Cause => ({ reason: 'Evicted', message });
  for (const { name, emptyDir } of spec.volumes ?? []) {
    const limit = emptyDir?.sizeLimit;
    if (limit && asNumber(limit) > 0 && (volumes.get(name) ?? 0) > asNumber(limit)) {
      return evicted(`Usage of EmptyDir volume "${name}" exceeds the limit "${limit}". `);
    }
  }
  const limits = spec.containers.map(({ resources }) => resources?.limits?.[EPHEMERAL_STORAGE]);
  const onDisk = (spec.volumes ?? []).filter(({ emptyDir }) => emptyDir && emptyDir.medium !== 'Memory').map(({ name }) => volumes.get(name) ?? 0);
  const total = [...onDisk, ...containers.values()].reduce((sum, bytes) => sum + bytes, 0);
  const allowed = podResources(spec, 'limits')[EPHEMERAL_STORAGE];
  if (limits.every(Boolean) && allowed !== undefined && total > asNumber(allowed))
    return evicted(`Pod ephemeral local storage usage exceeds the total limit of containers ${allowed}. `);
  for (const { name, resources } of spec.containers) {
    const limit = resources?.limits?.[EPHEMERAL_STORAGE];
    if (limit && (containers.get(name) ?? 0) > asNumber(limit)) return evicted(`Container ${name} exceeded its local ephemeral storage limit "${limit}". `);
  }
  return undefined;
}

/** Looks how much a pod has written. */
export async function localUsage({ runtime, paths }: { runtime: Runtime; paths: NodePaths }, { metadata, spec }: Pod): Promise<LocalUsage> {
  const uid = metadata.uid ?? '';
  const { files, runtimeService } = runtime;
  const volumes = new Map<string, number>();
  for (const { name, emptyDir } of spec.volumes ?? []) if (emptyDir) volumes.set(name, await files.usedBytes(paths.volume(uid, name)));
  const containers = new Map<string, number>();
  for (const run of await runtimeService.listContainers({ state: 'running', labelSelector: { [POD_UID_LABEL]: uid } })) {
    const { name } = run.metadata;
    const written = (await runtimeService.containerStats(run.id))?.writtenBytes ?? 0;
    containers.set(name, written + (await files.usedBytes(`${paths.logs(metadata)}/${name}`)));
  }
  return { volumes, containers };
}
