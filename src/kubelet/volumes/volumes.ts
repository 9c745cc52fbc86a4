import type { Container, Pod, Volume, VolumeMount } from '../../api/generated/types/core.v1.ts';
import { asNumber } from '../../api/quantity.ts';
import type { HostFiles, HostPathType, Mount } from '../../runtime/runtime.ts';
import { type ConfigSource, ContainerConfigError, type EnvironmentContext, expandVariables } from '../config/environment.ts';
import type { NodePaths } from '../config/node-paths.ts';
import { isFromApi, VolumeError, volumeFiles } from './content.ts';

const OPEN_MODE = 0o777;
/** Files of volumes that are written anew and then belong to the pod's group can be read by it. */
const GROUP_READ = 0o440;

export interface VolumesOptions {
  files: HostFiles;
  config: ConfigSource;
  paths: NodePaths;
  /** What downward volumes show beside the pod itself. */
  context(pod: Pod): EnvironmentContext;
}

/** The volumes of a node's pods, as files of the node (upstream: pkg/volume, volumemanager). */
export class Volumes {
  readonly #options: VolumesOptions;

  constructor(options: VolumesOptions) {
    this.#options = options;
  }

  /** Makes a pod's volumes, or writes anew what has changed of them. @returns what the event FailedMount tells, where one cannot be made. */
  async setUp(pod: Pod): Promise<string | undefined> {
    for (const volume of pod.spec.volumes ?? []) {
      try {
        await this.#setUp(pod, volume);
      } catch (error) {
        if (error instanceof VolumeError) return `MountVolume.SetUp failed for volume "${volume.name}" : ${error.message}`;
        throw error;
      }
    }
    return undefined;
  }

  /** Writes anew what the API server now has for a running pod. A source that has gone leaves the files as they are. */
  async refresh(pod: Pod): Promise<void> {
    for (const volume of pod.spec.volumes ?? []) {
      if (!isFromApi(volume)) continue;
      try {
        await this.#setUp(pod, volume);
      } catch (error) {
        if (!(error instanceof VolumeError)) throw error;
      }
    }
  }

  async tearDown(pod: Pod): Promise<void> {
    const { files, paths } = this.#options;
    await files.removeDirectory(paths.pod(pod.metadata.uid ?? ''));
  }

  /**
   * What a container mounts where; what the API server has is not to be written to.
   * @param known the variables that subPathExpr may name
   * @throws ContainerConfigError for a path below a volume that cannot be had
   */
  mounts(pod: Pod, container: Container, known: ReadonlyMap<string, string>): Promise<Mount[]> {
    return Promise.all((container.volumeMounts ?? []).map((mount) => this.#mount(pod, container, mount, known)));
  }

  async #mount(pod: Pod, container: Container, mount: VolumeMount, known: ReadonlyMap<string, string>): Promise<Mount> {
    const volume = pod.spec.volumes?.find(({ name }) => name === mount.name);
    if (!volume) throw new ContainerConfigError(`cannot find volume "${mount.name}" to mount into container "${container.name}"`);
    const source = await this.#pathOf(pod, volume);
    const below = mount.subPathExpr ? expandedPath(mount.subPathExpr, known) : (mount.subPath ?? '');
    const { mountPropagation: propagation, recursiveReadOnly } = mount;
    return {
      containerPath: mount.mountPath,
      hostPath: below ? await this.#below(source, below, { mount, container }) : source,
      readOnly: mount.readOnly || isFromApi(volume),
      ...(propagation ? { propagation: propagation as NonNullable<Mount['propagation']> } : {}),
      ...(recursiveReadOnly === 'Enabled' ? { recursiveReadOnly: true } : {}),
    };
  }

  async #below(source: string, below: string, { mount, container }: { mount: VolumeMount; container: Container }): Promise<string> {
    if (below.startsWith('/')) throw new ContainerConfigError(`error SubPath \`${below}\` must not be an absolute path`);
    if (below.split('/').includes('..')) throw new ContainerConfigError(`unable to provision SubPath \`${below}\`: must not contain '..'`);
    try {
      return await this.#options.files.subPath(source, below);
    } catch {
      // The reason may tell of the machine's own files: the pod is told as little as upstream tells it.
      throw new ContainerConfigError(`failed to prepare subPath for volumeMount "${mount.name}" of container "${container.name}"`);
    }
  }

  /** Where on the node a volume's files are. */
  async #pathOf({ metadata }: Pod, volume: Volume): Promise<string> {
    const { config, paths } = this.#options;
    if (volume.hostPath) return volume.hostPath.path;
    const own = paths.volume(metadata.uid ?? '', volume.name);
    const claimName = volume.persistentVolumeClaim?.claimName ?? (volume.ephemeral ? `${metadata.name}-${volume.name}` : undefined);
    if (claimName === undefined) return own;
    const { spec } = await config.claim(metadata.namespace ?? '', claimName);
    if (!spec.volumeName) return own;
    const persistent = await config.persistentVolume(spec.volumeName);
    return persistent.spec.hostPath?.path ?? persistent.spec.local?.path ?? own;
  }

  async #setUp(pod: Pod, volume: Volume): Promise<void> {
    const { files, config } = this.#options;
    const { fsGroup } = pod.spec.securityContext ?? {};
    const group = fsGroup === undefined ? {} : { gid: Number(fsGroup) };
    const path = await this.#pathOf(pod, volume);
    if (volume.hostPath) {
      const fault = await files.checkHostPath(path, (volume.hostPath.type ?? '') as HostPathType);
      if (fault !== undefined) throw new VolumeError(fault);
    } else if (isFromApi(volume)) {
      const content = await volumeFiles(volume, this.#options.context(pod), config);
      await files.makeDirectory(path, { mode: OPEN_MODE, inMemory: !volume.configMap, ...group });
      if (!content) return;
      const readable = fsGroup === undefined ? content : new Map([...content].map(([name, file]) => [name, { ...file, mode: file.mode | GROUP_READ }]));
      await files.replaceFiles(path, readable, group);
    } else {
      const inMemory = volume.emptyDir?.medium === 'Memory';
      const sizeLimitBytes = inMemory && volume.emptyDir?.sizeLimit ? asNumber(volume.emptyDir.sizeLimit) : undefined;
      await files.makeDirectory(path, { mode: OPEN_MODE, inMemory, ...group, ...(sizeLimitBytes ? { sizeLimitBytes } : {}) });
    }
  }
}

/** @throws ContainerConfigError where a variable is not known, or empty (upstream: ExpandContainerVolumeMounts) */
function expandedPath(expression: string, known: ReadonlyMap<string, string>): string {
  const missing = [...expression.matchAll(/\$\$|\$\(([^)]*)\)/g)].flatMap(([, name]) => (name === undefined || known.get(name) ? [] : [name]));
  if (missing.length > 0) throw new ContainerConfigError(`missing value for ${[...new Set(missing)].sort().join(', ')}`);
  return expandVariables(expression, known);
}

/** Whether a pod has volumes that follow the API server. */
export function hasVolumesFromApi({ spec }: Pod): boolean {
  return (spec.volumes ?? []).some(isFromApi);
}
