import { AuthorizerValue } from '../../../api/cel/authorizer.ts';
import { type AsyncProgram, compileAsync, toCel } from '../../../api/cel/evaluation.ts';
import type { MatchCondition } from '../../../api/generated/types/admissionregistration.v1.ts';
import type { Namespace } from '../../../api/generated/types/core.v1.ts';
import type { UserInfo } from '../../../api/request.ts';
import type { Authorizer } from '../../chain/authorization.ts';
import type { ServedResource } from '../../served-resource.ts';
import type { AdmissionAttributes } from '../admission.ts';
import { admissionRequest, shownObjects } from './admission-review.ts';

/** What an expression came to. */
export type Evaluated = { ok: true; value: unknown } | { ok: false; error: string };

/** Programs are kept by their text: there are as many as webhooks and policies say. */
const MOST_PROGRAMS = 2000;
const programs = new Map<string, AsyncProgram | string>();

function programOf(source: string): AsyncProgram | string {
  let program = programs.get(source);
  if (program === undefined) {
    if (programs.size >= MOST_PROGRAMS) programs.clear();
    try {
      program = compileAsync(source);
    } catch (error) {
      program = (error as Error).message.split('\n')[0] ?? '';
    }
    programs.set(source, program);
  }
  return program;
}

/** A request as expressions see it, made once for all that ask about it. */
export class ExpressionInput {
  readonly #variables: Readonly<Record<string, unknown>>;

  constructor(attributes: AdmissionAttributes, form: ServedResource, namespace: Namespace | undefined, authorizer: Authorizer) {
    const { object, oldObject } = shownObjects(attributes, form);
    this.#variables = {
      object: toCel(object),
      oldObject: toCel(oldObject),
      request: toCel(admissionRequest(attributes, form)),
      namespaceObject: toCel(namespace ?? null),
      authorizer: new AuthorizerValue(askedBy(attributes.user, authorizer), requestResource(attributes)),
    };
  }

  /** @param more what else the expression may speak of. */
  async evaluate(source: string, more: Readonly<Record<string, unknown>> = {}): Promise<Evaluated> {
    const program = programOf(source);
    const outcome =
      typeof program === 'string' ? { ok: false as const, error: `compilation error: ${program}` } : await program({ ...this.#variables, ...more });
    return outcome.ok ? outcome : { ok: false, error: `expression '${source}' resulted in error: ${outcome.error}` };
  }

  /**
   * Whether a request is one of those that conditions describe. A condition that is false settles it, whatever comes of the others.
   *
   * @throws Error for conditions that came to nothing.
   */
  async meets(conditions: readonly MatchCondition[], more?: Readonly<Record<string, unknown>>): Promise<boolean> {
    const errors: string[] = [];
    for (const { expression = '' } of conditions) {
      const outcome = await this.evaluate(expression, more);
      if (!outcome.ok) errors.push(outcome.error);
      else if (outcome.value !== true) return false;
    }
    if (errors.length) throw new Error(errors.length === 1 ? errors[0] : `[${errors.join(', ')}]`);
    return true;
  }
}

function askedBy(user: UserInfo, authorizer: Authorizer): ConstructorParameters<typeof AuthorizerValue>[0] {
  return async ({ serviceAccount, ...what }) => {
    const who: UserInfo = serviceAccount
      ? {
          name: `system:serviceaccount:${serviceAccount.namespace}:${serviceAccount.name}`,
          groups: ['system:serviceaccounts', `system:serviceaccounts:${serviceAccount.namespace}`, 'system:authenticated'],
        }
      : user;
    return authorizer.authorize({ user: who, ...what });
  };
}

function requestResource({ resource: { facts }, subresource, namespace, name }: AdmissionAttributes): ConstructorParameters<typeof AuthorizerValue>[1] {
  return { group: facts.group, version: facts.version, resource: facts.resource, subresource, namespace, name };
}
