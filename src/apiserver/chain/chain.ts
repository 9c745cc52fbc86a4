import type { ApiRequest, UserInfo } from '../../api/request.ts';

/** The resource that a request is for, as rules see it. */
export interface ResourceAttributes {
  group: string;
  version: string;
  resource: string;
  subresource: string;
  namespace: string;
  name: string;
  /** As the client wrote it. */
  fieldSelector?: string;
}

/** Who wants to do what (upstream: authorizer.Attributes): with a resource, or with a page of the server. */
export type Attributes = { user: UserInfo; verb: string } & ({ resource: ResourceAttributes; path?: never } | { path: string; resource?: never });

/** One station that every request passes, whatever it is for. Goes on with `next`, or refuses by throwing a StatusError. */
export type Filter = <T>(attributes: Attributes, next: () => Promise<T>) => Promise<T>;

/** The stations in front of all handlers, in order: requests, pages, metrics and upgraded connections pass the same. */
export class Chain {
  readonly #filters: readonly Filter[];

  constructor(filters: readonly Filter[]) {
    this.#filters = filters;
  }

  run<T>(attributes: Attributes, handle: () => Promise<T>): Promise<T> {
    const from = (i: number): Promise<T> => {
      const filter = this.#filters[i];
      return filter ? filter(attributes, () => from(i + 1)) : handle();
    };
    return from(0);
  }
}

const ONE_NAME = /^metadata\.name==?([^,=!]+)$/;

/** A request as rules see it (upstream: endpoints/request/requestinfo.go). */
export function attributesOf({ user, verb, group, version, resource, subresource = '', namespace, name, query }: Omit<ApiRequest, 'path'>): Attributes {
  const fieldSelector = query['fieldSelector'];
  const selected =
    name === undefined && (verb === 'list' || verb === 'watch') ? fieldSelector?.split(',').flatMap((part) => ONE_NAME.exec(part)?.[1] ?? [])[0] : undefined;
  const named = name ?? selected ?? '';
  // A Namespace counts as being in itself.
  const home = namespace ?? (resource === 'namespaces' && group === '' ? (name ?? '') : '');
  return { user, verb, resource: { group, version, resource, subresource, namespace: home, name: named, ...(fieldSelector ? { fieldSelector } : {}) } };
}
