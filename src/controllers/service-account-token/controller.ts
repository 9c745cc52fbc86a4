import type { Secret, ServiceAccount } from '../../api/generated/types/core.v1.ts';
import { keyOf } from '../../api/object.ts';
import { Secrets, ServiceAccounts } from '../../api/resources.ts';
import type { InformerFactory } from '../../client/informer.ts';
import type { Issuing } from '../issuing.ts';
import { byKey, type Controller, watchRule } from '../runtime/controller.ts';
import { NOTHING_TO_DO, type Plan } from '../runtime/plan.ts';

const TYPE = 'kubernetes.io/service-account-token';
const NAME = 'kubernetes.io/service-account.name';
const UID = 'kubernetes.io/service-account.uid';

export interface SecretTokenSnapshot {
  secret: Secret;
  /** The account that the Secret names; undefined: there is none. */
  account: ServiceAccount | undefined;
  /** For a Secret that has none yet. */
  token?: string;
  /** PEM. */
  certificateAuthority: string;
}

/** Fills Secrets that ask for the token of a ServiceAccount, and removes those whose account is gone (upstream: pkg/controller/serviceaccount/tokens_controller.go). */
export function serviceAccountTokenController(
  informers: InformerFactory,
  { issuing, certificateAuthority }: { issuing: Issuing; certificateAuthority: string },
): Controller<SecretTokenSnapshot> {
  const secrets = informers.lister(Secrets);
  const accounts = informers.lister(ServiceAccounts);
  return {
    name: 'tokens-controller',
    watches: [
      watchRule(Secrets, ({ type, object }) => (type !== 'deleted' && object.type === TYPE ? [keyOf(object)] : [])),
      watchRule(ServiceAccounts, ({ type, object: { metadata } }) =>
        type === 'updated'
          ? []
          : secrets
              .list({ namespace: metadata.namespace ?? '' })
              .filter((secret) => secret.type === TYPE && accountOf(secret) === metadata.name)
              .map(keyOf),
      ),
    ],
    async observe(key) {
      const secret = byKey(secrets, key);
      if (secret?.type !== TYPE || secret.metadata.deletionTimestamp) return undefined;
      const found = accounts.get(secret.metadata.namespace ?? '', accountOf(secret));
      const uid = secret.metadata.annotations?.[UID];
      const account = found && (!uid || uid === found.metadata.uid) ? found : undefined;
      const token = account && !secret.data?.['token'] ? await issuing.secretToken(account, secret) : undefined;
      return { secret, account, certificateAuthority, ...(token === undefined ? {} : { token }) };
    },
    plan: planSecretToken,
  };
}

const accountOf = ({ metadata }: Secret): string => metadata.annotations?.[NAME] ?? '';

export function planSecretToken({ secret, account, token, certificateAuthority }: SecretTokenSnapshot): Plan {
  const { name = '', namespace = '', uid = '', annotations } = secret.metadata;
  if (!account) return { actions: [{ type: 'delete', resource: Secrets, namespace, name, uid }] };
  const encoded = (text: string): string => Buffer.from(text).toString('base64');
  const wanted = {
    ...secret.data,
    'ca.crt': encoded(certificateAuthority),
    namespace: secret.data?.['namespace'] ?? encoded(namespace),
    ...(token === undefined ? {} : { token: encoded(token) }),
  };
  const isComplete = Object.entries(wanted).every(([field, value]) => secret.data?.[field] === value) && annotations?.[UID] === account.metadata.uid;
  if (isComplete) return NOTHING_TO_DO;
  const object = { ...secret, data: wanted, metadata: { ...secret.metadata, annotations: { ...annotations, [UID]: account.metadata.uid ?? '' } } };
  return { actions: [{ type: 'update', resource: Secrets, object }] };
}
