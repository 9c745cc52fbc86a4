import type {
  ConfigMap,
  ConfigMapProjection,
  ConfigMapVolumeSource,
  DownwardAPIVolumeFile,
  KeyToPath,
  Pod,
  Secret,
  SecretProjection,
  SecretVolumeSource,
  Volume,
  VolumeProjection,
} from '../../api/generated/types/core.v1.ts';
import { hasReason } from '../../api/status.ts';
import type { HostFile } from '../../runtime/runtime.ts';
import { type ConfigSource, type EnvironmentContext, fieldValue, resourceValue } from '../config/environment.ts';

/** A volume cannot be filled; the message is upstream's. */
export class VolumeError extends Error {}

export type VolumeFiles = Map<string, HostFile>;

const DEFAULT_MODE = 0o644;

/** Whether what a volume shows is read from the API server, and follows it. */
export function isFromApi({ configMap, secret, downwardAPI, projected }: Volume): boolean {
  return Boolean(configMap || secret || downwardAPI || projected);
}

/** What every pod gets from its service account: a token, and how to know the API server. */
const ACCESS_VOLUME = /^kube-api-access-/;

/**
 * The files of a volume that shows what the API server has, by relative path; undefined for access to an API server that
 * gives no tokens: nobody waits for the rest of it then.
 *
 * @throws VolumeError
 */
export async function volumeFiles(volume: Volume, context: EnvironmentContext, source: ConfigSource): Promise<VolumeFiles | undefined> {
  const { configMap, secret, downwardAPI, projected } = volume;
  if (configMap) return configMapFiles(configMap, configMap.defaultMode ?? DEFAULT_MODE, context, source);
  if (secret) return secretFiles({ ...secret, ...(secret.secretName ? { name: secret.secretName } : {}) }, secret.defaultMode ?? DEFAULT_MODE, context, source);
  if (downwardAPI) return downwardFiles(downwardAPI.items ?? [], downwardAPI.defaultMode ?? DEFAULT_MODE, context);
  const files: VolumeFiles = new Map();
  for (const projection of projected?.sources ?? []) {
    const projectedNow = await projectedFiles(projection, projected?.defaultMode ?? DEFAULT_MODE, context, source);
    if (!projectedNow && ACCESS_VOLUME.test(volume.name)) return undefined;
    for (const [path, file] of projectedNow ?? []) files.set(path, file);
  }
  return files;
}

/** Undefined where no token is given. Trust bundles are not there yet. */
async function projectedFiles(
  { configMap, secret, downwardAPI, serviceAccountToken }: VolumeProjection,
  mode: number,
  context: EnvironmentContext,
  source: ConfigSource,
): Promise<VolumeFiles | undefined> {
  if (serviceAccountToken) {
    const token = await source.token(context.pod, serviceAccountToken);
    if (token === undefined) return undefined;
    return new Map([[serviceAccountToken.path, { content: Buffer.from(token), ...tokenOwner(context.pod, mode) }]]);
  }
  if (configMap) return configMapFiles(configMap, mode, context, source);
  if (secret) return secretFiles(secret, mode, context, source);
  return downwardAPI ? downwardFiles(downwardAPI.items ?? [], mode, context) : new Map();
}

type Content = ReadonlyMap<string, Uint8Array>;

/** Where all containers run as one user, a token is that user's; for a group it is no more open than that (upstream: pkg/volume/projected). */
function tokenOwner({ spec }: Pod, mode: number): Pick<HostFile, 'mode' | 'uid'> {
  const all = [...spec.containers, ...(spec.initContainers ?? [])];
  const users = new Set(all.map(({ securityContext }) => securityContext?.runAsUser ?? spec.securityContext?.runAsUser));
  const [user] = users;
  if (users.size === 1 && user !== undefined) return { mode: 0o600, uid: Number(user) };
  return { mode: spec.securityContext?.fsGroup === undefined ? mode : 0o600 };
}

async function configMapFiles(
  { name = '', items, optional = false }: ConfigMapProjection | ConfigMapVolumeSource,
  mode: number,
  { pod }: EnvironmentContext,
  source: ConfigSource,
): Promise<VolumeFiles> {
  const object = await orMissing(source.configMap(pod.metadata.namespace ?? '', name), `configmap "${name}" not found`, optional);
  return selectFiles(object ? configMapContent(object) : new Map(), { items, mode, optional, what: 'config' });
}

async function secretFiles(
  { name = '', items, optional = false }: SecretProjection | (SecretVolumeSource & { name?: string }),
  mode: number,
  { pod }: EnvironmentContext,
  source: ConfigSource,
): Promise<VolumeFiles> {
  const object = await orMissing(source.secret(pod.metadata.namespace ?? '', name), `secret "${name}" not found`, optional);
  return selectFiles(object ? secretContent(object) : new Map(), { items, mode, optional, what: 'secret' });
}

async function orMissing<T>(read: Promise<T>, fault: string, optional: boolean): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (!hasReason(error, 'NotFound')) throw error;
    if (optional) return undefined;
    throw new VolumeError(fault);
  }
}

function configMapContent({ data = {}, binaryData = {} }: ConfigMap): Content {
  return new Map([
    ...Object.entries(data).map(([key, text]) => [key, Buffer.from(text)] as const),
    ...Object.entries(binaryData).map(([key, base64]) => [key, Buffer.from(base64, 'base64')] as const),
  ]);
}

function secretContent({ data = {} }: Secret): Content {
  return new Map(Object.entries(data).map(([key, base64]) => [key, Buffer.from(base64, 'base64')]));
}

/** All keys, or those that the volume names, under the paths that it gives them (upstream: pkg/volume/configmap.MakePayload). */
function selectFiles(
  content: Content,
  { items, mode, optional, what }: { items: readonly KeyToPath[] | undefined; mode: number; optional: boolean; what: 'config' | 'secret' },
): VolumeFiles {
  if (!items?.length) return new Map([...content].map(([key, bytes]) => [key, { content: bytes, mode }]));
  const files: VolumeFiles = new Map();
  for (const { key, path, mode: own } of items) {
    const bytes = content.get(key);
    if (bytes) files.set(path, { content: bytes, mode: own ?? mode });
    else if (!optional) throw new VolumeError(`references non-existent ${what} key: ${key}`);
  }
  return files;
}

function downwardFiles(items: readonly DownwardAPIVolumeFile[], mode: number, context: EnvironmentContext): VolumeFiles {
  const { spec } = context.pod;
  return new Map(
    items.map(({ path, fieldRef, resourceFieldRef, mode: own }) => {
      const container = resourceFieldRef && [...spec.containers, ...(spec.initContainers ?? [])].find(({ name }) => name === resourceFieldRef.containerName);
      const text = fieldRef
        ? fieldValue(fieldRef.fieldPath, context)
        : resourceFieldRef && container
          ? resourceValue(spec, container, resourceFieldRef, context.allocatable)
          : '';
      return [path, { content: Buffer.from(text), mode: own ?? mode }];
    }),
  );
}
