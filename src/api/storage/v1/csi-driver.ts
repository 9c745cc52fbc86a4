import { age } from '../../duration.ts';
import type { CSIDriver } from '../../generated/types/storage.v1.ts';
import type { KindBehaviour } from '../../kind.ts';

/** Upstream: pkg/apis/storage/v1/defaults.go, SetDefaults_CSIDriver. */
export const csiDriver: KindBehaviour<CSIDriver> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSIDriver',
  setDefaults: ({ spec }) => {
    spec.attachRequired ??= true;
    spec.podInfoOnMount ??= false;
    spec.storageCapacity ??= false;
    spec.fsGroupPolicy ??= 'ReadWriteOnceWithFSType';
    if (!spec.volumeLifecycleModes?.length) spec.volumeLifecycleModes = ['Persistent'];
    spec.requiresRepublish ??= false;
    spec.seLinuxMount ??= false;
  },
  row: ({ metadata, spec }, nowMs) => [
    metadata.name ?? '',
    spec.attachRequired ?? true,
    spec.podInfoOnMount ?? false,
    spec.storageCapacity ?? false,
    spec.tokenRequests?.map(({ audience }) => audience).join() ?? '<unset>',
    spec.requiresRepublish ?? false,
    spec.volumeLifecycleModes?.join() || '<none>',
    age(metadata.creationTimestamp, nowMs),
  ],
};
