import type { Pod } from '../api/generated/types/core.v1.ts';
import { hasReason } from '../api/status.ts';
import type { ConfigSource } from './environment.ts';

async function isThere(read: Promise<unknown>): Promise<boolean> {
  try {
    await read;
    return true;
  } catch (error) {
    if (hasReason(error, 'NotFound')) return false;
    throw error;
  }
}

/**
 * The first volume whose ConfigMap or Secret is not there, as the event FailedMount tells it.
 * The projected volumes that every pod gets from its service account are taken to be complete.
 */
export async function missingVolume(pod: Pod, source: ConfigSource): Promise<string | undefined> {
  const namespace = pod.metadata.namespace ?? '';
  for (const { name, configMap, secret } of pod.spec.volumes ?? []) {
    const fault = (what: string): string => `MountVolume.SetUp failed for volume "${name}" : ${what} not found`;
    if (configMap && !configMap.optional && !(await isThere(source.configMap(namespace, configMap.name ?? '')))) return fault(`configmap "${configMap.name}"`);
    if (secret && !secret.optional && !(await isThere(source.secret(namespace, secret.secretName ?? '')))) return fault(`secret "${secret.secretName}"`);
  }
  return undefined;
}
