import { join } from 'node:path';
import type { KindBehaviour } from '../api/kind.ts';
import { kinds as builtInKinds } from '../api/kinds.ts';
import type { KubeObject } from '../api/object.ts';
import { Nodes } from '../api/resources.ts';
import { ApiServer, type ApiServerOptions, type AuthorizationMode } from '../apiserver/api-server.ts';
import { CertificateAuthenticator } from '../apiserver/chain/authentication.ts';
import { HttpServer } from '../apiserver/http/server.ts';
import { RemoteNode } from '../apiserver/remote-node.ts';
import { Expiry } from '../apiserver/storage/expiry.ts';
import { anyAuthenticator, BearerAuthenticator } from '../apiserver/tokens/bearer-authenticator.ts';
import { Client } from '../client/client.ts';
import { type Clock, SystemClock } from '../lib/clock.ts';
import { type Log, silent } from '../lib/log.ts';
import { Rng } from '../lib/rng.ts';
import type { StoreOptions } from '../store/log-store.ts';
import { MemoryStore } from '../store/memory/memory-store.ts';
import type { Store } from '../store/store.ts';
import { admissionPlugins } from './admission.ts';
import { applyManifests } from './apply-manifests.ts';
import { bootstrap } from './bootstrap.ts';
import { certificateIssuer } from './certificate-issuer.ts';
import { type Certificates, certificatesIn, makeCertificates } from './certificates.ts';
import { ControlPlane, type ControlPlaneOptions } from './control-plane.ts';
import { kubeconfigText, writeKubeconfig } from './kubeconfig.ts';
import { servedBy } from './served-resources.ts';
import { administrator, componentUser } from './users.ts';

export type { AuthorizationMode } from '../apiserver/api-server.ts';
export { parseTokenFile } from '../apiserver/tokens/bearer-authenticator.ts';

export interface ClusterOptions
  extends Partial<Pick<ControlPlaneOptions, 'nodes' | 'realNode' | 'simulate' | 'relistPeriodMs' | 'deployment' | 'replicaSet' | 'controllers'>> {
  /** Kinds beside upstream's. */
  kinds?: readonly KindBehaviour[];
  /** Port of the API server; 0, the default, picks a free one. */
  port?: number;
  /** Where objects and certificates are kept; without it they are gone when the cluster stops. */
  dataDir?: string;
  /** A kubeconfig file to write the moment the API is ready. */
  kubeconfigFile?: string;
  /** The seed of everything that is drawn by lot: names, uids, jitter. Default: another one each time. */
  seed?: number;
  /** The time the cluster lives by. Default: the machine's. */
  clock?: Clock;
  log?: Log;
  /** By what it is decided what users may do. Default `RBAC`. */
  authorizationMode?: AuthorizationMode;
  /** Bearer tokens by which users may come. */
  staticTokens?: ApiServerOptions['staticTokens'];
  /** Freeze all objects that components share, to catch one that writes. For tests. */
  freeze?: boolean;
}

/**
 * A whole cluster in this process, served over https on the loopback address. Any number of them run side by side.
 *
 *     const cluster = await Cluster.start({ nodes: 3 });
 *     await cluster.apply(manifests);
 *     await cluster.stop();
 */
export class Cluster {
  /** The text of a kubeconfig for the administrator. */
  readonly kubeconfig: string;
  /** `https://127.0.0.1:<port>` */
  readonly server: string;
  /** The administrator's client, in this process. */
  readonly client: Client;
  readonly apiServer: ApiServer;
  /** Resolves if the data directory takes no more writes: every change is refused then. Pending as long as all is well. */
  readonly failed: Promise<Error>;
  readonly #http: HttpServer;
  readonly #store: Store;
  readonly #controlPlane: ControlPlane;
  readonly #expiry: Expiry;

  private constructor(parts: {
    kubeconfig: string;
    server: string;
    client: Client;
    apiServer: ApiServer;
    http: HttpServer;
    store: Store;
    controlPlane: ControlPlane;
  }) {
    this.kubeconfig = parts.kubeconfig;
    this.server = parts.server;
    this.client = parts.client;
    this.apiServer = parts.apiServer;
    this.#http = parts.http;
    this.#store = parts.store;
    this.failed = parts.store.failed;
    this.#controlPlane = parts.controlPlane;
    this.#expiry = new Expiry(parts.apiServer);
    this.#expiry.start();
  }

