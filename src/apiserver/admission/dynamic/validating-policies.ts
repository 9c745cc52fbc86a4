import { toCel } from '../../../api/cel/evaluation.ts';
import type {
  MatchResources,
  ParamKind,
  ParamRef,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  Validation,
} from '../../../api/generated/types/admissionregistration.v1.ts';
import { selectorFrom } from '../../../api/labels.ts';
import type { KubeObject } from '../../../api/object.ts';
import { ValidatingAdmissionPolicies, ValidatingAdmissionPolicyBindings } from '../../../api/resources.ts';
import { forbidden, StatusError } from '../../../api/status.ts';
import { mirrorOf } from '../../storage/mirror.ts';
import type { AdmissionAttributes, AdmissionPlugin, AdmissionServer } from '../admission.ts';
import { ExpressionInput } from './expressions.ts';
import { type Criteria, isExempt, Matcher } from './matching.ts';

/** A request that a policy does not let pass, and why. */
interface Denial {
  policy: string;
  binding?: string;
  message: string;
  reason?: string | undefined;
}

const CODES: Readonly<Record<string, number>> = { Forbidden: 403, Unauthorized: 401, RequestEntityTooLarge: 413 };
/** A computed message that is longer gives way to the plain one. */
const LONGEST_MESSAGE = 5 * 1024;

/** Rules in CEL that requests are held to (upstream: admission/plugin/policy/validating). Audit has no place to go here. */
export function validatingPolicies(server: AdmissionServer): AdmissionPlugin {
  const policies = mirrorOf(server, ValidatingAdmissionPolicies);
  const bindings = mirrorOf(server, ValidatingAdmissionPolicyBindings);
  const judge = new PolicyJudge(server);
  return {
    name: 'ValidatingAdmissionPolicy',
    hearsAll: true,
    async validate(attributes) {
      if (isExempt(attributes)) return undefined;
      const bound = (await bindings()).all();
      const denials: Denial[] = [];
      for (const policy of (await policies()).all()) {
        const own = bound.filter(({ spec }) => spec?.policyName === policy.metadata.name);
        if (own.length) denials.push(...(await judge.denials(policy, own, attributes)));
      }
      if (denials[0]) throw refusal(attributes, denials[0]);
      return undefined;
    },
  };
}

class PolicyJudge {
  readonly #server: AdmissionServer;
  readonly #matcher: Matcher;

  constructor(server: AdmissionServer) {
    this.#server = server;
    this.#matcher = new Matcher(server);
  }

