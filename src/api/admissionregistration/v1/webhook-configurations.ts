import { age } from '../../duration.ts';
import { deepEqual } from '../../equality.ts';
import { at, duplicate, type FieldError, invalid, notSupported, required } from '../../field-error.ts';
import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from '../../generated/types/admissionregistration.v1.ts';
import type { Cell, KindBehaviour } from '../../kind.ts';
import { validateLabelSelector } from '../../label-validation.ts';
import { dns1035LabelFaults, dns1123SubdomainFaults } from '../../names.ts';
import { checkOptionalOneOf, checkWith } from '../../validation.ts';
import { checkWebhookService, checkWebhookUrl, type WebhookClient } from '../../webhook-client.ts';
import { checkMatchConditions } from './match-conditions.ts';
import { checkRule, FAILURE_POLICIES, MATCH_POLICIES, setRuleDefaults } from './rules.ts';

type Webhook = ValidatingWebhook & Pick<MutatingWebhook, 'reinvocationPolicy'>;

const REVIEW_VERSIONS = ['v1', 'v1beta1'];
const NO_SIDE_EFFECTS = ['None', 'NoneOnDryRun'];
const SIDE_EFFECTS = [...NO_SIDE_EFFECTS, 'Some', 'Unknown'];
const MOST_SECONDS = 30;

/** What an update lets through because it stood there before. */
interface Leniency {
  allowSideEffects: boolean;
  allowUnknownReviewVersions: boolean;
  allowSameNames: boolean;
  allowInvalidLabelValues: boolean;
  ignoreMatchConditions: boolean;
}

const STRICT: Leniency = {
  allowSideEffects: false,
  allowUnknownReviewVersions: false,
  allowSameNames: false,
  allowInvalidLabelValues: false,
  ignoreMatchConditions: false,
};

/** Upstream: ValidateValidatingWebhookConfigurationUpdate and its sister. */
function leniencyOf(webhooks: readonly Webhook[], old: readonly Webhook[]): Leniency {
  const conditionsOf = (hooks: readonly Webhook[]): unknown => hooks.map(({ matchConditions = [] }) => matchConditions);
  const names = old.map(({ name = '' }) => name);
  return {
    allowSideEffects: old.some(({ sideEffects = '' }) => !NO_SIDE_EFFECTS.includes(sideEffects)),
    allowUnknownReviewVersions: old.some(
      ({ admissionReviewVersions: versions = [] }) => versions.length > 0 && !versions.some((version) => REVIEW_VERSIONS.includes(version)),
    ),
    allowSameNames: new Set(names).size < names.length,
    allowInvalidLabelValues: old.some((hook) => checkSelectors(hook, STRICT, '').length > 0),
    ignoreMatchConditions: deepEqual(conditionsOf(webhooks), conditionsOf(old)),
  };
}

/** A domain of three segments or more (upstream: IsFullyQualifiedName). */
function checkName(name: string, field: string): FieldError[] {
  if (!name) return [required(field)];
  const faults = dns1123SubdomainFaults(name);
  if (faults.length) return [invalid(field, name, faults.join(','))];
  return name.split('.').length < 3 ? [invalid(field, name, 'should be a domain with at least three segments separated by dots')] : [];
}

function checkSideEffects(sideEffects: string | null | undefined, { allowSideEffects }: Leniency, field: string): FieldError[] {
  const allowed = allowSideEffects ? SIDE_EFFECTS : NO_SIDE_EFFECTS;
  if (sideEffects === undefined || sideEffects === null) return [required(field, `must specify one of ${allowed.join(', ')}`)];
  return allowed.includes(sideEffects) ? [] : [notSupported(field, sideEffects, allowed)];
}

function checkSelectors(
  { namespaceSelector, objectSelector }: Webhook,
  { allowInvalidLabelValues: allowInvalidValues }: Leniency,
  field: string,
): FieldError[] {
  return [
    ...validateLabelSelector(namespaceSelector, `${field}.namespaceSelector`, { allowInvalidValues }),
    ...validateLabelSelector(objectSelector, `${field}.objectSelector`, { allowInvalidValues }),
  ];
}

function checkClient({ url, service }: WebhookClient, field: string): FieldError[] {
  if ((url === undefined) === (service === undefined)) return [required(field, 'exactly one of url or service is required')];
  return service ? checkWebhookService(service, `${field}.service`) : checkWebhookUrl(url ?? '', `${field}.url`);
}

