import type { Volume, VolumeProjection } from '../../../generated/types/core.v1.ts';

/** A path within a volume, and where it comes from if there are several sources. */
interface Origin {
  path: string;
  source: string;
}

const shown = ({ path, source }: Origin): string => (source ? `"${path}" (${source})` : `"${path}"`);
const listed = (items: readonly { path: string }[] | undefined, source = ''): Origin[] => (items ?? []).map(({ path }) => ({ path, source }));

/** Files of a volume that come to lie on or below each other (upstream: pkg/api/pod/warnings.go, warningsForOverlappingVirtualPaths). */
export function overlapWarnings({ name, configMap, secret, downwardAPI, projected }: Volume): string[] {
  const warn = (what: string, origins: readonly Origin[]): string[] =>
    overlaps(origins).map((overlap) => `volume "${name}" (${what}): overlapping paths: ${overlap}`);
  const sources = projected?.sources ?? [];
  return [
    ...warn(`ConfigMap "${configMap?.name ?? ''}"`, listed(configMap?.items)),
    ...warn(`Secret "${secret?.secretName ?? ''}"`, listed(secret?.items)),
    ...warn('DownwardAPI', listed(downwardAPI?.items)),
    ...sources.flatMap((source) => (Object.keys(source).length === 0 ? [`volume "${name}" (Projected) has no sources provided`] : [])),
    ...warn('Projected', sources.flatMap(originsOf)),
  ];
}

function originsOf({ configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle }: VolumeProjection): Origin[] {
  if (configMap?.items) return listed(configMap.items, `ConfigMap "${configMap.name ?? ''}"`);
  if (secret?.items) return listed(secret.items, `Secret "${secret.name ?? ''}"`);
  if (downwardAPI?.items) return listed(downwardAPI.items, 'DownwardAPI');
  if (serviceAccountToken) return [{ path: serviceAccountToken.path, source: 'ServiceAccountToken' }];
  if (clusterTrustBundle)
    return [{ path: clusterTrustBundle.path, source: `ClusterTrustBundle "${clusterTrustBundle.name ?? clusterTrustBundle.signerName ?? ''}"` }];
  return [];
}

function overlaps(origins: readonly Origin[]): string[] {
  const trimmed = origins.map(({ path, source }) => ({ path: path.replace(/\/+$/, ''), source }));
  return trimmed.flatMap((one, index) =>
    trimmed.slice(0, index).flatMap((other) => {
      if (!one.path || !other.path) return [];
      const isWithin = (inner: Origin, outer: Origin): boolean => `${inner.path}/`.startsWith(`${outer.path}/`);
      return isWithin(one, other) || isWithin(other, one) ? [`${shown(one)} with ${shown(other)}`] : [];
    }),
  );
}
