import type { MutatingWebhook } from '../../../api/generated/types/admissionregistration.v1.ts';
import { badRequest, forbidden, internalError, StatusError } from '../../../api/status.ts';
import type { Authorizer } from '../../chain/authorization.ts';
import { parseJson } from '../../decode/json.ts';
import type { ServedResource } from '../../served-resource.ts';
import type { AdmissionAttributes, AdmissionContext } from '../admission.ts';
import { admissionRequest, shownObjects } from './admission-review.ts';
import { ExpressionInput } from './expressions.ts';
import { type Criteria, isExempt, type Matcher } from './matching.ts';
import type { WebhookConnection } from './webhook-connection.ts';

/** What webhooks of both kinds have in common. */
export type Webhook = Omit<MutatingWebhook, 'reinvocationPolicy'>;

export interface WebhookParts {
  matcher: Matcher;
  connection: WebhookConnection;
  authorizer: Authorizer;
}

interface AdmissionResponse {
  uid?: string;
  allowed?: boolean;
  status?: { code?: number; reason?: string; message?: string; status?: string; details?: Record<string, unknown> };
  patch?: string;
  patchType?: string;
  warnings?: string[];
}

/** The versions of reviews that are known here, the newest first. */
const REVIEW_VERSIONS = ['v1', 'v1beta1'];

/** No answer, or none that can be used: what then happens is for the webhook's failure policy. */
export class CallError extends Error {}

/** The version of the resource in which the webhook wants to hear of the request; undefined where it does not. @throws StatusError */
export async function formFor(webhook: Webhook, attributes: AdmissionAttributes, parts: WebhookParts): Promise<ServedResource | undefined> {
  if (isExempt(attributes)) return undefined;
  const { rules = [], matchPolicy, namespaceSelector, objectSelector, matchConditions = [], failurePolicy } = webhook;
  const criteria: Criteria = { rules, matchPolicy, namespaceSelector, objectSelector };
  const form = await parts.matcher.match(attributes, criteria);
  if (!form || matchConditions.length === 0) return form;
  const input = new ExpressionInput(attributes, form, await parts.matcher.namespaceOf(attributes), parts.authorizer);
  try {
    return (await input.meets(matchConditions)) ? form : undefined;
  } catch (error) {
    if (failurePolicy === 'Ignore') return undefined;
    throw forbidden(attributes.resource.facts, attributes.name, (error as Error).message);
  }
}

/**
 * Asks a webhook.
 *
 * @returns the operations of the patch that it wants.
 * @throws StatusError when it denies the request. @throws CallError
 */
export async function ask(
  webhook: Webhook,
  attributes: AdmissionAttributes,
  form: ServedResource,
  { connection, context }: { connection: WebhookConnection; context: AdmissionContext },
): Promise<unknown[]> {
  const { name, clientConfig, timeoutSeconds = 10, admissionReviewVersions = [], sideEffects } = webhook;
  if (attributes.dryRun && sideEffects !== 'None' && sideEffects !== 'NoneOnDryRun')
    throw badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`);
  const version = admissionReviewVersions.find((one) => REVIEW_VERSIONS.includes(one));
  if (!version)
    throw new CallError(`could not create admission objects: webhook does not accept known AdmissionReview versions (${REVIEW_VERSIONS.join(', ')})`);
  const uid = context.rng.uuid();
  const review = { kind: 'AdmissionReview', apiVersion: `admission.k8s.io/${version}`, request: requestOf(attributes, form, uid) };
  const answer = await connection.post(clientConfig, review, { timeoutSeconds, clock: context.clock }).then(read, (error: Error) => {
    throw new CallError(`failed to call webhook: ${error.message}`);
  });
  const response = checked(answer, review.apiVersion, uid);
  for (const warning of response.warnings ?? []) attributes.warn(warning);
  if (!response.allowed) throw denial(name, response.status);
  return patchOf(response);
}

/** What the failure of a webhook comes to: nothing, where that is its policy. @throws StatusError */
export function heedFailure({ name, failurePolicy }: Webhook, error: unknown): void {
  if (!(error instanceof CallError)) throw error;
  if (failurePolicy !== 'Ignore') throw internalError(`failed calling webhook ${JSON.stringify(name)}: ${error.message}`);
}

function requestOf(attributes: AdmissionAttributes, form: ServedResource, uid: string): Record<string, unknown> {
  const { dryRun, options, ...request } = admissionRequest(attributes, form);
  return { uid, ...request, ...shownObjects(attributes, form), dryRun, options };
}

interface Review {
  kind?: string;
  apiVersion?: string;
  response?: AdmissionResponse | null;
}

function read(text: string): Review {
  try {
    const review = parseJson(text) as Review | null;
    if (!review?.kind) throw new Error(`Object 'Kind' is missing in '${text}'`);
    return review;
  } catch (error) {
    const { message } = error as Error;
    throw new CallError(`failed to call webhook: ${error instanceof StatusError ? `couldn't get version/kind; json parse error: ${message}` : message}`);
  }
}

/** Upstream: admission/plugin/webhook/request.VerifyAdmissionResponse. */
function checked({ kind, apiVersion = '', response }: Review, wanted: string, uid: string): AdmissionResponse {
  const refuse = (why: string): CallError => new CallError(`received invalid webhook response: ${why}`);
  if (!response) throw refuse('webhook response was absent');
  if (!wanted.endsWith('/v1')) return response;
  const isReview = kind === 'AdmissionReview' && apiVersion === wanted;
  if (response.uid !== uid) throw refuse(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? '')}`);
  if (!isReview) throw refuse(`expected webhook response of ${wanted}, Kind=AdmissionReview, got ${apiVersion}, Kind=${kind ?? ''}`);
  const { patch, patchType } = response;
  if (patch && !patchType) throw refuse('webhook returned response.patch but not response.patchType');
  if (!patch && patchType) throw refuse('webhook returned response.patchType but not response.patch');
  if (patchType && patchType !== 'JSONPatch') throw refuse(`webhook returned invalid response.patchType of ${JSON.stringify(patchType)}`);
  return response;
}

function patchOf({ patch }: AdmissionResponse): unknown[] {
  if (!patch) return [];
  const operations = parseJson(Buffer.from(patch, 'base64').toString());
  return Array.isArray(operations) ? operations : [];
}

/** Upstream: admission/plugin/webhook/errors.ToStatusErr. */
function denial(name: string, { code = 0, reason = '', message, details }: NonNullable<AdmissionResponse['status']> = {}): StatusError {
  const denied = `admission webhook ${JSON.stringify(name)} denied the request`;
  const why = message || reason;
  return new StatusError(code < 400 ? 400 : code, reason, why ? `${denied}: ${why}` : `${denied} without explanation`, details);
}
