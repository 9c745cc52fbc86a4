import { deepEqual } from '../../../api/equality.ts';
import type { MutatingWebhook, ValidatingWebhook } from '../../../api/generated/types/admissionregistration.v1.ts';
import type { KubeObject } from '../../../api/object.ts';
import { MutatingWebhookConfigurations, ValidatingWebhookConfigurations } from '../../../api/resources.ts';
import { internalError } from '../../../api/status.ts';
import { applyJsonPatch } from '../../patches/json-patch.ts';
import type { ServedResource } from '../../served-resource.ts';
import { mirrorOf } from '../../storage/mirror.ts';
import type { AdmissionAttributes, AdmissionContext, AdmissionPlugin, AdmissionServer, Reinvocation } from '../admission.ts';
import { inForm, shownObjects } from './admission-review.ts';
import { Matcher } from './matching.ts';
import { ask, formFor, heedFailure, type WebhookParts } from './webhook-call.ts';
import { WebhookConnection } from './webhook-connection.ts';

function partsOf(server: AdmissionServer): WebhookParts {
  return { matcher: new Matcher(server), connection: new WebhookConnection(server), authorizer: server.authorizer };
}

/** Webhooks that may refuse; all are asked at once (upstream: admission/plugin/webhook/validating). */
export function validatingWebhooks(server: AdmissionServer): AdmissionPlugin {
  const parts = partsOf(server);
  const configurations = mirrorOf(server, ValidatingWebhookConfigurations);
  return {
    name: 'ValidatingAdmissionWebhook',
    hearsAll: true,
    async validate(attributes, context) {
      const webhooks = (await configurations()).all().flatMap(({ webhooks: own = [] }) => own);
      const asked: Promise<void>[] = [];
      for (const webhook of webhooks) {
        const form = await formFor(webhook, attributes, parts);
        if (form) asked.push(askToRefuse(webhook, form, attributes, { ...parts, context }));
      }
      const outcomes = await Promise.allSettled(asked);
      const refusal = outcomes.find((outcome) => outcome.status === 'rejected');
      if (refusal) throw refusal.reason;
      return undefined;
    },
  };
}

async function askToRefuse(
  webhook: ValidatingWebhook,
  form: ServedResource,
  attributes: AdmissionAttributes,
  parts: WebhookParts & { context: AdmissionContext },
): Promise<void> {
  try {
    await ask(webhook, attributes, form, parts);
  } catch (error) {
    heedFailure(webhook, error);
  }
}

/** Webhooks that may change what is written, one after the other (upstream: admission/plugin/webhook/mutating). */
export function mutatingWebhooks(server: AdmissionServer): AdmissionPlugin {
  const parts = partsOf(server);
  const configurations = mirrorOf(server, MutatingWebhookConfigurations);
  return {
    name: 'MutatingAdmissionWebhook',
    hearsAll: true,
    async admit(attributes, context) {
      const current = { ...attributes };
      const { reinvocation } = current;
      if (reinvocation.isAgain && !deepEqual(current.object, reinvocation.lastOutput)) makeDue(reinvocation);
      for (const { metadata, webhooks = [] } of (await configurations()).all())
        for (const webhook of webhooks) {
          const form = await formFor(webhook, current, parts);
          if (!form) continue;
          const id = `${metadata.name ?? ''}/${webhook.name}`;
          if (reinvocation.isAgain && !reinvocation.due.has(id)) continue;
          const changed = await askToChange(webhook, form, current, { ...parts, context });
          if (changed) {
            current.object = changed;
            makeDue(reinvocation);
            reinvocation.isWanted = true;
          }
          if (webhook.reinvocationPolicy === 'IfNeeded') reinvocation.called.add(id);
        }
      reinvocation.lastOutput = current.object;
      return current.object;
    },
  };
}

/** Who was asked before something changed is to be asked again, if that is his policy. */
function makeDue({ called, due }: Reinvocation): void {
  for (const id of called) due.add(id);
  called.clear();
}

/** @returns the changed object; undefined where the webhook changes nothing. */
async function askToChange(
  webhook: MutatingWebhook,
  form: ServedResource,
  attributes: AdmissionAttributes & { object: KubeObject },
  parts: WebhookParts & { context: AdmissionContext },
): Promise<KubeObject | undefined> {
  try {
    const operations = await ask(webhook, attributes, form, parts);
    if (operations.length === 0) return undefined;
    const changed = patched(attributes, form, operations);
    return deepEqual(changed, attributes.object) ? undefined : changed;
  } catch (error) {
    heedFailure(webhook, error);
    return undefined;
  }
}

function patched(attributes: AdmissionAttributes & { object: KubeObject }, form: ServedResource, operations: readonly unknown[]): KubeObject {
  const { object, resource, view } = attributes;
  let value: unknown = shownObjects(attributes, form).object;
  for (const operation of operations) {
    try {
      value = applyJsonPatch(value, [operation]);
    } catch {
      const { op = '', path = '' } = operation as { op?: string; path?: string };
      throw internalError(`${op} operation does not apply: doc is missing path: ${op === 'replace' ? path : JSON.stringify(path)}: missing value`);
    }
  }
  if (view) return view.into(object, value as KubeObject);
  const decoded = { ...form.decode(form.type, value).object, kind: form.facts.kind, apiVersion: form.apiVersion } as KubeObject;
  form.behaviour.setDefaults?.(decoded);
  return inForm(decoded, form, resource);
}
