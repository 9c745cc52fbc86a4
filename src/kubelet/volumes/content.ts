import type {
  ConfigMap,
  ConfigMapProjection,
  ConfigMapVolumeSource,
  DownwardAPIVolumeFile,
  KeyToPath,
  Secret,
  SecretProjection,
  SecretVolumeSource,
  Volume,
  VolumeProjection,
} from '../../api/generated/types/core.v1.ts';
import { hasReason } from '../../api/status.ts';
import type { HostFile } from '../../runtime/runtime.ts';
import { type ConfigSource, type EnvironmentContext, fieldValue, resourceValue } from '../environment.ts';

/** A volume cannot be filled; the message is upstream's. */
export class VolumeError extends Error {}

export type VolumeFiles = Map<string, HostFile>;

const DEFAULT_MODE = 0o644;

/** Whether what a volume shows is read from the API server, and follows it. */
export function isFromApi({ configMap, secret, downwardAPI, projected }: Volume): boolean {
  return Boolean(configMap || secret || downwardAPI || projected);
}

/** The files of a volume that shows what the API server has, by relative path. @throws VolumeError */
export async function volumeFiles(volume: Volume, context: EnvironmentContext, source: ConfigSource): Promise<VolumeFiles> {
  const { configMap, secret, downwardAPI, projected } = volume;
  if (configMap) return configMapFiles(configMap, configMap.defaultMode ?? DEFAULT_MODE, context, source);
  if (secret) return secretFiles({ ...secret, ...(secret.secretName ? { name: secret.secretName } : {}) }, secret.defaultMode ?? DEFAULT_MODE, context, source);
  if (downwardAPI) return downwardFiles(downwardAPI.items ?? [], downwardAPI.defaultMode ?? DEFAULT_MODE, context);
  const files: VolumeFiles = new Map();
  for (const projection of projected?.sources ?? []) {
    for (const [path, file] of await projectedFiles(projection, projected?.defaultMode ?? DEFAULT_MODE, context, source)) files.set(path, file);
  }
  return files;
}

/** Tokens and trust bundles are not there yet. */
async function projectedFiles(
  { configMap, secret, downwardAPI }: VolumeProjection,
  mode: number,
  context: EnvironmentContext,
  source: ConfigSource,
): Promise<VolumeFiles> {
  if (configMap) return configMapFiles(configMap, mode, context, source);
  if (secret) return secretFiles(secret, mode, context, source);
  return downwardAPI ? downwardFiles(downwardAPI.items ?? [], mode, context) : new Map();
}

type Content = ReadonlyMap<string, Uint8Array>;

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
