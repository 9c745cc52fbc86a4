import { type Clock, sleep } from '../../lib/clock.ts';
import type { Rng } from '../../lib/rng.ts';
import { type Image, type ImageService, RuntimeError } from '../runtime.ts';
import { draw, type ImageRule, pullBehaviourFrom, settingsFor } from './behaviour.ts';

const IMAGE_SIZE = 10_000_000;

/** The images of one node: every image exists, unless rules or the annotations of the pod that asks say otherwise. */
export class SimulatedImages implements ImageService {
  readonly #clock: Clock;
  readonly #rng: Rng;
  readonly #rules: readonly ImageRule[];
  readonly #images = new Map<string, Image>();

  constructor({ clock, rng, rules }: { clock: Clock; rng: Rng; rules: readonly ImageRule[] }) {
    this.#clock = clock;
    this.#rng = rng;
    this.#rules = rules;
  }

  async imageStatus(image: string): Promise<Image | undefined> {
    const known = this.#images.get(image);
    if (known) return known;
    return pullBehaviourFrom(settingsFor(image, undefined, {}, this.#rules)).present ? imageOf(image) : undefined;
  }

  async pullImage(image: string, { annotations }: { annotations: Readonly<Record<string, string>> }, signal: AbortSignal): Promise<Image> {
    const { pullTime, pullError } = pullBehaviourFrom(settingsFor(image, undefined, annotations, this.#rules));
    const takes = draw(pullTime, this.#rng);
    if (takes > 0) await sleep(this.#clock, takes, signal);
    if (signal.aborted) throw new RuntimeError('Unknown', 'pull cancelled');
    if (pullError !== undefined) throw new RuntimeError('NotFound', pullErrorText(image, pullError));
    const pulled = imageOf(image);
    this.#images.set(image, pulled);
    return pulled;
  }

  async listImages(): Promise<Image[]> {
    return [...this.#images.values()];
  }

  async fileSystem(): Promise<undefined> {
    return undefined;
  }

  async removeImage(image: string): Promise<void> {
    this.#images.delete(image);
  }
}

function imageOf(image: string): Image {
  return { id: imageIdOf(image), repoTags: [image], repoDigests: [], size: IMAGE_SIZE };
}

function pullErrorText(image: string, setting: string): string {
  if (setting !== 'true' && setting !== 'not-found') return setting;
  return `rpc error: code = NotFound desc = failed to pull and unpack image "${image}": failed to resolve reference "${image}": ${image}: not found`;
}

/** A stable made-up digest of an image's name. */
export function imageIdOf(image: string): string {
  let a = 0x811c9dc5;
  let text = '';
  for (let round = 0; text.length < 64; round++) {
    for (const char of image) a = Math.imul(a ^ (char.charCodeAt(0) + round), 0x01000193);
    text += (a >>> 0).toString(16).padStart(8, '0');
  }
  return `sha256:${text}`;
}
