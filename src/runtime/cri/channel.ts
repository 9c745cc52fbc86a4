import { type ClientUnaryCall, credentials, Client as GrpcClient, type ServiceError, status } from '@grpc/grpc-js';
import { RuntimeError, type RuntimeErrorCode } from '../runtime.ts';
import { Codec } from './codec.ts';
import { METHODS, type MethodName, type Request, type Response } from './messages.ts';

/** Beyond this, an answer is not a list of containers any more. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** As upstream's kubelet: what takes no time of its own is given up after two minutes. */
const DEADLINE_MS = 120_000;

export interface CallOptions {
  /** Milliseconds until the call is given up; 0: never. Default two minutes. */
  deadlineMs?: number;
  signal?: AbortSignal;
}

const CODES: Readonly<Record<number, RuntimeErrorCode>> = {
  [status.NOT_FOUND]: 'NotFound',
  [status.INVALID_ARGUMENT]: 'InvalidArgument',
  [status.DEADLINE_EXCEEDED]: 'DeadlineExceeded',
  [status.UNAVAILABLE]: 'Unavailable',
  [status.UNIMPLEMENTED]: 'Unimplemented',
};

/** Calls to a container runtime on its socket. Connects by itself, again and again; calls fail with RuntimeErrors. */
export class Channel {
  readonly #client: GrpcClient;
  readonly #codec = new Codec();

  /** @param socket path of the runtime's socket */
  constructor(socket: string) {
    this.#client = new GrpcClient(`unix://${socket}`, credentials.createInsecure(), {
      'grpc.max_receive_message_length': MAX_ANSWER_BYTES,
      // A runtime that has been started again is found at once.
      'grpc.initial_reconnect_backoff_ms': 200,
      'grpc.max_reconnect_backoff_ms': 3_000,
    });
  }

  call<Name extends MethodName>(name: Name, message: Request<Name>, { deadlineMs = DEADLINE_MS, signal }: CallOptions = {}): Promise<Response<Name>> {
    const [service, request, response] = METHODS[name];
    return new Promise((resolve, reject) => {
      const abort = (): void => call.cancel();
      const answered = (error: ServiceError | null, answer?: Response<Name>): void => {
        signal?.removeEventListener('abort', abort);
        if (error) reject(runtimeError(error));
        else resolve(answer!);
      };
      const call: ClientUnaryCall = this.#client.makeUnaryRequest(
        `/runtime.v1.${service}/${name}`,
        (value: Request<Name>) => Buffer.from(this.#codec.encode(request, value)),
        (bytes: Buffer) => this.#codec.decode(response, bytes) as Response<Name>,
        message,
        deadlineMs > 0 ? { deadline: deadlineIn(deadlineMs) } : {},
        answered,
      );
      signal?.addEventListener('abort', abort, { once: true });
      if (signal?.aborted) abort();
    });
  }

  close(): void {
    this.#client.close();
  }
}

/** gRPC takes its deadlines by the machine's own clock. */
const deadlineIn = (ms: number): number => performance.timeOrigin + performance.now() + ms;

/** With the name of its code as gRPC for Go prints it: `NOT_FOUND` is `NotFound`. */
function runtimeError({ code, details }: ServiceError): RuntimeError {
  const spoken = (status[code] ?? 'UNKNOWN')
    .toLowerCase()
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
  return new RuntimeError(CODES[code] ?? 'Unknown', details, `rpc error: code = ${spoken} desc = ${details}`);
}
