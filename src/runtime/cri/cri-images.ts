import { statfs } from 'node:fs/promises';
import { type FileSystemUsage, type Image, type ImagePullPod, type ImageService, RuntimeError } from '../runtime.ts';
import type { Channel } from './channel.ts';
import type { Message } from './messages.ts';

/** The images of a runtime that speaks CRI. */
export class CriImages implements ImageService {
  readonly #channel: Channel;

  constructor(channel: Channel) {
    this.#channel = channel;
  }

  async imageStatus(image: string): Promise<Image | undefined> {
    const answer = await this.#channel.call('ImageStatus', { image: { image } });
    return answer.image?.id ? imageOf(answer.image) : undefined;
  }

  async pullImage(image: string, pod: ImagePullPod, signal: AbortSignal): Promise<Image> {
    const { name, namespace, uid, attempt, annotations, credentials } = pod;
    const request = {
      image: { image, userSpecifiedImage: image },
      sandboxConfig: { metadata: { name, namespace, uid, attempt }, annotations },
      ...(credentials ? { auth: credentials } : {}),
    };
    const { imageRef = '' } = await this.#channel.call('PullImage', request, { deadlineMs: 0, signal }).catch((error: unknown) => {
      // What has no code of its own is told without one (upstream: cri-client pullImage).
      throw error instanceof RuntimeError && error.code === 'Unknown' ? new RuntimeError('Unknown', error.description) : error;
    });
    const pulled = await this.imageStatus(imageRef);
    if (!pulled) throw new RuntimeError('NotFound', `image ${JSON.stringify(image)} has been pulled, and is not there`);
    return pulled;
  }

  async listImages(): Promise<Image[]> {
    const { images = [] } = await this.#channel.call('ListImages', {});
    return images.map(imageOf);
  }

  async removeImage(image: string): Promise<void> {
    await this.#channel.call('RemoveImage', { image: { image } });
  }

  async fileSystem(): Promise<FileSystemUsage | undefined> {
    const { imageFilesystems = [] } = await this.#channel.call('ImageFsInfo', {});
    const mountPoint = imageFilesystems[0]?.fsId?.mountpoint;
    if (!mountPoint) return undefined;
    const { bsize, blocks, bavail, bfree } = await statfs(mountPoint);
    return { mountPoint, capacityBytes: blocks * bsize, availableBytes: bavail * bsize, usedBytes: (blocks - bfree) * bsize };
  }
}

function imageOf({ id = '', repoTags = [], repoDigests = [], size = 0, uid, username, pinned = false }: Message<'Image'>): Image {
  const user = uid ? { user: { uid: uid.value ?? 0 } } : username ? { user: { name: username } } : {};
  return { id, repoTags, repoDigests, size, pinned, ...user };
}
