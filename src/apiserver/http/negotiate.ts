import { StatusError } from '../../api/status.ts';

export type As = 'Table' | 'PartialObjectMetadata' | undefined;

/** What the client wants to read. */
export interface Representation {
  type: 'application/json' | 'application/yaml';
  as: As;
  /** The client takes the aggregated form of discovery. */
  aggregated: boolean;
}

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
 * @throws StatusError NotAcceptable
 */
export function negotiate(accept: string | undefined): Representation {
  for (const clause of (accept || '*/*').split(',')) {
    const [type = '', ...params] = clause.split(';').map((part) => part.trim());
    const param = (name: string): string | undefined => params.find((p) => p.startsWith(`${name}=`))?.slice(name.length + 1);
    const form = type.toLowerCase();
    if (!['*/*', 'application/*', 'application/json', 'application/yaml'].includes(form)) continue;
    const as = param('as');
    if (as !== undefined && !isServedAs(as, param('g'), param('v'))) continue;
    const aggregated = as === 'APIGroupDiscoveryList';
    return {
      type: form === 'application/yaml' ? 'application/yaml' : 'application/json',
      as: as === 'Table' ? 'Table' : as?.startsWith('PartialObjectMetadata') ? 'PartialObjectMetadata' : undefined,
      aggregated,
    };
  }
  throw new StatusError(406, 'NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${OFFERED.join(', ')}`, {});
}

function isServedAs(as: string, group: string | undefined, version: string | undefined): boolean {
  if (as === 'APIGroupDiscoveryList') return group === 'apidiscovery.k8s.io' && version === 'v2';
  return ['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList'].includes(as) && group === 'meta.k8s.io' && version === 'v1';
}
