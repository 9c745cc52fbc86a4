import type { Query } from '../../api/request.ts';

/** What upstream starts before it serves; here it is there when the server is. */
const STARTED = [
  'start-apiserver-admission-initializer',
  'generic-apiserver-start-informers',
  'priority-and-fairness-config-consumer',
  'priority-and-fairness-filter',
  'storage-object-count-tracker-hook',
  'start-apiextensions-informers',
  'start-apiextensions-controllers',
  'crd-informer-synced',
  'start-system-namespaces-controller',
  'start-cluster-authentication-info-controller',
  'start-kube-apiserver-identity-lease-controller',
  'start-kube-apiserver-identity-lease-garbage-collector',
  'start-legacy-token-tracking-controller',
  'start-service-ip-repair-controllers',
  'rbac/bootstrap-roles',
  'scheduling/bootstrap-system-priority-classes',
  'priority-and-fairness-config-producer',
  'bootstrap-controller',
  'start-kubernetes-service-cidr-controller',
  'start-kube-aggregator-informers',
  'apiservice-status-local-available-controller',
  'apiservice-status-remote-available-controller',
  'apiservice-registration-controller',
  'apiservice-wait-for-first-sync',
  'apiservice-discovery-controller',
  'kube-apiserver-autoregistration',
].map((name) => `poststarthook/${name}`);
const LAST = ['autoregister-completion', 'poststarthook/apiservice-openapi-controller', 'poststarthook/apiservice-openapiv3-controller'];

const CHECKS: Readonly<Record<string, readonly string[]>> = {
  healthz: ['ping', 'log', 'etcd', ...STARTED, ...LAST],
  livez: ['ping', 'log', 'etcd', ...STARTED, ...LAST],
  readyz: ['ping', 'log', 'informer-sync', ...STARTED, ...LAST, 'shutdown'],
};

export interface Health {
  /** Whether writes are kept; what upstream calls etcd. */
  storeIsWell: boolean;
}

/**
 * The health pages, as upstream words them (apiserver/pkg/server/healthz).
 *
 * @returns undefined for a path that is none of them, or names a check that does not exist.
 */
export function healthPage(path: string, query: Query, { storeIsWell }: Health): { code: number; text: string } | undefined {
  const [, page = '', ...rest] = path.split('/');
  const checks = Object.hasOwn(CHECKS, page) ? CHECKS[page]! : undefined;
  if (!checks) return undefined;
  const isWell = (check: string): boolean => storeIsWell || !check.startsWith('etcd');
  const one = rest.join('/');
  if (one) {
    if (!checks.includes(one)) return undefined;
    return isWell(one) ? { code: 200, text: 'ok' } : { code: 500, text: 'internal server error: the store takes no more writes\n' };
  }
  const excluded = [query['exclude'] ?? []].flat();
  const failed = checks.filter((check) => !excluded.includes(check) && !isWell(check));
  const lines = checks.map((check) => {
    if (excluded.includes(check)) return `[+]${check} excluded: ok\n`;
    return isWell(check) ? `[+]${check} ok\n` : `[-]${check} failed: reason withheld\n`;
  });
  const unknown = excluded.filter((name) => !checks.includes(name));
  if (unknown.length) lines.push(`warn: some health checks cannot be excluded: no matches for ${unknown.map((name) => JSON.stringify(name)).join(', ')}\n`);
  if (failed.length) return { code: 500, text: `${lines.join('')}${page} check failed\n` };
  return { code: 200, text: query['verbose'] === undefined ? 'ok' : `${lines.join('')}${page} check passed\n` };
}
