import type { Pod, Service, ServiceAccountTokenProjection } from '../api/generated/types/core.v1.ts';
import type { KubeObject } from '../api/object.ts';
import { ConfigMaps, PersistentVolumeClaims, PersistentVolumes, RuntimeClasses, Secrets, ServiceAccounts } from '../api/resources.ts';
import { hasReason } from '../api/status.ts';
import type { Client } from '../client/client.ts';
import type { Informer } from '../client/informer.ts';
import { type Clock, parseTime } from '../lib/clock.ts';
import type { ConfigSource } from './config/environment.ts';

/** A token is asked for anew after this part of its life, or after a day (upstream: pkg/kubelet/token). */
const TOKEN_LIFE = 0.8;
const DAY_MS = 86_400_000;
const DEFAULT_TOKEN_SECONDS = 3600;

interface Token {
  text: string;
  renewAt: number;
}

type TokenRequest = KubeObject & { status?: { token?: string; expirationTimestamp?: string } };

/** What pods are configured from, as the API server has it. */
export class ApiConfigSource implements ConfigSource {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #services: Informer<Service>;
  readonly #givesTokens: boolean;
  readonly #tokens = new Map<string, Map<string, Token>>();

  constructor({ client, clock, services, givesTokens }: { client: Client; clock: Clock; services: Informer<Service>; givesTokens: boolean }) {
    this.#client = client;
    this.#clock = clock;
    this.#services = services;
    this.#givesTokens = givesTokens;
  }

  readonly configMap: ConfigSource['configMap'] = (namespace, name) => this.#client.resource(ConfigMaps).get(namespace, name);
  readonly secret: ConfigSource['secret'] = (namespace, name) => this.#client.resource(Secrets).get(namespace, name);
  readonly claim: ConfigSource['claim'] = (namespace, name) => this.#client.resource(PersistentVolumeClaims).get(namespace, name);
  readonly persistentVolume: ConfigSource['persistentVolume'] = (name) => this.#client.resource(PersistentVolumes).get('', name);

  async services(namespace: string): Promise<readonly Service[]> {
    await this.#services.whenSynced();
    return this.#services.lister.list({ namespace });
  }

  async runtimeHandler(runtimeClassName: string | undefined): Promise<string | undefined> {
    return runtimeClassName ? (await this.#client.resource(RuntimeClasses).get('', runtimeClassName)).handler : undefined;
  }

  async token({ metadata, spec }: Pod, { audience, expirationSeconds = DEFAULT_TOKEN_SECONDS }: ServiceAccountTokenProjection): Promise<string | undefined> {
    if (!this.#givesTokens) return undefined;
    const { uid = '', namespace = '', name = '' } = metadata;
    const own = this.#tokens.get(uid) ?? new Map<string, Token>();
    this.#tokens.set(uid, own);
    const key = `${audience ?? ''} ${expirationSeconds}`;
    const now = this.#clock.now();
    const known = own.get(key);
    if (known && known.renewAt > now) return known.text;
    const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name, uid };
    const body = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: {},
      spec: { audiences: audience ? [audience] : [], expirationSeconds: Number(expirationSeconds), boundObjectRef },
    };
    try {
      const made = (await this.#client
        .resource(ServiceAccounts)
        .createSubresource(namespace, spec.serviceAccountName || 'default', 'token', body)) as TokenRequest;
      const text = made.status?.token;
      if (text === undefined) return undefined;
      const lives = (parseTime(made.status?.expirationTimestamp) ?? now) - now;
      own.set(key, { text, renewAt: now + Math.min(lives * TOKEN_LIFE, DAY_MS) });
      return text;
    } catch (error) {
      // Not every API server gives tokens; of those that do, the account may have gone.
      if (hasReason(error, 'NotFound') || hasReason(error, 'MethodNotAllowed')) return undefined;
      throw error;
    }
  }

  /** Drops what is known of a pod that is gone. */
  forget(uid: string): void {
    this.#tokens.delete(uid);
  }
}
