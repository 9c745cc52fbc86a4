import type { KindBehaviour, OwnFacts } from '../../api/kind.ts';
import type { ResourceFacts } from '../../api/resource-facts.ts';
import { structuralType } from '../../api/structural-type.ts';
import { assert } from '../../lib/assert.ts';
import type { Clock } from '../../lib/clock.ts';
import type { RuleResolver } from '../chain/authorization.ts';
import type { CustomKind } from '../custom-resources/custom-kind.ts';
import { CustomResources } from '../custom-resources/custom-resources.ts';
import { decodeGo } from '../decode/go.ts';
import { decodeStructural } from '../decode/structural.ts';
import type { NodeConnections } from '../node-connection.ts';
import type { Registry } from '../registry.ts';
import { type Handlers, type ServedResource, servedResource } from '../served-resource.ts';
import type { TokenAuthenticator } from '../tokens/bearer-authenticator.ts';
import type { ServiceAccountTokens } from '../tokens/service-account-tokens.ts';
import { tokenRequestHandlers } from '../tokens/token-request.ts';
import { bareBindingHandlers, bindingHandlers } from './binding.ts';
import { componentStatusHandlers } from './component-statuses.ts';
import { evictionHandlers } from './eviction.ts';
import { finalizeHandlers } from './finalize.ts';
import type { HandlerParts } from './parts.ts';
import { logHandlers, type PodConnector, streamHandlers } from './pod-connection.ts';
import { podProxyHandlers, serviceProxyHandlers } from './proxy.ts';
import { reviewHandlers } from './reviews.ts';
import { scaleHandlers } from './scale.ts';
import { partHandlers, storedHandlers } from './stored.ts';

const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

export interface BuiltIns extends HandlerParts {
  registry: Registry;
  rules: RuleResolver;
  tokens: ServiceAccountTokens;
  tokenAuthenticators: readonly TokenAuthenticator[];
  connector: PodConnector;
  nodes: NodeConnections;
  clock: Clock;
}

/** Serves the kinds that come with the server: stored ones, and those that are questions. */
export function serveBuiltIns(parts: BuiltIns, resources: readonly ResourceFacts[], kinds: readonly KindBehaviour[]): void {
  const { registry } = parts;
  const stored = storedHandlers(parts);
  const others: Readonly<Record<string, Handlers>> = {
    ...reviewHandlers(parts, parts),
    bindings: bareBindingHandlers(parts, registry),
    componentstatuses: componentStatusHandlers(),
  };
  const subresources = subresourceHandlers(parts);
  const metadata = registry.types.get(OBJECT_META);
  assert(metadata, `${OBJECT_META} has no type`);
  const subresourceOf =
    ({ resource }: { resource: string }) =>
    (name: string): Handlers | undefined =>
      subresources[`${resource}/${name}`] ?? subresources[name];
  const serveStructural = ({ facts, behaviour, schema }: CustomKind, { isCustom }: { isCustom: boolean }): ServedResource =>
    servedResource({
      ...(isCustom ? { customSchema: schema } : {}),
      facts,
      type: structuralType(schema, metadata),
      decode: decodeStructural,
      behaviour,
      handlers: stored,
      subresource: subresourceOf(facts),
    });
  const serveOwn = (behaviour: KindBehaviour, served: OwnFacts): void =>
    registry.add(serveStructural({ facts: factsOf(behaviour, served), behaviour, schema: served.schema }, { isCustom: false }));
  for (const behaviour of kinds) if (behaviour.served) serveOwn(behaviour, behaviour.served);
  const behaviours = new Map(kinds.map((kind) => [idOf(kind), kind]));
  for (const facts of resources) {
    if (!facts.schema) continue;
    const type = registry.types.get(facts.schema);
    assert(type, `${facts.resource} has no type`);
    const { group, version, kind } = facts;
    registry.add(
      servedResource({
        facts,
        type,
        decode: decodeGo,
        behaviour: behaviours.get(idOf(facts)) ?? { group, version, kind },
        handlers: others[facts.resource] ?? stored,
        subresource: subresourceOf(facts),
      }),
    );
  }
  new CustomResources({ storage: parts.storage, registry, serve: (kind) => serveStructural(kind, { isCustom: true }) });
}

const ALL_VERBS: ResourceFacts['verbs'] = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const SCALE = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

/** The facts of a kind that brings its own. */
function factsOf({ group, version, kind }: KindBehaviour, own: OwnFacts): ResourceFacts {
  const { resource, scope, singular = kind.toLowerCase(), verbs = ALL_VERBS, subresources = [], shortNames, categories, columns } = own;
  return {
    group,
    version,
    resource,
    kind,
    scope,
    singular,
    verbs,
    subresources: subresources.map((name) => ({ name, ...(name === 'scale' ? SCALE : { group, version, kind }), verbs: ['get', 'patch', 'update'] })),
    ...(shortNames ? { shortNames } : {}),
    ...(categories ? { categories } : {}),
    ...(columns ? { columns } : {}),
  };
}

function idOf({ group, version, kind }: { group: string; version: string; kind: string }): string {
  return `${group}/${version}/${kind}`;
}

/** By name; those of one resource alone by `resource/name`. */
function subresourceHandlers(parts: BuiltIns): Readonly<Record<string, Handlers>> {
  const part = partHandlers(parts);
  return {
    status: part,
    approval: part,
    scale: scaleHandlers(parts),
    'pods/resize': part,
    'pods/ephemeralcontainers': part,
    'pods/binding': bindingHandlers(parts),
    'pods/eviction': evictionHandlers(parts, parts.registry),
    'pods/proxy': podProxyHandlers(parts),
    'services/proxy': serviceProxyHandlers(parts),
    'pods/exec': streamHandlers(parts.connector, { containerNeeded: true }),
    'pods/attach': streamHandlers(parts.connector, { containerNeeded: true }),
    'pods/portforward': streamHandlers(parts.connector, { containerNeeded: false }),
    'pods/log': logHandlers(parts.connector, parts.clock),
    'serviceaccounts/token': tokenRequestHandlers(parts),
    'namespaces/finalize': finalizeHandlers(parts),
  };
}