/** Upstream: validateAdmissionReviewVersions. */
function checkReviewVersions(versions: readonly string[], { allowUnknownReviewVersions }: Leniency, field: string): FieldError[] {
  if (versions.length === 0) return [required(field, `must specify one of ${REVIEW_VERSIONS.join(', ')}`)];
  const hasKnown = versions.some((version) => REVIEW_VERSIONS.includes(version));
  return [
    ...versions.flatMap((version, index) =>
      versions.indexOf(version) < index ? [invalid(at(field, index), version, 'duplicate version')] : checkWith(dns1035LabelFaults, version, at(field, index)),
    ),
    ...(hasKnown || allowUnknownReviewVersions ? [] : [invalid(field, versions, `must include at least one of ${REVIEW_VERSIONS.join(', ')}`)]),
  ];
}

/** Upstream: validateValidatingWebhook and validateMutatingWebhook. */
function checkWebhook(hook: Webhook, leniency: Leniency, field: string): FieldError[] {
  const { name = '', rules = [], failurePolicy, matchPolicy, sideEffects, timeoutSeconds = 1, reinvocationPolicy, clientConfig } = hook;
  const isTimely = timeoutSeconds >= 1 && timeoutSeconds <= MOST_SECONDS;
  return [
    ...checkName(name, `${field}.name`),
    ...rules.flatMap((rule, index) => checkRule(rule, at(`${field}.rules`, index))),
    ...checkOptionalOneOf(failurePolicy, FAILURE_POLICIES, `${field}.failurePolicy`),
    ...checkOptionalOneOf(matchPolicy, MATCH_POLICIES, `${field}.matchPolicy`),
    ...checkSideEffects(sideEffects, leniency, `${field}.sideEffects`),
    ...(isTimely ? [] : [invalid(`${field}.timeoutSeconds`, timeoutSeconds, `the timeout value must be between 1 and ${MOST_SECONDS} seconds`)]),
    ...checkSelectors(hook, leniency, field),
    ...checkOptionalOneOf(reinvocationPolicy, ['IfNeeded', 'Never'], `${field}.reinvocationPolicy`),
    ...checkClient(clientConfig ?? {}, `${field}.clientConfig`),
    ...(leniency.ignoreMatchConditions ? [] : checkMatchConditions(hook.matchConditions ?? [], { hasParams: false }, `${field}.matchConditions`)),
  ];
}

function checkWebhooks(webhooks: readonly Webhook[], leniency: Leniency): FieldError[] {
  const names = webhooks.map(({ name = '' }) => name);
  return webhooks.flatMap((hook, index) => {
    const field = at('webhooks', index);
    const name = names[index]!;
    const isSecond = name !== '' && names.indexOf(name) < index;
    return [
      ...checkWebhook(hook, leniency, field),
      ...checkReviewVersions(hook.admissionReviewVersions ?? [], leniency, `${field}.admissionReviewVersions`),
      ...(isSecond && !leniency.allowSameNames ? [duplicate(`${field}.name`, name)] : []),
    ];
  });
}

/** Upstream: pkg/apis/admissionregistration/v1/defaults.go. */
function setDefaults({ webhooks }: { webhooks?: Webhook[] }): void {
  for (const hook of webhooks ?? []) {
    hook.failurePolicy ??= 'Fail';
    hook.matchPolicy ??= 'Equivalent';
    hook.namespaceSelector ??= {};
    hook.objectSelector ??= {};
    hook.timeoutSeconds ??= 10;
    setRuleDefaults(hook.rules);
    if (hook.clientConfig?.service) hook.clientConfig.service.port ??= 443;
  }
}

const row = ({ metadata, webhooks }: MutatingWebhookConfiguration | ValidatingWebhookConfiguration, nowMs: number): Cell[] => [
  metadata.name ?? '',
  webhooks?.length ?? 0,
  age(metadata.creationTimestamp, nowMs),
];

const common = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  hasGeneration: true,
  allowUnconditionalUpdate: false,
  metadataRules: 'general' as const,
  validate: ({ webhooks = [] }: { webhooks?: Webhook[] }) => checkWebhooks(webhooks, STRICT),
  validateUpdate: ({ webhooks = [] }: { webhooks?: Webhook[] }, { webhooks: old = [] }: { webhooks?: Webhook[] }) =>
    checkWebhooks(webhooks, leniencyOf(webhooks, old)),
  row,
};

export const validatingWebhookConfiguration: KindBehaviour<ValidatingWebhookConfiguration> = {
  ...common,
  kind: 'ValidatingWebhookConfiguration',
  setDefaults,
};

export const mutatingWebhookConfiguration: KindBehaviour<MutatingWebhookConfiguration> = {
  ...common,
  kind: 'MutatingWebhookConfiguration',
  setDefaults: (object) => {
    setDefaults(object);
    for (const hook of object.webhooks ?? []) hook.reinvocationPolicy ??= 'Never';
  },
};
