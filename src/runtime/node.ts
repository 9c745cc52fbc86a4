/** What a runtime's node has beside containers: the part of the seam to runtimes that CRI leaves to the kubelet. */

import type { LinuxResources } from './pod-config.ts';

/** A file of the node that a container is to find in a volume. */
export interface HostFile {
  content: Uint8Array;
  /** Permission bits. */
  mode: number;
  /** Whom it belongs to. Default: root. */
  uid?: number;
}

export interface DirectoryOptions {
  /** Permission bits. */
  mode: number;
  /** Kept in memory (`tmpfs`). */
  inMemory: boolean;
  /** The most that it may hold, where it is kept in memory. */
  sizeLimitBytes?: number;
  /** The group that it belongs to. */
  gid?: number;
}

/** What is to stand at the path of a hostPath volume, in the API's words; `''`: anything, or nothing. */
export type HostPathType = '' | 'DirectoryOrCreate' | 'Directory' | 'FileOrCreate' | 'File' | 'Socket' | 'CharDevice' | 'BlockDevice';

/** The node's own files, from which containers get their volumes. Paths are absolute. */
export interface HostFiles {
  /** Makes a directory, with those above it; one that is there stays as it is. */
  makeDirectory(path: string, options: DirectoryOptions): Promise<void>;
  /** Makes `files`, by relative path, all that stands in a directory; whoever reads sees all of the old or all of the new ones. */
  replaceFiles(directory: string, files: ReadonlyMap<string, HostFile>, options: { gid?: number }): Promise<void>;
  writeFile(path: string, file: HostFile): Promise<void>;
  /** Undefined where there is none. */
  readFile(path: string): Promise<Uint8Array | undefined>;
  /** Removes a directory with all that is in it; one that is not there will do. */
  removeDirectory(path: string): Promise<void>;
  /** What stands at `path` is, or becomes, of this type. @returns why it is not, in upstream's words. */
  checkHostPath(path: string, type: HostPathType): Promise<string | undefined>;
  /** What `relative` names below a volume, made as a directory where nothing is there. @throws Error where it leads out of the volume. */
  subPath(volume: string, relative: string): Promise<string>;
  /** What a directory with all that is in it takes up, in bytes; nothing where there is none. */
  usedBytes(path: string): Promise<number>;
}

/** What a node says of the machine that it is. */
export interface Machine {
  /** Quantities by resource. */
  capacity: Readonly<Record<string, string>>;
  kernelVersion: string;
  osImage: string;
  architecture: string;
  /** Stable identifiers; left out: made up. */
  machineId?: string;
  bootId?: string;
  /** What its /etc/resolv.conf says. */
  dns: { servers: readonly string[]; searches: readonly string[]; options: readonly string[] };
}

/** The cgroups of pods, where the runtime has such. */
export interface PodCgroups {
  /** Makes a pod's cgroup, and holds it to `resources`. @returns its name, for PodSandboxConfig.cgroupParent. */
  create(podUid: string, qosClass: string, resources: LinuxResources): Promise<string>;
  /** Which it has, or would have. */
  nameOf(podUid: string, qosClass: string): string;
  remove(podUid: string): Promise<void>;
}
