import { notAcceptable, StatusError } from '../../api/status.ts';

export const PROTOBUF = 'application/vnd.kubernetes.protobuf';

export type As = 'Table' | 'PartialObjectMetadata' | undefined;

/** What the client wants to read. */
export interface Representation {
  type: 'application/json' | 'application/yaml' | typeof PROTOBUF;
  as: As;
  /** The client takes the aggregated form of discovery. */
  aggregated: boolean;
}

const SERVED = ['*/*', 'application/*', 'application/json', 'application/yaml'];
const OFFERED = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/json;stream=watch',
  'application/vnd.kubernetes.protobuf;stream=watch',
];

/**
 * Chooses from an Accept header the first form that is served (apiserver/pkg/endpoints/handlers/negotiation).
 *
 * @param protobuf whether what is asked for can be written in protobuf.
 * @param tables whether it can be shown as a Table. Default true.
 * @throws StatusError NotAcceptable
 */
export function negotiate(accept: string | undefined, { protobuf = false, tables = true }: { protobuf?: boolean; tables?: boolean } = {}): Representation {
  for (const clause of (accept || '*/*').split(',')) {
    const [type = '', ...params] = clause.split(';').map((part) => part.trim());
    const param = (name: string): string | undefined => params.find((p) => p.startsWith(`${name}=`))?.slice(name.length + 1);
    const form = type.toLowerCase();
    if (!SERVED.includes(form) && !(protobuf && form === PROTOBUF)) continue;
    const as = param('as');
    if (as !== undefined && !isServedAs(as, param('g'), param('v'))) continue;
    // A Table has no form in protobuf.
    if (as === 'Table' && (form === PROTOBUF || !tables)) continue;
    const aggregated = as === 'APIGroupDiscoveryList';
    return {
      type: form === PROTOBUF || form === 'application/yaml' ? form : 'application/json',
      as: as === 'Table' ? 'Table' : as?.startsWith('PartialObjectMetadata') ? 'PartialObjectMetadata' : undefined,
      aggregated,
    };
  }
  if (!tables) throw notAcceptable(['application/json', 'application/yaml', PROTOBUF]);
  throw new StatusError(406, 'NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${OFFERED.join(', ')}`, {});
}

function isServedAs(as: string, group: string | undefined, version: string | undefined): boolean {
  if (as === 'APIGroupDiscoveryList') return group === 'apidiscovery.k8s.io' && version === 'v2';
  return ['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList'].includes(as) && group === 'meta.k8s.io' && version === 'v1';
}
