import type { Secret } from '../../api/generated/types/core.v1.ts';
import type { RegistryCredentials } from '../../runtime/runtime.ts';

/** What a docker configuration says of one registry. */
interface Entry {
  username?: string;
  password?: string;
  /** `username:password` in base64. */
  auth?: string;
  identitytoken?: string;
}

const DOCKER_HUB = 'docker.io';
const DOCKER_HUB_NAMES = new Set(['docker.io', 'index.docker.io', 'registry-1.docker.io']);

/** The host and path of an image's name, without tag and digest: `docker.io/library/nginx`. */
export function repositoryOf(image: string): string {
  const name = image.replace(/@.*$/, '').replace(/:[^:/]*$/, '');
  const [first = '', ...rest] = name.split('/');
  if (rest.length > 0 && (first.includes('.') || first.includes(':') || first === 'localhost')) return name;
  return `${DOCKER_HUB}/${rest.length ? name : `library/${name}`}`;
}

/** As whom a registry may be asked for an image: those that match it most closely first (upstream: pkg/credentialprovider). */
export function credentialsFor(image: string, secrets: readonly Secret[]): RegistryCredentials[] {
  const repository = repositoryOf(image);
  const found = secrets.flatMap((secret) => Object.entries(entriesOf(secret))).filter(([place]) => matches(place, repository));
  return found.sort(([a], [b]) => b.length - a.length).flatMap(([, entry]) => credentialsOf(entry) ?? []);
}

function entriesOf({ data = {} }: Secret): Record<string, Entry> {
  const read = (key: string): unknown => (data[key] === undefined ? undefined : parsed(Buffer.from(data[key], 'base64').toString()));
  const config = read('.dockerconfigjson') as { auths?: Record<string, Entry> } | undefined;
  return { ...(read('.dockercfg') as Record<string, Entry> | undefined), ...config?.auths };
}

/** A secret that is no JSON gives nothing; the pull then says that it was refused. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A place is a host with an optional port and path, maybe written as a URL; `*` stands for a part of the host. */
function matches(place: string, repository: string): boolean {
  const [host = '', ...path] = place
    .replace(/^https?:\/\//, '')
    .replace(/\/+$/, '')
    .split('/');
  const [wantedHost = '', ...wantedPath] = repository.split('/');
  const known = DOCKER_HUB_NAMES.has(host) ? DOCKER_HUB : host;
  // The version of the registry's API is no part of a repository's name.
  const below = path.length === 1 && /^v[12]$/.test(path[0]!) ? [] : path;
  return hostMatches(known, wantedHost) && below.every((part, index) => wantedPath[index] === part);
}

function hostMatches(pattern: string, host: string): boolean {
  const [parts, wanted] = [pattern.split('.'), host.split('.')];
  if (parts.length !== wanted.length) return false;
  return parts.every((part, index) => part === wanted[index] || (part.includes('*') && globOf(part).test(wanted[index]!)));
}

const globOf = (part: string): RegExp => new RegExp(`^${part.replaceAll(/[\\^$.+?()[\]{}|]/g, '\\$&').replaceAll('*', '.*')}$`);

function credentialsOf({ username, password, auth, identitytoken }: Entry): RegistryCredentials | undefined {
  const [name, ...secret] = auth ? Buffer.from(auth, 'base64').toString().split(':') : [];
  const credentials = { username: username || (name ?? ''), password: password || secret.join(':') };
  if (!credentials.username && !identitytoken) return undefined;
  return { ...credentials, ...(identitytoken ? { identityToken: identitytoken } : {}) };
}