  async denials(policy: ValidatingAdmissionPolicy, bindings: readonly ValidatingAdmissionPolicyBinding[], attributes: AdmissionAttributes): Promise<Denial[]> {
    const { matchConstraints, failurePolicy, paramKind } = policy.spec ?? {};
    const name = policy.metadata.name ?? '';
    const form = await this.#matcher.match(attributes, criteriaOf(matchConstraints));
    if (!form) return [];
    const namespace = await this.#matcher.namespaceOf(attributes);
    const input = new ExpressionInput(attributes, form, namespace, this.#server.authorizer);
    const found: Denial[] = [];
    for (const { metadata, spec = {} } of bindings) {
      const binding = metadata.name ?? '';
      if (spec.matchResources && !(await this.#matcher.match(attributes, criteriaOf(spec.matchResources)))) continue;
      const params = await this.#params(paramKind, spec.paramRef, attributes.namespace);
      if (typeof params === 'string') {
        if (failurePolicy !== 'Ignore') found.push({ policy: name, binding, message: `failed to configure binding: ${params}` });
        continue;
      }
      for (const param of params)
        for (const denied of await judgments(policy, input, param)) {
          for (const action of spec.validationActions ?? []) {
            if (action === 'Deny') found.push({ policy: name, binding, ...denied });
            else if (action === 'Warn')
              attributes.warn(`Validation failed for ValidatingAdmissionPolicy '${name}' with binding '${binding}': ${denied.message}`);
          }
        }
    }
    return found;
  }

  /** What the binding gives the policy to go by; undefined stands for nothing. @returns a text where that cannot be had. */
  async #params(kind: ParamKind | undefined, ref: ParamRef | undefined, requestNamespace: string): Promise<(KubeObject | undefined)[] | string> {
    if (!kind || !ref) return [undefined];
    const { registry, storage } = this.#server;
    const resource = registry.ofKind(kind.apiVersion ?? '', kind.kind ?? '');
    if (!resource) return `paramKind kind \`&ParamKind{APIVersion:${kind.apiVersion},Kind:${kind.kind},}\` not known`;
    if (!resource.namespaced && ref.namespace) return 'paramRef.namespace must not be provided for a cluster-scoped `paramKind`';
    const namespace = resource.namespaced ? ref.namespace || requestNamespace : '';
    if (resource.namespaced && !namespace) return 'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources';
    const params: KubeObject[] = [];
    if (ref.name) {
      const one = await storage.get(resource, { namespace, name: ref.name });
      if (one) params.push(one.object);
    } else {
      const selector = selectorFrom(ref.selector);
      for (const object of await storage.all(resource, namespace)) if (selector.matches(object.metadata.labels)) params.push(object);
    }
    if (params.length === 0 && ref.parameterNotFoundAction === 'Deny') return 'no params found for policy binding with `Deny` parameterNotFoundAction';
    return params;
  }
}

function criteriaOf({ resourceRules, excludeResourceRules, ...rest }: MatchResources = {}): Criteria {
  return { ...rest, rules: resourceRules?.length ? resourceRules : undefined, exclude: excludeResourceRules };
}

/** What a policy has against the request, with one parameter. */
async function judgments(policy: ValidatingAdmissionPolicy, input: ExpressionInput, param: KubeObject | undefined): Promise<Omit<Denial, 'policy'>[]> {
  const { validations = [], matchConditions = [], variables = [], failurePolicy } = policy.spec ?? {};
  const failed = (message: string): Omit<Denial, 'policy'>[] => (failurePolicy === 'Ignore' ? [] : [{ message }]);
  const params = { params: toCel(param ?? null) };
  try {
    if (!(await input.meets(matchConditions, params))) return [];
  } catch (error) {
    return failed((error as Error).message);
  }
  const known = { ...params, variables: await composed(variables, input, params) };
  const found: Omit<Denial, 'policy'>[] = [];
  for (const validation of validations) {
    const outcome = await input.evaluate(validation.expression, known);
    if (!outcome.ok) found.push(...failed(outcome.error));
    else if (outcome.value !== true) found.push({ message: await messageOf(validation, input, known), reason: validation.reason ?? 'Invalid' });
  }
  return found;
}

/** Named expressions, each of which may speak of those before it. One that comes to nothing is a fault of whoever speaks of it. */
async function composed(variables: readonly { name: string; expression: string }[], input: ExpressionInput, params: object): Promise<object> {
  const object = {};
  for (const { name, expression } of variables) {
    const outcome = await input.evaluate(expression, { ...params, variables: object });
    const why = outcome.ok ? '' : outcome.error.slice(`expression '${expression}' resulted in error: `.length);
    Object.defineProperty(object, name, {
      enumerable: true,
      get(): unknown {
        if (outcome.ok) return outcome.value;
        throw new Error(`composited variable ${JSON.stringify(name)} fails to evaluate: ${why}`);
      },
    });
  }
  return object;
}

async function messageOf({ messageExpression, message, expression }: Validation, input: ExpressionInput, known: Record<string, unknown>): Promise<string> {
  if (messageExpression) {
    const outcome = await input.evaluate(messageExpression, known);
    const text = outcome.ok && typeof outcome.value === 'string' ? outcome.value.trim() : '';
    if (text && !text.includes('\n') && Buffer.byteLength(text) <= LONGEST_MESSAGE) return text;
  }
  return message?.trim() || `failed expression: ${expression.trim()}`;
}

function refusal({ resource, name }: AdmissionAttributes, { policy, binding, message, reason = 'Invalid' }: Denial): StatusError {
  const where = binding === undefined ? '' : ` with binding '${binding}'`;
  const words = `ValidatingAdmissionPolicy '${policy}'${where} denied request: ${message}`;
  const { status } = forbidden(resource.facts, name, words);
  return new StatusError(CODES[reason] ?? 422, reason, status.message ?? '', { ...status.details, causes: [{ message: words }] });
}
