/**
 * JSON whose integers are exact. JavaScript's numbers are, up to 53 bits; an integer beyond that becomes a bigint, and is
 * written as the digits that it came as.
 */

/** Sixteen digits or more: what may not fit a number. */
const LONG_DIGITS = /\d{16}/;
const INTEGER = /^-?\d+$/;

/** As JSON.parse, but for integers that a number cannot hold. @throws SyntaxError */
export function parseExact(text: string): unknown {
  if (!LONG_DIGITS.test(text)) return JSON.parse(text);
  // A text that is not JSON is to be told so in its own words.
  const rounded: unknown = JSON.parse(text);
  const marker = markerFor(text);
  const marked = markLongIntegers(text, marker);
  return marked === text ? rounded : unmark(JSON.parse(marked), marker);
}

/** A text that does not stand in another one. */
function markerFor(text: string): string {
  let marker = '\uE000';
  while (text.includes(marker)) marker += '\uE000';
  return marker;
}

/** Puts integers of more than 53 bits, outside strings, into strings that begin with the marker. */
function markLongIntegers(text: string, marker: string): string {
  return text.replaceAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) =>
    token.startsWith('"') || !INTEGER.test(token) || Number.isSafeInteger(Number(token)) ? token : `"${marker}${token}"`,
  );
}

function unmark(value: unknown, marker: string): unknown {
  if (typeof value === 'string') return value.startsWith(marker) ? BigInt(value.slice(marker.length)) : value;
  if (Array.isArray(value)) return value.map((element) => unmark(element, marker));
  if (typeof value !== 'object' || value === null) return value;
  for (const key of Object.keys(value)) {
    const fields = value as Record<string, unknown>;
    const inner = unmark(fields[key], marker);
    if (inner !== fields[key]) fields[key] = inner;
  }
  return value;
}

/** As JSON.stringify, with bigints as numbers. */
export function stringifyExact(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  // A bigint is somewhere in it: it is written behind a marker that stands in no other text, which then goes again.
  const write = (marker: string): string => JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'bigint' ? `${marker}${inner}` : inner), indent);
  const marker = markerFor(write(''));
  return write(marker).replaceAll(new RegExp(`"${marker}(-?\\d+)"`, 'g'), '$1');
}

/** The integer as a number where that is exact, as a bigint where it is not. */
export function exactInteger(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
