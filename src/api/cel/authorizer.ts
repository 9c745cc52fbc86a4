/** A resource that somebody may or may not do something with. */
export interface AskedResource {
  group: string;
  version: string;
  resource: string;
  subresource: string;
  namespace: string;
  name: string;
}

type Asked = { verb: string; serviceAccount?: { namespace: string; name: string } } & (
  | { resource: AskedResource; path?: never }
  | { path: string; resource?: never }
);

interface Decision {
  allowed: boolean;
  reason?: string;
}

type Ask = (asked: Asked) => Promise<Decision>;

/** What `authorizer` stands for in an expression (upstream: apiserver/pkg/cel/library/authz.go). */
export class AuthorizerValue {
  readonly ask: Ask;
  readonly requestResource: ResourceCheck;
  constructor(ask: Ask, resource: AskedResource) {
    this.ask = ask;
    this.requestResource = new ResourceCheck(ask, resource);
  }
  path(path: string): PathCheck {
    return new PathCheck(this.ask, path);
  }
  group(group: string): GroupCheck {
    return new GroupCheck(this.ask, group);
  }
  serviceAccount(namespace: string, name: string): AuthorizerValue {
    const asAccount: Ask = (asked) => this.ask({ ...asked, serviceAccount: { namespace, name } });
    return new AuthorizerValue(asAccount, this.requestResource.resource);
  }
}

export class PathCheck {
  readonly #ask: Ask;
  readonly #path: string;
  constructor(ask: Ask, path: string) {
    this.#ask = ask;
    this.#path = path;
  }
  async check(verb: string): Promise<DecisionValue> {
    return new DecisionValue(await this.#ask({ verb, path: this.#path }));
  }
}

export class GroupCheck {
  readonly #ask: Ask;
  readonly #group: string;
  constructor(ask: Ask, group: string) {
    this.#ask = ask;
    this.#group = group;
  }
  resource(resource: string): ResourceCheck {
    return new ResourceCheck(this.#ask, { group: this.#group, version: '*', resource, subresource: '', namespace: '', name: '' });
  }
}

export class ResourceCheck {
  readonly #ask: Ask;
  readonly resource: AskedResource;
  constructor(ask: Ask, resource: AskedResource) {
    this.#ask = ask;
    this.resource = resource;
  }
  with(more: Partial<AskedResource>): ResourceCheck {
    return new ResourceCheck(this.#ask, { ...this.resource, ...more });
  }
  async check(verb: string): Promise<DecisionValue> {
    return new DecisionValue(await this.#ask({ verb, resource: this.resource }));
  }
}

export class DecisionValue {
  readonly allowed: boolean;
  readonly reason: string;
  constructor({ allowed, reason = '' }: Decision) {
    this.allowed = allowed;
    this.reason = reason;
  }
}
