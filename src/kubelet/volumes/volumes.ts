import type { Container, Pod, Volume } from '../../api/generated/types/core.v1.ts';
import type { ContainerConfig, HostFiles } from '../../runtime/runtime.ts';
import { type ConfigSource, type EnvironmentContext, expandVariables } from '../environment.ts';
import { isFromApi, VolumeError, volumeFiles } from './content.ts';

/** What every pod gets from its service account; its token is not there yet, so nobody waits for the rest. */
const ACCESS_VOLUME = /^kube-api-access-/;
const OPEN_MODE = 0o777;
/** Files of volumes that are written anew and then belong to the pod's group can be read by it. */
const GROUP_READ = 0o440;

export interface VolumesOptions {
  files: HostFiles;
  config: ConfigSource;
  /** What downward volumes show beside the pod itself. */
  context(pod: Pod): EnvironmentContext;
}

type Mount = ContainerConfig['mounts'][number];

/** The volumes of a node's pods, as files of the node (upstream: pkg/volume, volumemanager). */
export class Volumes {
  readonly #options: VolumesOptions;

  constructor(options: VolumesOptions) {
    this.#options = options;
  }

  /** Makes a pod's volumes, or writes anew what has changed of them. @returns what the event FailedMount tells, where one cannot be made. */
  async setUp(pod: Pod): Promise<string | undefined> {
    for (const volume of pod.spec.volumes ?? []) {
      if (ACCESS_VOLUME.test(volume.name)) continue;
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
      if (!isFromApi(volume) || ACCESS_VOLUME.test(volume.name)) continue;
      try {
        await this.#setUp(pod, volume);
      } catch (error) {
        if (!(error instanceof VolumeError)) throw error;
      }
    }
  }

  async tearDown(pod: Pod): Promise<void> {
    await this.#options.files.removeDirectory(directoryOf(pod.metadata.uid ?? ''));
  }

  /** What a container mounts where; what the API server has is not to be written to. `known`: the variables that subPathExpr may name. */
  mounts({ metadata, spec }: Pod, container: Container, known: ReadonlyMap<string, string>): Mount[] {
    return (container.volumeMounts ?? []).map((mount) => {
      const volume = spec.volumes?.find(({ name }) => name === mount.name);
      const source = volume?.hostPath?.path ?? pathOf(metadata.uid ?? '', mount.name);
      const below = mount.subPathExpr ? expandVariables(mount.subPathExpr, known) : (mount.subPath ?? '');
      const readOnly = mount.readOnly || (volume !== undefined && isFromApi(volume));
      return { containerPath: mount.mountPath, hostPath: `${source}${below ? `/${below}` : ''}`, readOnly };
    });
  }

  async #setUp(pod: Pod, volume: Volume): Promise<void> {
    const { files, config } = this.#options;
    const { fsGroup } = pod.spec.securityContext ?? {};
    const group = fsGroup === undefined ? {} : { gid: Number(fsGroup) };
    const path = pathOf(pod.metadata.uid ?? '', volume.name);
    if (volume.emptyDir || volume.ephemeral || volume.persistentVolumeClaim) {
      await files.makeDirectory(path, { mode: OPEN_MODE, inMemory: volume.emptyDir?.medium === 'Memory', ...group });
    } else if (isFromApi(volume)) {
      const content = await volumeFiles(volume, this.#options.context(pod), config);
      await files.makeDirectory(path, { mode: OPEN_MODE, inMemory: true, ...group });
      const readable = fsGroup === undefined ? content : new Map([...content].map(([name, file]) => [name, { ...file, mode: file.mode | GROUP_READ }]));
      await files.replaceFiles(path, readable, group);
    }
  }
}

const directoryOf = (uid: string): string => `/var/lib/kubelet/pods/${uid}`;

const pathOf = (uid: string, volumeName: string): string => `${directoryOf(uid)}/volumes/${volumeName}`;

/** Where the kubelet keeps what belongs to one container of a pod. */
export const containerDirectory = (uid: string, container: string): string => `${directoryOf(uid)}/containers/${container}`;

/** Whether a pod has volumes that follow the API server. */
export function hasVolumesFromApi({ spec }: Pod): boolean {
  return (spec.volumes ?? []).some((volume) => isFromApi(volume) && !ACCESS_VOLUME.test(volume.name));
}
