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
export async function missingVolume(pod: Pod, source: ConfigSource): Promise<{ message: string; claim: boolean } | undefined> {
  const namespace = pod.metadata.namespace ?? '';
  const absent: string[] = [];
  const faults: string[] = [];
  for (const { name, persistentVolumeClaim: claim } of pod.spec.volumes ?? []) {
    if (!claim || (await isThere(source.claim(namespace, claim.claimName)))) continue;
    absent.push(name);
    faults.push(
      `error processing PVC ${namespace}/${claim.claimName}: failed to fetch PVC from API server: persistentvolumeclaims "${claim.claimName}" not found`,
    );
  }
  if (absent.length) {
    const names = absent.join(' ');
    return {
      claim: true,
      message: `Unable to attach or mount volumes: unmounted volumes=[${names}], unattached volumes=[], failed to process volumes=[${names}]: ${faults.join(', ')}`,
    };
  }
  for (const { name, configMap, secret } of pod.spec.volumes ?? []) {
    const fault = (what: string) => ({ claim: false, message: `MountVolume.SetUp failed for volume "${name}" : ${what} not found` });
    if (configMap && !configMap.optional && !(await isThere(source.configMap(namespace, configMap.name ?? '')))) return fault(`configmap "${configMap.name}"`);
    if (secret && !secret.optional && !(await isThere(source.secret(namespace, secret.secretName ?? '')))) return fault(`secret "${secret.secretName}"`);
  }
  return undefined;
}
