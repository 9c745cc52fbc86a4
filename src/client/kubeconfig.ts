import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import type { Connection } from './https-transport.ts';

interface ClusterEntry {
  server?: string;
  'certificate-authority'?: string;
  'certificate-authority-data'?: string;
  'insecure-skip-tls-verify'?: boolean;
}

interface UserEntry {
  token?: string;
  tokenFile?: string;
  'client-certificate'?: string;
  'client-certificate-data'?: string;
  'client-key'?: string;
  'client-key-data'?: string;
}

interface ContextEntry {
  cluster: string;
  user: string;
  namespace?: string;
}

interface Kubeconfig {
  'current-context'?: string;
  clusters?: { name: string; cluster: ClusterEntry }[];
  users?: { name: string; user: UserEntry }[];
  contexts?: { name: string; context: ContextEntry }[];
}

/**
 * The connection that a kubeconfig file describes, with the namespace of its context.
 * @param context the name of a context; left out: the current one.
 * @throws Error where the file or what the context names does not exist.
 */
export function readKubeconfig(file: string, context?: string): { connection: Connection; namespace: string } {
  const config = parse(readFileSync(file, 'utf8')) as Kubeconfig;
  const wanted = context ?? config['current-context'] ?? '';
  const chosen = config.contexts?.find(({ name }) => name === wanted)?.context;
  if (!chosen) throw new Error(`context "${wanted}" does not exist`);
  const cluster = config.clusters?.find(({ name }) => name === chosen.cluster)?.cluster;
  if (!cluster?.server) throw new Error(`cluster "${chosen.cluster}" does not exist`);
  const user = config.users?.find(({ name }) => name === chosen.user)?.user ?? {};
  const material = (data: string | undefined, path: string | undefined): Buffer | undefined =>
    data ? Buffer.from(data, 'base64') : path ? readFileSync(resolve(dirname(file), path)) : undefined;
  const certificateAuthority = material(cluster['certificate-authority-data'], cluster['certificate-authority']);
  const clientCertificate = material(user['client-certificate-data'], user['client-certificate']);
  const clientKey = material(user['client-key-data'], user['client-key']);
  const token = user.token ?? (user.tokenFile ? readFileSync(resolve(dirname(file), user.tokenFile), 'utf8').trim() : undefined);
  return {
    connection: {
      server: cluster.server,
      ...(certificateAuthority ? { certificateAuthority } : {}),
      ...(clientCertificate ? { clientCertificate } : {}),
      ...(clientKey ? { clientKey } : {}),
      ...(token ? { token } : {}),
      ...(cluster['insecure-skip-tls-verify'] ? { insecureSkipTlsVerify: true } : {}),
    },
    namespace: chosen.namespace ?? 'default',
  };
}
