import type { Pod } from '../../../generated/types/core.v1.ts';

/** The names of the claims that the pod mounts. */
export function claimsOf({ metadata, spec }: Pod): string[] {
  return (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) =>
    persistentVolumeClaim ? [persistentVolumeClaim.claimName] : ephemeral ? [`${metadata.name}-${name}`] : [],
  );
}

/** The names of objects of a kind, all of the pod's namespace, that the pod refers to (upstream: pkg/api/v1/pod, VisitPodSecretNames and its like). */
export function referencesOf(pod: Pod, resource: string): string[] {
  const { spec, metadata } = pod;
  const containers = [...spec.containers, ...(spec.initContainers ?? []), ...(spec.ephemeralContainers ?? [])];
  const volumes = spec.volumes ?? [];
  const projected = volumes.flatMap((volume) => volume.projected?.sources ?? []);
  const names = (found: readonly ({ name?: string } | undefined)[]): string[] => found.flatMap((one) => one?.name ?? []);
  switch (resource) {
    case 'pods':
      return [metadata.name ?? ''];
    case 'serviceaccounts':
      return [spec.serviceAccountName ?? ''];
    case 'persistentvolumeclaims':
      return claimsOf(pod);
    case 'secrets':
      return [
        ...names(spec.imagePullSecrets ?? []),
        ...volumes.flatMap(({ secret }) => secret?.secretName ?? []),
        ...names(projected.map(({ secret }) => secret)),
        ...names(
          containers.flatMap(({ env = [], envFrom = [] }) => [
            ...env.map(({ valueFrom }) => valueFrom?.secretKeyRef),
            ...envFrom.map(({ secretRef }) => secretRef),
          ]),
        ),
      ];
    case 'configmaps':
      return [
        ...names(volumes.map(({ configMap }) => configMap)),
        ...names(projected.map(({ configMap }) => configMap)),
        ...names(
          containers.flatMap(({ env = [], envFrom = [] }) => [
            ...env.map(({ valueFrom }) => valueFrom?.configMapKeyRef),
            ...envFrom.map(({ configMapRef }) => configMapRef),
          ]),
        ),
      ];
    default:
      return [];
  }
}
