/** One line of a container's log. */
export interface PodLogLine {
  /** Milliseconds since the epoch. */
  at: number;
  /** The same to the nanosecond, in RFC 3339, where it is known. */
  time?: string;
  /** With its newline, where there was one. */
  text: string;
}

export interface PodLogOptions {
  previous?: boolean;
  follow?: boolean;
  tailLines?: number;
  /** Lines at or after this time, in milliseconds since the epoch. */
  since?: number;
  signal?: AbortSignal;
}

/** The ends of a conversation with a container. */
export interface PodStreams {
  stdin?: AsyncIterable<Uint8Array>;
  stdout(chunk: Uint8Array): void;
  stderr(chunk: Uint8Array): void;
  resize?: AsyncIterable<{ width: number; height: number }>;
  /** The client has gone. */
  signal: AbortSignal;
}

/** What the API server passes on to the kubelet of a pod's node. All throw StatusErrors. */
export interface NodeConnection {
  getLogs(namespace: string, pod: string, container: string, options: PodLogOptions): Promise<AsyncIterable<PodLogLine>>;
  exec(
    namespace: string,
    pod: string,
    container: string,
    options: { command: readonly string[]; tty: boolean },
    streams: PodStreams,
  ): Promise<{ exitCode: number }>;
  attach(namespace: string, pod: string, container: string, streams: PodStreams): Promise<void>;
  portForward(namespace: string, pod: string, port: number, streams: PodStreams): Promise<void>;
}

/** Finds the kubelet of a node; undefined when it cannot be reached. */
export type NodeConnections = (nodeName: string) => NodeConnection | undefined;
