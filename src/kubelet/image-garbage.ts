import type { ContainerImage } from '../api/generated/types/core.v1.ts';
import type { FileSystemUsage, Image, ImageService, Runtime } from '../runtime/runtime.ts';

/** From this part of the disk on, images are removed until the other one is reached (upstream: imageGCHighThresholdPercent and its fellow). */
const HIGH_PERCENT = 85;
const LOW_PERCENT = 80;
/** An image that has just come may be about to be used. */
const LEAST_AGE_MS = 120_000;

/** What is remembered of an image: when it was first seen, and when a container last used it. */
export interface ImageUse {
  seenAt: number;
  usedAt: number;
}

export interface ImageState {
  disk: FileSystemUsage;
  images: readonly Image[];
  uses: ReadonlyMap<string, ImageUse>;
  /** The ids of those that containers use. */
  inUse: ReadonlySet<string>;
  now: number;
}

/** Which images are to go so that the disk is free enough: those first that nobody has used for longest. Pure. */
export function superfluousImages({ disk, images, uses, inUse, now }: ImageState): Image[] {
  const { capacityBytes, availableBytes } = disk;
  const used = capacityBytes - availableBytes;
  if (capacityBytes === 0 || used * 100 < capacityBytes * HIGH_PERCENT) return [];
  let toFree = used - (capacityBytes * LOW_PERCENT) / 100;
  const usedAt = ({ id }: Image): number => uses.get(id)?.usedAt ?? 0;
  const candidates = images.filter(({ id, pinned }) => !pinned && !inUse.has(id) && now - (uses.get(id)?.seenAt ?? now) >= LEAST_AGE_MS);
  const chosen: Image[] = [];
  for (const image of candidates.sort((a, b) => usedAt(a) - usedAt(b))) {
    if (toFree <= 0) break;
    chosen.push(image);
    toFree -= image.size;
  }
  return chosen;
}

/** Removes images when the disk fills up (upstream: pkg/kubelet/images/image_gc_manager.go). */
export class ImageGarbage {
  readonly #runtime: Runtime;
  #uses: ReadonlyMap<string, ImageUse> = new Map();

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Looks once. @returns what has been removed */
  async collect(now: number): Promise<Image[]> {
    const { imageService, runtimeService } = this.#runtime;
    const disk = await imageService.fileSystem();
    if (!disk) return [];
    const [images, containers] = await Promise.all([imageService.listImages(), runtimeService.listContainers({})]);
    const named = new Set(containers.map(({ imageId }) => imageId));
    const inUse = new Set(
      images.filter(({ id, repoTags, repoDigests }) => [id, ...repoTags, ...repoDigests].some((name) => named.has(name))).map(({ id }) => id),
    );
    this.#uses = new Map(
      images.map(({ id }) => {
        const before = this.#uses.get(id);
        return [id, { seenAt: before?.seenAt ?? now, usedAt: inUse.has(id) ? now : (before?.usedAt ?? 0) }];
      }),
    );
    const superfluous = superfluousImages({ disk, images, uses: this.#uses, inUse, now });
    for (const image of superfluous) await imageService.removeImage(image.id);
    return superfluous;
  }
}

/** How many images a node tells of, and by how many names each (upstream: nodestatus.Images). */
const MOST_IMAGES = 50;
const MOST_NAMES = 5;

/** The images of a node as its status has them, the largest first; none where they take no room. */
export async function nodeImages(service: ImageService): Promise<ContainerImage[]> {
  if (!(await service.fileSystem())) return [];
  const images = (await service.listImages()).sort((a, b) => b.size - a.size || (a.id < b.id ? -1 : 1));
  return images
    .slice(0, MOST_IMAGES)
    .map(({ repoDigests, repoTags, size }) => ({ names: [...repoDigests, ...repoTags].slice(0, MOST_NAMES), sizeBytes: size }));
}
