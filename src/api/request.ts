import type { KubeList, KubeObject } from './object.ts';

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

export type PatchType =
  | 'application/json-patch+json'
  | 'application/merge-patch+json'
  | 'application/strategic-merge-patch+json'
  | 'application/apply-patch+yaml';

export interface UserInfo {
  name: string;
  groups: string[];
  uid?: string;
  extra?: Record<string, string[]>;
}

/** Query parameters, by their names in the URL; values as text. */
export type Query = Record<string, string | undefined>;

/**
 * One request to the API server, already routed: what the http adapter makes of a URL and what the in-process transport
 * makes of a call. Both go through the same authorization, admission, defaulting and validation.
 */
export interface ApiRequest {
  verb: Verb;
  group: string;
  version: string;
  resource: string;
  namespace?: string;
  name?: string;
  subresource?: string;
  /** What follows the subresource in the path, for proxies, as it was sent; undefined: nothing, not even a slash. */
  path?: string | undefined;
  query: Query;
  /** The same with all values of parameters that come more than once, for connections. */
  parameters?: URLSearchParams;
  /** An object, or the bytes of one in `contentType`. */
  body?: unknown;
  contentType?: string;
  user: UserInfo;
  /** Names the field manager where the request does not. */
  userAgent?: string;
  /** Ends a watch. */
  signal?: AbortSignal;
}

export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

export interface WatchEvent<T = KubeObject> {
  type: WatchEventType;
  object: T;
}

/** The events of a watch in order; the iteration ends when the watch does. */
export type Watch<T = KubeObject> = AsyncIterable<WatchEvent<T>>;

export interface ApiResponse {
  /** HTTP status code; failures are thrown as StatusError instead. */
  code: number;
  object?: KubeObject | KubeList;
  watch?: Watch;
  /** Text that is not an object, such as a log, as it comes. */
  stream?: { contentType: string; chunks: AsyncIterable<string | Uint8Array> };
  /** Where the request itself is to be passed on to. */
  proxy?: ProxyTarget;
  /** For `Warning` headers. */
  warnings?: readonly string[];
}

/** Bytes to and from a port; resolves when either side has ended. */
export interface PortStreams {
  stdin?: AsyncIterable<Uint8Array>;
  stdout(chunk: Uint8Array): void;
  stderr(chunk: Uint8Array): void;
  signal: AbortSignal;
}

/** What answers behind a proxy subresource. */
export interface ProxyTarget {
  scheme: 'http' | 'https';
  /** `10.0.0.1:80`, for the Host header. */
  host: string;
  /** What follows `proxy` in the path, with its first slash; undefined: nothing, not even that. */
  path: string | undefined;
  connect(streams: PortStreams): Promise<void>;
}

/** Carries requests to an API server: in this process, or over https. */
export interface Transport {
  /** @throws StatusError for every answer that is not a success. */
  request(request: ApiRequest): Promise<ApiResponse>;
}
