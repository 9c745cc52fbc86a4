import { referencesOf } from '../../api/core/v1/pod/references.ts';
import type { Container, Pod, Volume } from '../../api/generated/types/core.v1.ts';
import { ServiceAccounts } from '../../api/resources.ts';
import { forbidden } from '../../api/status.ts';
import type { Rng } from '../../lib/rng.ts';
import type { AdmissionPlugin } from './admission.ts';

const DEFAULT_NAME = 'default';
const MIRROR_POD = 'kubernetes.io/config.mirror';
const TOKEN_MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
/** Longer than an hour by a little, by which upstream marks tokens that only look like expiring in an hour. */
const TOKEN_SECONDS = 3607;
const VOLUME_PREFIX = 'kube-api-access-';

/** Every pod runs as a service account of its namespace, and finds that account's credentials in a volume. */
export const serviceAccount: AdmissionPlugin = {
  name: 'ServiceAccount',

  async admit({ operation, resource, subresource, namespace, name, object }, context) {
    if (operation !== 'CREATE' || resource.facts.kind !== 'Pod' || subresource) return object;
    const pod = object as Pod;
    if (pod.metadata.annotations?.[MIRROR_POD]) return object;
    const { spec } = pod;
    spec.serviceAccountName ||= DEFAULT_NAME;
    const account = await context.get(ServiceAccounts, { namespace, name: spec.serviceAccountName });
    if (!account)
      throw forbidden(
        resource.facts,
        name,
        `error looking up service account ${namespace}/${spec.serviceAccountName}: serviceaccount ${JSON.stringify(spec.serviceAccountName)} not found`,
      );
    spec.serviceAccount = spec.serviceAccountName;
    if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) mountToken(pod, context.rng);
    if (!spec.imagePullSecrets?.length && account.imagePullSecrets?.length) spec.imagePullSecrets = structuredClone(account.imagePullSecrets);
    return pod;
  },

  validate({ operation, resource, subresource, name, object }) {
    if (operation !== 'CREATE' || resource.facts.kind !== 'Pod' || subresource) return undefined;
    const pod = object as Pod;
    if (!pod.metadata.annotations?.[MIRROR_POD]) return undefined;
    const refuse = (what: string): Error => forbidden(resource.facts, name, `a mirror pod may not ${what}`);
    if (pod.spec.serviceAccountName) throw refuse('reference service accounts');
    if (referencesOf(pod, 'secrets').length) throw refuse('reference secrets');
    const hasToken = (pod.spec.volumes ?? []).some(({ projected }) => (projected?.sources ?? []).some(({ serviceAccountToken }) => serviceAccountToken));
    if (hasToken) throw refuse('use ServiceAccountToken volume projections');
    return undefined;
  },
};

function mountToken({ spec }: Pod, rng: Rng): void {
  const existing = spec.volumes?.find((volume) => volume.name.startsWith(VOLUME_PREFIX));
  const volumeName = existing?.name ?? VOLUME_PREFIX + rng.suffix(5);
  let mounted = false;
  const mount = (container: Container): void => {
    if (container.volumeMounts?.some((m) => m.mountPath === TOKEN_MOUNT_PATH)) return;
    container.volumeMounts = [...(container.volumeMounts ?? []), { name: volumeName, readOnly: true, mountPath: TOKEN_MOUNT_PATH }];
    mounted = true;
  };
  for (const container of [...(spec.initContainers ?? []), ...spec.containers]) mount(container);
  if (mounted && !existing) spec.volumes = [...(spec.volumes ?? []), tokenVolume(volumeName)];
}

function tokenVolume(name: string): Volume {
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        { downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] } },
      ],
      defaultMode: 0o644,
    },
  };
}
