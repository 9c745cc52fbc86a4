import { createPrivateKey, createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import type { Node, Pod, Secret, ServiceAccount } from '../../api/generated/types/core.v1.ts';
import type { KubeObject, Resource } from '../../api/object.ts';
import type { UserInfo } from '../../api/request.ts';
import { Nodes, Pods, Secrets, ServiceAccounts } from '../../api/resources.ts';
import { type Clock, parseTime } from '../../lib/clock.ts';
import type { Registry } from '../registry.ts';
import type { Storage } from '../storage/storage.ts';

/** Who the API server says it is, as kubeadm names it. */
export const DEFAULT_ISSUER = 'https://kubernetes.default.svc.cluster.local';
const ALGORITHM = 'ES256';
/** An object counts as gone this long after its end. */
const LEEWAY_MS = 60_000;

interface Reference {
  name: string;
  uid: string;
}

/** What a token says of the account, beside who may take it and for how long (upstream: pkg/serviceaccount/claims.go). */
interface KubernetesClaims {
  namespace: string;
  serviceaccount: Reference;
  pod?: Reference;
  secret?: Reference;
  node?: Reference;
  warnafter?: number;
}

/** Who issues the tokens that stand in Secrets. */
const SECRET_TOKEN_ISSUER = 'kubernetes/serviceaccount';

interface SecretTokenClaims {
  'kubernetes.io/serviceaccount/namespace': string;
  'kubernetes.io/serviceaccount/secret.name': string;
  'kubernetes.io/serviceaccount/service-account.name': string;
  'kubernetes.io/serviceaccount/service-account.uid': string;
}

/** What a token is good for no longer than. */
export interface BoundTo {
  pod?: Pod;
  /** The node of the pod, or the node itself. */
  node?: Node;
  secret?: Secret;
}

export interface TokenOptions {
  audiences: readonly string[];
  lifetimeSeconds: number;
  boundTo: BoundTo;
  warnAfterSeconds?: number;
}

export interface ServiceAccountTokensOptions {
  storage: Storage;
  registry: Registry;
  clock: Clock;
  /** PEM of the private key (P-256) that tokens are signed with. Default: a new one, and so no token outlives the server. */
  signingKey?: string;
  issuer?: string;
}

/** @returns PEM of a private key for signing tokens, from the system's randomness. */
export function makeSigningKey(): string {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** Issues the tokens of ServiceAccounts, and knows them again (upstream: pkg/serviceaccount/jwt.go). */
export class ServiceAccountTokens {
  readonly issuer: string;
  readonly #options: ServiceAccountTokensOptions;
  #signingKey: string | undefined;

  constructor(options: ServiceAccountTokensOptions) {
    this.issuer = options.issuer ?? DEFAULT_ISSUER;
    this.#options = options;
    this.#signingKey = options.signingKey;
  }

  /** Made when first needed: most servers never issue a token. */
  get #key(): string {
    this.#signingKey ??= makeSigningKey();
    return this.#signingKey;
  }

  async issue({ metadata }: ServiceAccount, { audiences, lifetimeSeconds, boundTo, warnAfterSeconds }: TokenOptions): Promise<string> {
    const { SignJWT, calculateJwkThumbprint, exportJWK } = await import('jose');
    const now = Math.floor(this.#options.clock.now() / 1000);
    const { namespace = '', name = '', uid = '' } = metadata;
    const claims: KubernetesClaims = {
      namespace,
      serviceaccount: { name, uid },
      ...(boundTo.pod ? { pod: reference(boundTo.pod) } : {}),
      ...(boundTo.secret ? { secret: reference(boundTo.secret) } : {}),
      ...(boundTo.node ? { node: reference(boundTo.node) } : {}),
      ...(warnAfterSeconds === undefined ? {} : { warnafter: now + warnAfterSeconds }),
    };
    return new SignJWT({ 'kubernetes.io': claims })
      .setProtectedHeader({ alg: ALGORITHM, kid: await calculateJwkThumbprint(await exportJWK(createPublicKey(this.#key))) })
      .setIssuer(this.issuer)
      .setAudience([...audiences])
      .setSubject(`system:serviceaccount:${namespace}:${name}`)
      .setIssuedAt(now)
      .setNotBefore(now)
      .setExpirationTime(now + lifetimeSeconds)
      .setJti(randomUUID())
      .sign(createPrivateKey(this.#key));
  }

  /** A token of the older kind, that lasts as long as the Secret that holds it (upstream: pkg/serviceaccount/legacy.go). */
  async issueForSecret({ metadata }: ServiceAccount, secret: Secret): Promise<string> {
    const { SignJWT, calculateJwkThumbprint, exportJWK } = await import('jose');
    const { namespace = '', name = '', uid = '' } = metadata;
    const claims: SecretTokenClaims = {
      'kubernetes.io/serviceaccount/namespace': namespace,
      'kubernetes.io/serviceaccount/secret.name': secret.metadata.name ?? '',
      'kubernetes.io/serviceaccount/service-account.name': name,
      'kubernetes.io/serviceaccount/service-account.uid': uid,
    };
    return new SignJWT({ ...claims })
      .setProtectedHeader({ alg: ALGORITHM, kid: await calculateJwkThumbprint(await exportJWK(createPublicKey(this.#key))) })
      .setIssuer(SECRET_TOKEN_ISSUER)
      .setSubject(`system:serviceaccount:${namespace}:${name}`)
      .sign(createPrivateKey(this.#key));
  }

  /**
   * @param audiences whom the token must be for, one of them at least.
   * @returns undefined for what is no token of ours; why it is none any more, as a text; or whose it is.
   */
  async authenticate(token: string, audiences: readonly string[]): Promise<TokenUser | string | undefined> {
    const { decodeJwt, jwtVerify } = await import('jose');
    try {
      const { iss } = decodeJwt(token);
      if (iss === SECRET_TOKEN_ISSUER) return await this.#authenticateForSecret(token, audiences);
      if (iss !== this.issuer) return undefined;
    } catch {
      // No JSON Web Token at all: another authenticator may know it.
      return undefined;
    }
    let payload: Awaited<ReturnType<typeof jwtVerify>>['payload'];
    try {
      const currentDate = new Date(this.#options.clock.now());
      ({ payload } = await jwtVerify(token, createPublicKey(this.#key), { algorithms: [ALGORITHM], issuer: this.issuer, currentDate, clockTolerance: 0 }));
    } catch (error) {
      return (error as { code?: string }).code === 'ERR_JWT_EXPIRED' ? 'service account token has expired' : 'service account token is not valid';
    }
    const meant = [payload.aud ?? []].flat();
    const shared = audiences.filter((audience) => meant.includes(audience));
    if (shared.length === 0) return `token audiences ${JSON.stringify(meant)} is invalid for the target audiences ${JSON.stringify(audiences)}`;
    const claims = payload['kubernetes.io'] as KubernetesClaims | undefined;
    if (!claims?.serviceaccount) return 'service account token claims could not be validated';
    const fault = await this.#fault(claims);
    return fault ?? { user: userOf(claims, payload.jti), audiences: shared };
  }

  async #authenticateForSecret(token: string, audiences: readonly string[]): Promise<TokenUser | string | undefined> {
    const { jwtVerify } = await import('jose');
    let claims: SecretTokenClaims;
    try {
      claims = (await jwtVerify(token, createPublicKey(this.#key), { algorithms: [ALGORITHM], issuer: SECRET_TOKEN_ISSUER }))
        .payload as unknown as SecretTokenClaims;
    } catch {
      return 'service account token is not valid';
    }
    const {
      'kubernetes.io/serviceaccount/namespace': namespace,
      'kubernetes.io/serviceaccount/secret.name': secretName,
      'kubernetes.io/serviceaccount/service-account.name': name,
      'kubernetes.io/serviceaccount/service-account.uid': uid,
    } = claims;
    const { storage, registry } = this.#options;
    const secret = (await storage.get(registry.get(Secrets), { namespace, name: secretName }))?.object as Secret | undefined;
    if (!secret || secret.metadata.deletionTimestamp) return 'service account token has been invalidated';
    if (Buffer.from(secret.data?.['token'] ?? '', 'base64').toString() !== token) return "token does not match server's copy";
    if (!(await this.#stands(ServiceAccounts, namespace, { name, uid }))) return `service account ${namespace}/${name} has been deleted`;
    // It says nothing of whom it is for, which means this server.
    if (!audiences.includes(this.issuer))
      return `token audiences ${JSON.stringify([this.issuer])} is invalid for the target audiences ${JSON.stringify(audiences)}`;
    return { user: userOf({ namespace, serviceaccount: { name, uid } }, undefined), audiences: [this.issuer] };
  }

  /** What has ended the token before its time. */
  async #fault({ namespace, serviceaccount, pod, secret, node }: KubernetesClaims): Promise<string | undefined> {
    if (!(await this.#stands(ServiceAccounts, namespace, serviceaccount))) return `service account ${namespace}/${serviceaccount.name} has been deleted`;
    const bound: [Resource, string, Reference | undefined][] = [
      [Secrets, namespace, secret],
      [Pods, namespace, pod],
      // The node of a pod is told, not looked after.
      [Nodes, '', pod ? undefined : node],
    ];
    for (const [resource, where, object] of bound) {
      if (object && !(await this.#stands(resource, where, object))) return 'service account token has been invalidated';
    }
    return undefined;
  }

  async #stands(resource: Resource, namespace: string, { name, uid }: Reference): Promise<boolean> {
    const { storage, registry, clock } = this.#options;
    const found = await storage.get(registry.get(resource), { namespace, name });
    const { uid: current, deletionTimestamp } = found?.object.metadata ?? {};
    return current === uid && (deletionTimestamp === undefined || parseTime(deletionTimestamp) > clock.now() - LEEWAY_MS);
  }

  /** The public keys, as OpenID clients fetch them. */
  async keys(): Promise<object> {
    const { calculateJwkThumbprint, exportJWK } = await import('jose');
    const jwk = await exportJWK(createPublicKey(this.#key));
    return { keys: [{ use: 'sig', kty: jwk.kty, kid: await calculateJwkThumbprint(jwk), alg: ALGORITHM, crv: jwk.crv, x: jwk.x, y: jwk.y }] };
  }

  /** @param server the address of the API server, `https://host:port`. */
  discovery(server: string): object {
    return {
      issuer: this.issuer,
      jwks_uri: `${server}/openid/v1/jwks`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [ALGORITHM],
    };
  }
}

export interface TokenUser {
  user: UserInfo;
  /** Those that were asked for and that the token is for. */
  audiences: readonly string[];
}

function reference({ metadata: { name = '', uid = '' } }: KubeObject): Reference {
  return { name, uid };
}

const EXTRA = 'authentication.kubernetes.io';

function userOf({ namespace, serviceaccount, pod, node }: KubernetesClaims, id: string | undefined): UserInfo {
  const extra: Record<string, string[]> = {
    ...(id ? { [`${EXTRA}/credential-id`]: [`JTI=${id}`] } : {}),
    ...(node ? { [`${EXTRA}/node-name`]: [node.name], ...(node.uid ? { [`${EXTRA}/node-uid`]: [node.uid] } : {}) } : {}),
    ...(pod ? { [`${EXTRA}/pod-name`]: [pod.name], [`${EXTRA}/pod-uid`]: [pod.uid] } : {}),
  };
  return {
    name: `system:serviceaccount:${namespace}:${serviceaccount.name}`,
    uid: serviceaccount.uid,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
    ...(Object.keys(extra).length ? { extra } : {}),
  };
}
