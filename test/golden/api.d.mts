/** A client of an API server over https, as the recordings were made with. */
export interface GoldenApi {
  raw(
    method: string,
    path: string,
    options?: { body?: unknown; type?: string; accept?: string; headers?: Record<string, string | undefined> },
  ): Promise<{ code: number; text: string; json: unknown; headers: Record<string, string> }>;
  watch(path: string, onEvent: (event: unknown) => void): () => void;
  close(): void;
  /** How waits pass; left out: in real time. */
  sleep?: (ms: number) => Promise<void>;
}
export function connect(kubeconfigFile: string): GoldenApi;
