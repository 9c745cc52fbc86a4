import type { Pod } from '../../api/generated/types/core.v1.ts';
import { hasReason } from '../../api/status.ts';
import type { ConfigSource } from '../config/environment.ts';

async function isThere(read: Promise<unknown>): Promise<boolean> {
  try {
    await read;
    return true;
  } catch (error) {
    if (hasReason(error, 'NotFound')) return false;
    throw error;
  }
}

/** Which of a pod's volumes have no claim, as the event FailedMount tells it. */
export async function missingClaims({ metadata, spec }: Pod, source: ConfigSource): Promise<string | undefined> {
  const namespace = metadata.namespace ?? '';
  const absent: string[] = [];
  const faults: string[] = [];
  for (const { name, persistentVolumeClaim: claim } of spec.volumes ?? []) {
    if (!claim || (await isThere(source.claim(namespace, claim.claimName)))) continue;
    absent.push(name);
    faults.push(
      `error processing PVC ${namespace}/${claim.claimName}: failed to fetch PVC from API server: persistentvolumeclaims "${claim.claimName}" not found`,
    );
  }
  if (absent.length === 0) return undefined;
  const names = absent.join(' ');
  return `Unable to attach or mount volumes: unmounted volumes=[${names}], unattached volumes=[], failed to process volumes=[${names}]: ${faults.join(', ')}`;
}
