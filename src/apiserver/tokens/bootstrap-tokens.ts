import { timingSafeEqual } from 'node:crypto';
import type { Secret } from '../../api/generated/types/core.v1.ts';
import { Secrets } from '../../api/resources.ts';
import { type Clock, parseTime } from '../../lib/clock.ts';
import type { Registry } from '../registry.ts';
import type { Storage } from '../storage/storage.ts';
import type { TokenAuthenticator } from './bearer-authenticator.ts';

const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const NAMESPACE = 'kube-system';
const TYPE = 'bootstrap.kubernetes.io/token';
const GROUP = 'system:bootstrappers';
const EXTRA_GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

/** Tokens by which new nodes join, each kept as a Secret (upstream: plugin/pkg/auth/authenticator/token/bootstrap). */
export class BootstrapTokens implements TokenAuthenticator {
  readonly #parts: { storage: Storage; registry: Registry; clock: Clock };

  constructor(parts: { storage: Storage; registry: Registry; clock: Clock }) {
    this.#parts = parts;
  }

  async authenticateToken(token: string, audiences: readonly string[]): ReturnType<TokenAuthenticator['authenticateToken']> {
    const { storage, registry, clock } = this.#parts;
    const [, id = '', secret = ''] = TOKEN.exec(token) ?? [];
    if (!id) return undefined;
    const found = await storage.get(registry.get(Secrets), { namespace: NAMESPACE, name: `bootstrap-token-${id}` });
    const { metadata, type, data = {} } = (found?.object ?? { metadata: {} }) as Secret;
    const text = (name: string): string => Buffer.from(data[name] ?? '', 'base64').toString();
    const isThis = type === TYPE && !metadata.deletionTimestamp && text('token-id') === id && isSame(text('token-secret'), secret);
    const isOver = text('expiration') !== '' && !(parseTime(text('expiration')) > clock.now());
    if (!isThis || isOver || text('usage-bootstrap-authentication') !== 'true') return undefined;
    const extra = text('auth-extra-groups')
      .split(',')
      .filter((group) => EXTRA_GROUP.test(group));
    return { user: { name: `system:bootstrap:${id}`, groups: [GROUP, ...extra, 'system:authenticated'] }, audiences };
  }
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
