import { at, type FieldError, forbidden, invalid, notSupported, required } from '../../field-error.ts';
import type { CustomResourceConversion } from '../../generated/types/apiextensions.v1.ts';
import { dns1035LabelFaults } from '../../names.ts';
import { checkWith } from '../../validation.ts';
import { checkWebhookService, checkWebhookUrl, type WebhookClient } from '../../webhook-client.ts';

const STRATEGIES = ['None', 'Webhook'];
const REVIEW_VERSIONS = ['v1', 'v1beta1'];

export const hasKnownReviewVersion = (versions: readonly string[]): boolean => versions.some((version) => REVIEW_VERSIONS.includes(version));

function checkReviewVersions(versions: readonly string[], field: string, { mustKnow }: { mustKnow: boolean }): FieldError[] {
  if (versions.length === 0) return [required(field)];
  return [
    ...versions.flatMap((version, index) =>
      versions.indexOf(version) < index ? [invalid(at(field, index), version, 'duplicate version')] : checkWith(dns1035LabelFaults, version, at(field, index)),
    ),
    ...(hasKnownReviewVersion(versions) || !mustKnow ? [] : [invalid(field, versions, `must include at least one of ${REVIEW_VERSIONS.join(', ')}`)]),
  ];
}

function checkClient(client: WebhookClient | undefined, field: string): FieldError[] {
  if (!client) return [required(field, 'required when strategy is set to Webhook')];
  const { url, service } = client;
  if ((url === undefined) === (service === undefined)) return [required(field, 'exactly one of url or service is required')];
  return service ? checkWebhookService(service, `${field}.service`) : checkWebhookUrl(url ?? '', `${field}.url`);
}

/** Upstream: apiextensions-apiserver/pkg/apis/apiextensions/validation, validateCustomResourceConversion; the fields' names are the internal ones. */
export function checkConversion(conversion: CustomResourceConversion, field: string, { mustKnowVersion }: { mustKnowVersion: boolean }): FieldError[] {
  const { strategy, webhook } = conversion;
  const versions = webhook?.conversionReviewVersions ?? [];
  const errors = strategy ? (STRATEGIES.includes(strategy) ? [] : [notSupported(`${field}.strategy`, strategy, STRATEGIES)]) : [required(`${field}.strategy`)];
  if (strategy === 'Webhook')
    return [
      ...errors,
      ...checkClient(webhook?.clientConfig, `${field}.webhookClientConfig`),
      ...checkReviewVersions(versions, `${field}.conversionReviewVersions`, { mustKnow: mustKnowVersion }),
    ];
  const UNWANTED = 'should not be set when strategy is not set to Webhook';
  return [
    ...errors,
    ...(webhook?.clientConfig ? [forbidden(`${field}.webhookClientConfig`, UNWANTED)] : []),
    ...(versions.length ? [forbidden(`${field}.conversionReviewVersions`, UNWANTED)] : []),
  ];
}
