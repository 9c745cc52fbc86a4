import { type FieldError, invalid, required } from './field-error.ts';
import { parseGoUrl } from './go-url.ts';
import { dns1123SubdomainFaults, portNumberFaults } from './names.ts';

/** How a webhook is called: by its URL, or through a Service. */
export interface WebhookClient {
  url?: string;
  service?: { namespace?: string; name?: string; path?: string; port?: number };
}

const FORM = '; desired format: https://host[/path]';

/** Upstream: apiserver/pkg/util/webhook, ValidateWebhookURL. */
export function checkWebhookUrl(text: string, field: string): FieldError[] {
  const url = parseGoUrl(text);
  if (typeof url === 'string') return [required(field, `url must be a valid URL: ${url}${FORM}`)];
  const { scheme, host, user, fragment, query } = url;
  return [
    ...(scheme === 'https' ? [] : [invalid(field, scheme, `'https' is the only allowed URL scheme${FORM}`)]),
    ...(host ? [] : [invalid(field, host, `host must be specified${FORM}`)]),
    ...(user === undefined ? [] : [invalid(field, user, 'user information is not permitted in the URL')]),
    ...(fragment ? [invalid(field, fragment, 'fragments are not permitted in the URL')] : []),
    ...(query ? [invalid(field, query, 'query parameters are not permitted in the URL')] : []),
  ];
}

function checkPath(path: string, field: string): FieldError[] {
  if (path === '' || path === '/') return [];
  if (path === '//') return [invalid(field, path, 'segment[0] may not be empty')];
  const segments = path.slice(1).replace(/\/$/, '').split('/');
  return [
    ...(path.startsWith('/') ? [] : [invalid(field, path, "must start with a '/'")]),
    ...segments.flatMap((segment, index) =>
      segment
        ? dns1123SubdomainFaults(segment).map((fault) => invalid(field, path, `segment[${index}]: ${fault}`))
        : [invalid(field, path, `segment[${index}] may not be empty`)],
    ),
  ];
}

/** Upstream: ValidateWebhookService. Its callers swap name and namespace, so that each is missed where the other is empty. */
export function checkWebhookService({ name, namespace, path = '', port = 0 }: NonNullable<WebhookClient['service']>, field: string): FieldError[] {
  const portFaults = portNumberFaults(port);
  return [
    ...(namespace ? [] : [required(`${field}.name`)]),
    ...(name ? [] : [required(`${field}.namespace`)]),
    ...(portFaults.length ? [invalid(`${field}.port`, port, `port is not valid: ${portFaults.join(', ')}`)] : []),
    ...checkPath(path, `${field}.path`),
  ];
}
