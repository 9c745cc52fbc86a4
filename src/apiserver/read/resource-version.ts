import { invalid as invalidField } from '../../api/field-error.ts';
import type { Query } from '../../api/request.ts';
import { invalid, StatusError } from '../../api/status.ts';
import type { ServedResource } from '../served-resource.ts';

/** A version from the future is one that this server has not seen yet; upstream waits, then says so. */
export function checkResourceVersion({ facts }: ServedResource, { resourceVersion }: Query, current: number): number {
  if (!resourceVersion || resourceVersion === '0') return 0;
  if (!/^\d+$/.test(resourceVersion))
    throw invalid({ group: facts.group, kind: facts.resource }, '', [
      invalidField('resourceVersion', resourceVersion, `strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`),
    ]);
  const revision = Number(resourceVersion);
  if (revision <= current) return revision;
  throw new StatusError(504, 'Timeout', `Timeout: Too large resource version: ${revision}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}
