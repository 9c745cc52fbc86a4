import { parseImageReference } from '../api/core/v1/pod/image-reference.ts';
import type { Container, Pod, Secret } from '../api/generated/types/core.v1.ts';
import type { EventNote } from '../client/event-recorder.ts';
import type { Clock } from '../lib/clock.ts';
import { goMilliseconds } from '../lib/duration.ts';
import type { Image, ImageService } from '../runtime/runtime.ts';
import { BackOffTable } from './back-off.ts';
import { credentialsFor } from './config/registry-credentials.ts';
import type { StartFailure } from './plan/state.ts';

/**
 * How long a failed pull is told as ErrImagePull before it is told as a back-off. The events tell of the back-off with the
 * kubelet's next look: upstream's status follows one look later than they do.
 */
const SHOW_ERROR_MS = 8_000;
const NEXT_LOOK_MS = 1_000;

export interface PullOptions {
  /** Takes the events of the container. */
  tell: (note: EventNote) => void;
  /** As whom registries may be asked. */
  secrets: readonly Secret[];
  signal: AbortSignal;
}

/** Brings images to the node, with a delay after each failure (upstream: pkg/kubelet/images). */
export class Images {
  readonly #clock: Clock;
  readonly #service: ImageService;
  readonly #backOff = new BackOffTable();
  /** The last error of a pull, by pod and image. */
  readonly #errors = new Map<string, { message: string; at: number }>();

  constructor({ clock, service }: { clock: Clock; service: ImageService }) {
    this.#clock = clock;
    this.#service = service;
  }

  /**
   * Makes sure that the container's image is there.
   * @returns undefined when it is there, else why not and when to try again
   */
  async ensure(pod: Pod, container: Container, options: PullOptions): Promise<StartFailure | undefined> {
    const { tell } = options;
    const image = container.image ?? '';
    const parsed = parseImageReference(image);
    const now = this.#clock.now();
    if ('fault' in parsed) {
      const message = `Failed to apply default image tag "${image}": ${parsed.fault}`;
      tell({ type: 'Warning', reason: 'InspectFailed', message });
      return { reason: 'InvalidImageName', message, retryAt: now + 10_000 };
    }
    const policy = container.imagePullPolicy;
    const present = policy === 'Always' ? undefined : await this.#service.imageStatus(image);
    if (present) {
      tell({ type: 'Normal', reason: 'Pulled', message: `Container image "${image}" already present on machine` });
      return undefined;
    }
    if (policy === 'Never') {
      const message = `Container image "${image}" is not present with pull policy of Never`;
      tell({ type: 'Warning', reason: 'ErrImageNeverPull', message });
      return { reason: 'ErrImageNeverPull', message, retryAt: now + 10_000 };
    }
    return this.#pull(pod, image, options);
  }

  async #pull(pod: Pod, image: string, { tell, secrets, signal }: PullOptions): Promise<StartFailure | undefined> {
    const key = `${pod.metadata.uid}_${image}`;
    const begunAt = this.#clock.now();
    const error = this.#errors.get(key);
    const delay = error && this.#backOff.delayFor(key, begunAt);
    if (error && delay !== undefined && begunAt - error.at < delay) {
      tell({ type: 'Normal', reason: 'BackOff', message: `Back-off pulling image "${image}"` });
      if (begunAt - error.at < SHOW_ERROR_MS) {
        return { reason: 'ErrImagePull', told: 'ImagePullBackOff', message: error.message, retryAt: error.at + SHOW_ERROR_MS };
      }
      return { reason: 'ImagePullBackOff', message: `Back-off pulling image "${image}": ErrImagePull: ${error.message}`, retryAt: error.at + delay };
    }
    tell({ type: 'Normal', reason: 'Pulling', message: `Pulling image "${image}"` });
    try {
      const { size } = await this.#pullAsAny(pod, image, secrets, signal);
      const took = goMilliseconds(this.#clock.now() - begunAt);
      tell({
        type: 'Normal',
        reason: 'Pulled',
        message: `Successfully pulled image "${image}" in ${took} (${took} including waiting). Image size: ${size} bytes.`,
      });
      this.#errors.delete(key);
      this.#backOff.forget(key);
      return undefined;
    } catch (failure) {
      const now = this.#clock.now();
      const message = failure instanceof Error ? failure.message : String(failure);
      tell({ type: 'Warning', reason: 'Failed', message: `Failed to pull image "${image}": ${message}` });
      this.#backOff.next(key, { eventAt: now, now });
      this.#errors.set(key, { message, at: now });
      return { reason: 'ErrImagePull', message, retryAt: now + NEXT_LOOK_MS };
    }
  }

  /** Asks the registry as each of those that may be, one after the other; as nobody where there are none. */
  async #pullAsAny({ metadata }: Pod, image: string, secrets: readonly Secret[], signal: AbortSignal): Promise<Image> {
    const { name = '', namespace = '', uid = '', annotations = {} } = metadata;
    const pod = { name, namespace, uid, attempt: 0, annotations };
    const all = credentialsFor(image, secrets);
    if (all.length === 0) return this.#service.pullImage(image, pod, signal);
    const faults: unknown[] = [];
    for (const credentials of all) {
      try {
        return await this.#service.pullImage(image, { ...pod, credentials }, signal);
      } catch (error) {
        faults.push(error);
      }
    }
    throw faults.length === 1 ? faults[0] : new Error(`[${faults.map((fault) => (fault instanceof Error ? fault.message : String(fault))).join(', ')}]`);
  }

  /** Drops what is known of a pod that is gone. */
  forget(pod: Pod): void {
    for (const container of [...(pod.spec.initContainers ?? []), ...(pod.spec.containers ?? [])]) {
      const key = `${pod.metadata.uid}_${container.image}`;
      this.#errors.delete(key);
      this.#backOff.forget(key);
    }
  }
}
