import type { KubeObject } from '../../api/object.ts';
import type { ApiRequest } from '../../api/request.ts';
import { isFlagSet } from '../decode/query.ts';
import type { ServedResource } from '../served-resource.ts';

const FLAGS = ['stdin', 'stdout', 'stderr', 'tty'];

/** What a connection asks for, as an object of its kind: PodExecOptions, ServiceProxyOptions and the like (core/v1). */
export function connectOptions({ subresources }: ServedResource, { subresource = '', query, parameters, path }: ApiRequest): KubeObject | undefined {
  const kind = subresources.get(subresource)?.facts.kind;
  if (!kind) return undefined;
  const all = (name: string): string[] => parameters?.getAll(name) ?? (query[name] === undefined ? [] : [query[name]]);
  const ports = all('ports').flatMap((text) => text.split(',').map(Number));
  return {
    kind,
    apiVersion: 'v1',
    ...Object.fromEntries(FLAGS.filter((flag) => isFlagSet(query[flag])).map((flag) => [flag, true])),
    ...(query['container'] ? { container: query['container'] } : {}),
    ...(all('command').length ? { command: all('command') } : {}),
    ...(ports.length ? { ports } : {}),
    ...(kind.endsWith('ProxyOptions') && path ? { path } : {}),
  } as unknown as KubeObject;
}
