import { invalid as invalidField } from '../../api/field-error.ts';
import type { TokenRequest } from '../../api/generated/types/authentication.v1.ts';
import type { Node, Pod, Secret, ServiceAccount } from '../../api/generated/types/core.v1.ts';
import type { KubeObject, Resource } from '../../api/object.ts';
import { Nodes, Pods, Secrets, ServiceAccounts } from '../../api/resources.ts';
import { badRequest, conflict, invalid, notFound } from '../../api/status.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import type { BodyDecoder } from '../decode/body.ts';
import type { Registry } from '../registry.ts';
import type { Handlers } from '../served-resource.ts';
import type { Storage } from '../storage/storage.ts';
import { writeOptions } from '../write/options.ts';
import { targetOfRequest } from '../write/write.ts';
import { announcedAs, type WritePath } from '../write/write-path.ts';
import type { BoundTo, ServiceAccountTokens } from './service-account-tokens.ts';

const KIND = { group: 'authentication.k8s.io', kind: 'TokenRequest' };
const DEFAULT_SECONDS = 3600;
const LEAST_SECONDS = 600;
const MOST_SECONDS = 2 ** 32;
/** A pod's token that asks for just this much is meant to live for an hour and is taken for a year, with a warning (kubelets ask so for old clients). */
const WARN_ONLY_SECONDS = 3607;
const EXTENDED_SECONDS = 365 * 86_400;

interface TokenRequestParts {
  storage: Storage;
  registry: Registry;
  writes: WritePath;
  bodies: BodyDecoder;
  clock: Clock;
  tokens: ServiceAccountTokens;
}

/** `serviceaccounts/token` (upstream: registry/core/serviceaccount/storage/token.go). */
export function tokenRequestHandlers({ storage, writes, registry, bodies, clock, tokens }: TokenRequestParts): Handlers {
  async function find<T extends KubeObject>(resource: Resource<T>, namespace: string, name: string): Promise<T> {
    const served = registry.get(resource);
    const found = await storage.get(served, { namespace, name });
    if (!found) throw notFound(served.facts, name);
    return found.object as T;
  }

  async function boundTo({ spec }: TokenRequest, account: ServiceAccount): Promise<BoundTo> {
    const { boundObjectRef: ref } = spec;
    if (!ref) return {};
    const { kind = '', apiVersion = '', name = '', uid } = ref;
    const { namespace = '', name: accountName = '' } = account.metadata;
    const check = (object: KubeObject): void => {
      if (!uid || object.metadata.uid === uid) return;
      const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
      throw conflict({ group: '', resource: kind }, name, why);
    };
    switch (apiVersion === 'v1' ? kind : '') {
      case 'Pod': {
        const pod = await find<Pod>(Pods, namespace, name);
        if (pod.spec.serviceAccountName !== accountName)
          throw badRequest(`cannot bind token for serviceaccount ${JSON.stringify(accountName)} to pod running with different serviceaccount name.`);
        check(pod);
        const { nodeName } = pod.spec;
        if (!nodeName) return { pod };
        const node = await storage.get(registry.get(Nodes), { namespace: '', name: nodeName });
        return { pod, node: (node?.object ?? { metadata: { name: nodeName } }) as Node };
      }
      case 'Node': {
        const node = await find<Node>(Nodes, '', name);
        check(node);
        return { node };
      }
      case 'Secret': {
        const secret = await find<Secret>(Secrets, namespace, name);
        check(secret);
        return { secret };
      }
      default:
        throw badRequest(`cannot bind token to object of type ${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`);
    }
  }

  return {
    async create(resource, request) {
      const { name = '', namespace = '' } = request;
      const options = writeOptions('CreateOptions', request);
      const { object, warnings } = bodies.decode(request, bodies.targetOfKind('authentication.k8s.io/v1', 'TokenRequest'), options.fieldValidation);
      const asked = object as KubeObject & TokenRequest;
      const { metadata } = asked;
      const mustMatch = (field: string, value: string): Error =>
        invalid(KIND, name, [invalidField(`metadata.${field}`, value, `must match the service account ${field} if specified`)]);
      if (metadata.name && metadata.name !== name) throw mustMatch('name', metadata.name);
      if (metadata.namespace && metadata.namespace !== namespace) throw mustMatch('namespace', metadata.namespace);
      const account = await find<ServiceAccount>(ServiceAccounts, namespace, name);
      if (metadata.uid && metadata.uid !== account.metadata.uid) {
        const why = `the UID in the token request (${metadata.uid}) does not match the UID of the service account (${account.metadata.uid})`;
        throw conflict({ group: KIND.group, resource: KIND.kind }, name, why);
      }
      const spec = {
        ...asked.spec,
        audiences: asked.spec?.audiences?.length ? asked.spec.audiences : [tokens.issuer],
        expirationSeconds: asked.spec?.expirationSeconds ?? DEFAULT_SECONDS,
        boundObjectRef: asked.spec?.boundObjectRef ?? null,
      };
      const seconds = spec.expirationSeconds;
      const wrong = (why: string): Error => invalid(KIND, '', [invalidField('spec.expirationSeconds', seconds, why)]);
      if (seconds < LEAST_SECONDS) throw wrong('may not specify a duration less than 10 minutes');
      if (seconds > MOST_SECONDS) throw wrong('may not specify a duration larger than 2^32 seconds');
      const status = { token: '', expirationTimestamp: null };
      const announced = { ...object, metadata: { ...metadata, name, namespace }, spec, status } as KubeObject;
      await writes.announce({ ...targetOfRequest(resource, request), ...announcedAs('CREATE', announced, options) }, warnings);
      const bound = await boundTo(asked, account);
      const isExtended = bound.pod !== undefined && seconds === WARN_ONLY_SECONDS && spec.audiences.every((audience) => audience === tokens.issuer);
      const now = clock.now();
      const token = await tokens.issue(account, {
        audiences: spec.audiences,
        lifetimeSeconds: isExtended ? EXTENDED_SECONDS : seconds,
        boundTo: bound,
        ...(isExtended ? { warnAfterSeconds: seconds } : {}),
      });
      const { uid = '' } = account.metadata;
      return {
        code: 201,
        object: {
          kind: KIND.kind,
          apiVersion: 'authentication.k8s.io/v1',
          metadata: { ...metadata, name, namespace, uid, creationTimestamp: timestamp(now) },
          spec,
          status: { token, expirationTimestamp: timestamp(now + seconds * 1000) },
        } as KubeObject,
        warnings,
      };
    },
  };
}