  /**
   * Boots a cluster; resolves when its API is ready and its components run.
   *
   * @throws DirectoryInUseError for a data directory that another process holds; the system's EADDRINUSE for a taken port.
   */
  static async start(options: ClusterOptions = {}): Promise<Cluster> {
    const clock = options.clock ?? new SystemClock();
    const rng = options.seed === undefined ? Rng.system() : new Rng(options.seed);
    const log = options.log ?? silent;
    const store = await openStore(options.dataDir, log);
    const certificates = await loadCertificates(options.dataDir, clock.now());
    const apiServer = new ApiServer({
      store,
      clock,
      rng: rng.fork('apiserver'),
      admission: admissionPlugins,
      kinds: [...builtInKinds, ...(options.kinds ?? [])],
      nodes: (name) => controlPlane.kubelet(name) ?? remoteNode(name),
      freeze: options.freeze ?? false,
      signingKey: certificates.serviceAccountKey,
      ...(options.authorizationMode ? { authorizationMode: options.authorizationMode } : {}),
      ...(options.staticTokens ? { staticTokens: options.staticTokens } : {}),
    });
    const nodes = new Client(apiServer, componentUser('apiserver'), 'kube-apiserver').resource(Nodes);
    const remoteNode = (name: string): RemoteNode => new RemoteNode({ node: () => nodes.get('', name), credentials: certificates.admin });
    const { simulate, realNode, relistPeriodMs, deployment, replicaSet, controllers } = options;
    const controlPlane = new ControlPlane({
      resources: servedBy(apiServer.registry),
      transport: () => apiServer,
      clock,
      rng,
      log,
      nodes: options.nodes ?? 3,
      givesTokens: options.clock === undefined,
      issuing: {
        secretToken: (account, secret) => apiServer.tokens.issueForSecret(account, secret),
        certificate: certificateIssuer({ cert: certificates.ca, key: certificates.caKey }, clock),
      },
      ...(simulate ? { simulate } : {}),
      ...(realNode ? { realNode: { ...(options.dataDir === undefined ? {} : { directory: join(options.dataDir, 'node') }), ...realNode } } : {}),
      ...(relistPeriodMs === undefined ? {} : { relistPeriodMs }),
      ...(deployment ? { deployment } : {}),
      ...(replicaSet ? { replicaSet } : {}),
      ...(controllers ? { controllers } : {}),
    });
    const bearers = new BearerAuthenticator(apiServer.tokenAuthenticators, [apiServer.tokens.issuer]);
    const authenticator = anyAuthenticator([new CertificateAuthenticator(), bearers]);
    const http = new HttpServer({ apiServer, tls: { ...certificates.server, ca: certificates.ca }, authenticator, log });
    try {
      const port = await http.listen(options.port ?? 0);
      await bootstrap(new Client(apiServer, componentUser('apiserver'), 'kube-apiserver'), port);
      const server = `https://127.0.0.1:${port}`;
      const kubeconfig = kubeconfigText(certificates, server);
      await controlPlane.start(certificates.ca);
      if (options.kubeconfigFile) writeKubeconfig(options.kubeconfigFile, kubeconfig);
      return new Cluster({ kubeconfig, server, client: new Client(apiServer, administrator, 'coracle'), apiServer, http, store, controlPlane });
    } catch (error) {
      await http.close();
      await controlPlane.stop();
      await store.close();
      throw error;
    }
  }

  /** Applies manifests as `kubectl apply --server-side` does: YAML or JSON text, or objects. @returns the objects as they stand. */
  apply(manifests: string | KubeObject | readonly KubeObject[]): Promise<KubeObject[]> {
    return applyManifests(this.apiServer, manifests);
  }

  /** Stops the components, cuts all connections, and flushes what is kept. */
  async stop(): Promise<void> {
    this.#expiry.stop();
    await this.#controlPlane.stop();
    await this.#http.close();
    await this.#store.close();
  }
}

async function openStore(dataDir: string | undefined, log: Log): Promise<Store> {
  const options: StoreOptions = { report: (error) => log.error(error.message, { error: error.cause }) };
  if (dataDir === undefined) return new MemoryStore(options);
  const { openEmbeddedStore } = await import('../store/embedded/embedded-store.ts');
  return openEmbeddedStore(dataDir, options);
}

function loadCertificates(dataDir: string | undefined, nowMs: number): Promise<Certificates> {
  return dataDir === undefined ? makeCertificates(nowMs) : certificatesIn(join(dataDir, 'pki'), nowMs);
}
