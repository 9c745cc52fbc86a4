import type { NamedRuleWithOperations } from '../../../api/generated/types/admissionregistration.v1.ts';
import type { Namespace } from '../../../api/generated/types/core.v1.ts';
import type { LabelSelector } from '../../../api/generated/types/meta.v1.ts';
import { selectorFrom } from '../../../api/labels.ts';
import type { KubeObject } from '../../../api/object.ts';
import { Namespaces } from '../../../api/resources.ts';
import { notFound } from '../../../api/status.ts';
import type { Registry } from '../../registry.ts';
import type { ServedResource } from '../../served-resource.ts';
import type { Storage } from '../../storage/storage.ts';
import type { AdmissionAttributes } from '../admission.ts';

/** Which requests a webhook, a policy or a binding is for. */
export interface Criteria {
  /** Undefined: all. */
  rules?: readonly NamedRuleWithOperations[] | undefined;
  exclude?: readonly NamedRuleWithOperations[] | undefined;
  matchPolicy?: string | undefined;
  namespaceSelector?: LabelSelector | undefined;
  objectSelector?: LabelSelector | undefined;
}

const GROUP = 'admissionregistration.k8s.io';

/** Whoever can change what admission asks must not be kept from it by what it asks. */
export function isExempt({ resource: { facts } }: AdmissionAttributes): boolean {
  return facts.group === GROUP && /^(validating|mutating)(webhookconfigurations|admissionpolic)/.test(facts.resource);
}

/** Tells whether a request is one of those (upstream: admission/plugin/webhook/{predicates,generic}, plugin/policy/matching). */
export class Matcher {
  readonly #registry: Registry;
  readonly #storage: Storage;

  constructor({ registry, storage }: { registry: Registry; storage: Storage }) {
    this.#registry = registry;
    this.#storage = storage;
  }

  /** The resource in the version in which the rules name it; undefined where they do not match. @throws StatusError for a namespace that is not there. */
  async match(attributes: AdmissionAttributes, criteria: Criteria): Promise<ServedResource | undefined> {
    if (!matchesObject(attributes, criteria.objectSelector)) return undefined;
    const matchPolicy = criteria.matchPolicy ?? 'Equivalent';
    if (criteria.exclude?.length && this.#form(attributes, criteria.exclude, matchPolicy)) return undefined;
    const form = criteria.rules ? this.#form(attributes, criteria.rules, matchPolicy) : attributes.resource;
    if (!form || !(await this.#matchesNamespace(attributes, criteria.namespaceSelector))) return undefined;
    return form;
  }

  /** The namespace that a request is in; undefined for what is in none, and for namespaces themselves. */
  async namespaceOf({ resource, namespace }: AdmissionAttributes): Promise<Namespace | undefined> {
    if (!resource.namespaced || !namespace) return undefined;
    const found = await this.#storage.get(this.#registry.get(Namespaces), { namespace: '', name: namespace });
    if (!found) throw notFound(Namespaces, namespace);
    return found.object as Namespace;
  }

  #form(attributes: AdmissionAttributes, rules: readonly NamedRuleWithOperations[], matchPolicy: string): ServedResource | undefined {
    const { resource } = attributes;
    const isNamed = (form: ServedResource): boolean => rules.some((rule) => matchesRule(attributes, form, rule));
    if (isNamed(resource)) return resource;
    if (matchPolicy === 'Exact') return undefined;
    return this.#registry.all().find((other) => other !== resource && other.prefix === resource.prefix && isNamed(other));
  }

  async #matchesNamespace(attributes: AdmissionAttributes, selector: LabelSelector | undefined): Promise<boolean> {
    if (!selector || selectorFrom(selector).requirements.length === 0) return true;
    const { resource, subresource, object, old } = attributes;
    const isNamespace = resource.facts.group === '' && resource.facts.resource === 'namespaces';
    if (!isNamespace && !attributes.namespace) return true;
    const namespace = isNamespace ? ((subresource ? undefined : object) ?? old) : await this.namespaceOf(attributes);
    return selectorFrom(selector).matches(labelsOf(namespace));
  }
}

const labelsOf = (object: KubeObject | undefined): KubeObject['metadata']['labels'] => (object as Partial<KubeObject> | undefined)?.metadata?.labels;

function matchesObject({ object, old }: AdmissionAttributes, selector: LabelSelector | undefined): boolean {
  if (!selector) return true;
  const { requirements, matches } = selectorFrom(selector);
  return requirements.length === 0 || [object, old].some((one) => one !== undefined && matches(labelsOf(one)));
}

function matchesRule({ operation, subresource, namespace, name }: AdmissionAttributes, { facts }: ServedResource, rule: NamedRuleWithOperations): boolean {
  const has = (values: readonly string[] | undefined, value: string): boolean => values?.some((one) => one === '*' || one === value) ?? false;
  const isInNamespace = facts.scope === 'Namespaced' && namespace !== '';
  const scopeFits = (rule.scope ?? '*') === '*' || (rule.scope === 'Namespaced') === isInNamespace;
  if (!scopeFits || !has(rule.operations, operation) || !has(rule.apiGroups, facts.group) || !has(rule.apiVersions, facts.version)) return false;
  if (rule.resourceNames?.length && !rule.resourceNames.includes(name)) return false;
  return (rule.resources ?? []).some((pattern) => {
    const [resource, part = ''] = pattern.split('/');
    return (resource === '*' || resource === facts.resource) && (part === '*' || part === subresource);
  });
}
