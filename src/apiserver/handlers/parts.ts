import type { Authorizer } from '../chain/authorization.ts';
import type { BodyDecoder } from '../decode/body.ts';
import type { WatchSource } from '../read/watch.ts';
import type { WritePath } from '../write/write-path.ts';

/** What handlers work with: the parts of one server. */
export interface HandlerParts extends WatchSource {
  writes: WritePath;
  bodies: BodyDecoder;
  /** For rights beyond that of the request itself. */
  authorizer: Authorizer;
}
