/**
 * The forms of names, labels and ports. Each function returns what is wrong, in upstream's words
 * (apimachinery/pkg/util/validation); an empty list means that the value is well formed.
 */

const DNS_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const DNS_SUBDOMAIN = `${DNS_LABEL}(\\.${DNS_LABEL})*`;
const DNS_1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const QUALIFIED_NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = `(${QUALIFIED_NAME})?`;
const WILDCARD_SUBDOMAIN = `\\*\\.${DNS_SUBDOMAIN}`;
const CONFIG_KEY = '[-._a-zA-Z0-9]+';
const HTTP_HEADER = '[-A-Za-z0-9]+';
const HTTP_PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const PERCENT = '[0-9]+%';
const C_IDENTIFIER = '[A-Za-z_][A-Za-z0-9_]*';

const whole = (form: string): RegExp => new RegExp(`^${form}$`);
const dnsLabel = whole(DNS_LABEL);
const dnsSubdomain = whole(DNS_SUBDOMAIN);
const dns1035 = whole(DNS_1035);
const qualifiedName = whole(QUALIFIED_NAME);
const labelValue = whole(LABEL_VALUE);
const wildcardSubdomain = whole(WILDCARD_SUBDOMAIN);
const configKey = whole(CONFIG_KEY);
const httpHeader = whole(HTTP_HEADER);
const httpPath = whole(HTTP_PATH);
const percent = whole(PERCENT);
const cIdentifier = whole(C_IDENTIFIER);

export const EMPTY = 'must be non-empty';

export function maxLength(length: number): string {
  return `must be no more than ${length} characters`;
}

export function inclusiveRange(low: number, high: number): string {
  return `must be between ${low} and ${high}, inclusive`;
}

function regexFault(message: string, form: string, ...examples: string[]): string {
  if (examples.length === 0) return `${message} (regex used for validation is '${form}')`;
  return `${message} (e.g. ${examples.map((e) => `'${e}'`).join(',  or ')}, regex used for validation is '${form}')`;
}

/** Bytes of UTF-8. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text);
}

export function dns1123LabelFaults(value: string): string[] {
  const faults: string[] = [];
  if (byteLength(value) > 63) faults.push(maxLength(63));
  if (!dnsLabel.test(value)) {
    if (dnsSubdomain.test(value)) faults.push('must not contain dots');
    else
      faults.push(
        regexFault(
          "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
          DNS_LABEL,
          'my-name',
          '123-abc',
        ),
      );
  }
  return faults;
}

const SUBDOMAIN_FAULT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";

export function dns1123SubdomainFaults(value: string): string[] {
  const faults: string[] = [];
  if (byteLength(value) > 253) faults.push(maxLength(253));
  if (!dnsSubdomain.test(value)) faults.push(regexFault(SUBDOMAIN_FAULT, DNS_SUBDOMAIN, 'example.com'));
  return faults;
}

export function wildcardSubdomainFaults(value: string): string[] {
  const faults: string[] = [];
  if (byteLength(value) > 253) faults.push(maxLength(253));
  if (!wildcardSubdomain.test(value))
    faults.push(
      regexFault(
        "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
        WILDCARD_SUBDOMAIN,
        '*.example.com',
      ),
    );
  return faults;
}

export function dns1035LabelFaults(value: string): string[] {
  const faults: string[] = [];
  if (byteLength(value) > 63) faults.push(maxLength(63));
  if (!dns1035.test(value))
    faults.push(
      regexFault(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
        DNS_1035,
        'my-name',
        'abc-123',
      ),
    );
  return faults;
}

/** A label or annotation key: `name` or `domain/name`. */
export function qualifiedNameFaults(value: string): string[] {
  const parts = value.split('/');
  const faults: string[] = [];
  if (parts.length > 2) {
    const message = "a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
    return [`${regexFault(message, QUALIFIED_NAME, 'MyName', 'my.name', '123-abc')} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const name = parts.at(-1)!;
  if (parts.length === 2) {
    if (parts[0] === '') faults.push(`prefix part ${EMPTY}`);
    else faults.push(...dns1123SubdomainFaults(parts[0]!).map((fault) => `prefix part ${fault}`));
  }
  if (name === '') faults.push(`name part ${EMPTY}`);
  else if (byteLength(name) > 63) faults.push(`name part ${maxLength(63)}`);
  if (!qualifiedName.test(name))
    faults.push(
      `name part ${regexFault("must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character", QUALIFIED_NAME, 'MyName', 'my.name', '123-abc')}`,
    );
  return faults;
}

export function labelValueFaults(value: string): string[] {
  const faults: string[] = [];
  if (byteLength(value) > 63) faults.push(maxLength(63));
  if (!labelValue.test(value))
    faults.push(
      regexFault(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        LABEL_VALUE,
        'MyValue',
        'my_value',
        '12345',
      ),
    );
  return faults;
}

export function configMapKeyFaults(value: string): string[] {
  const faults: string[] = [];
  if (byteLength(value) > 253) faults.push(maxLength(253));
  if (!configKey.test(value))
    faults.push(regexFault("a valid config key must consist of alphanumeric characters, '-', '_' or '.'", CONFIG_KEY, 'key.name', 'KEY_NAME', 'key-name'));
  if (value === '.') faults.push("must not be '.'");
  else if (value === '..') faults.push("must not be '..'");
  else if (value.startsWith('..')) faults.push("must not start with '..'");
  return faults;
}

/** Since v1.34 every printable ASCII character but `=` may stand in the name of an environment variable. */
export function envVarNameFaults(value: string): string[] {
  if (value === '') return [`environment variable name ${EMPTY}`];
  return /^[\x20-\x3c\x3e-\x7e]*$/.test(value) ? [] : ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

export function portNumberFaults(port: number): string[] {
  return port >= 1 && port <= 65535 ? [] : [inclusiveRange(1, 65535)];
}

export function portNameFaults(port: string): string[] {
  const faults: string[] = [];
  if (byteLength(port) > 15) faults.push(maxLength(15));
  if (!/^[-a-z0-9]+$/.test(port)) faults.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(port)) faults.push('must contain at least one letter (a-z)');
  if (port.includes('--')) faults.push('must not contain consecutive hyphens');
  if (port.startsWith('-') || port.endsWith('-')) faults.push('must not begin or end with a hyphen');
  return faults;
}

export function percentFaults(value: string): string[] {
  return percent.test(value) ? [] : [regexFault("a valid percent string must be a numeric string followed by an ending '%'", PERCENT, '1%', '93%')];
}

export function httpHeaderNameFaults(value: string): string[] {
  return httpHeader.test(value) ? [] : [regexFault("a valid HTTP header must consist of alphanumeric characters or '-'", HTTP_HEADER, 'X-Header-Name')];
}

/** Whether every character may stand in the path of a domain-prefixed path such as a finalizer's or a probe's. */
export function httpPathFaults(value: string): string[] {
  return httpPath.test(value) ? [] : [regexFault('Invalid path', HTTP_PATH)];
}

export function cIdentifierFaults(value: string): string[] {
  return cIdentifier.test(value)
    ? []
    : [
        regexFault(
          "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
          C_IDENTIFIER,
          'my_name',
          'MY_NAME',
          'MyName',
        ),
      ];
}

export function userIdFaults(id: number): string[] {
  return id >= 0 && id <= 0x7fffffff ? [] : [inclusiveRange(0, 0x7fffffff)];
}
