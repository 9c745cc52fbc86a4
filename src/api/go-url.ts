import { goQuote } from './field-error.ts';

/** The parts of a URL that rules look at. */
export interface GoUrl {
  scheme: string;
  host: string;
  /** Undefined where there is none; empty where there is nothing before the `@`. */
  user: string | undefined;
  fragment: string;
  query: string;
}

class UrlFault extends Error {}

/**
 * Reads a URL as Go does, which takes nearly any text for a path (net/url: Parse).
 *
 * @returns the parts, or Go's words for what is wrong.
 */
export function parseGoUrl(text: string): GoUrl | string {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof UrlFault) return `parse ${goQuote(text)}: ${error.message}`;
    throw error;
  }
}

function parse(text: string): GoUrl {
  for (const char of text) if (char < ' ' || char === '\x7f') throw new UrlFault('net/url: invalid control character in URL');
  const [beforeFragment, fragment] = cut(text, '#');
  checkEscapes(fragment);
  const [scheme, afterScheme] = cutScheme(beforeFragment);
  const [rest, query] = cut(afterScheme, '?');
  const none: GoUrl = { scheme, host: '', user: undefined, fragment, query };
  if (!rest.startsWith('/')) {
    if (scheme) return none;
    if (rest.split('/')[0]!.includes(':')) throw new UrlFault('first path segment in URL cannot contain colon');
  }
  if (!rest.startsWith('//') || (!scheme && rest.startsWith('///'))) {
    checkEscapes(rest);
    return none;
  }
  const slash = rest.indexOf('/', 2);
  const authority = rest.slice(2, slash < 0 ? undefined : slash);
  if (slash >= 0) checkEscapes(rest.slice(slash));
  const at = authority.lastIndexOf('@');
  const host = authority.slice(at + 1);
  checkHost(host);
  return { ...none, host, user: at < 0 ? undefined : authority.slice(0, at) };
}

function cut(text: string, separator: string): [before: string, after: string] {
  const index = text.indexOf(separator);
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)];
}

function cutScheme(text: string): [scheme: string, rest: string] {
  if (text.startsWith(':')) throw new UrlFault('missing protocol scheme');
  const scheme = /^([A-Za-z][-+.A-Za-z0-9]*):/.exec(text)?.[1];
  return scheme ? [scheme.toLowerCase(), text.slice(scheme.length + 1)] : ['', text];
}

function checkEscapes(text: string): void {
  const bad = /%(?![0-9A-Fa-f]{2}).{0,2}/s.exec(text)?.[0];
  if (bad !== undefined) throw new UrlFault(`invalid URL escape ${goQuote(bad)}`);
}

function checkHost(host: string): void {
  const bracket = host.lastIndexOf(']');
  if (host.startsWith('[') && bracket < 0) throw new UrlFault("missing ']' in host");
  const colon = host.startsWith('[') ? bracket + 1 : host.lastIndexOf(':');
  const port = colon < 0 ? '' : host.slice(colon);
  if (!/^(:[0-9]*)?$/.test(port)) throw new UrlFault(`invalid port ${goQuote(port)} after host`);
  checkEscapes(host);
  const bad = [...host].find((char) => char < '\x80' && !/[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%]/.test(char));
  if (bad !== undefined) throw new UrlFault(`invalid character ${goQuote(bad)} in host name`);
}
