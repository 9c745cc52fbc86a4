import type { Query } from '../../api/request.ts';
import { badRequest } from '../../api/status.ts';

/** What a query parameter holds. */
type Kind = 'text' | 'flag' | 'whole';

type ValueOf<K extends Kind> = K extends 'text' ? string : K extends 'flag' ? boolean : number;

/** The parameters of a request that are present, by the kinds that `shape` gives them. */
export type Options<Shape extends Readonly<Record<string, Kind>>> = { -readonly [Name in keyof Shape]?: ValueOf<Shape[Name]> };

/**
 * Reads query parameters as upstream does (apimachinery/pkg/runtime/conversion.go): a flag is true but for `0` and
 * `false`, a whole number has 64 bits.
 *
 * @throws StatusError BadRequest for a number that cannot be read.
 */
export function readQuery<const Shape extends Readonly<Record<string, Kind>>>(query: Query, shape: Shape): Options<Shape> {
  const options: Record<string, string | boolean | number> = {};
  for (const [name, kind] of Object.entries(shape)) {
    const text = query[name];
    if (text === undefined) continue;
    options[name] = kind === 'text' ? text : kind === 'flag' ? isFlagSet(text) : readWhole(text);
  }
  return options as Options<Shape>;
}

/** Whether a flag of the query is set, e.g. `?watch=True`. */
export function isFlagSet(text: string | undefined): boolean {
  return text !== undefined && text !== '0' && text.toLowerCase() !== 'false';
}

const MAX_INT64 = 2n ** 63n - 1n;

function readWhole(text: string): number {
  const parsing = `strconv.ParseInt: parsing ${JSON.stringify(text)}`;
  if (!/^[-+]?\d+$/.test(text)) throw badRequest(`${parsing}: invalid syntax`);
  const value = BigInt(text.replace('+', ''));
  if (value > MAX_INT64 || value < -MAX_INT64 - 1n) throw badRequest(`${parsing}: value out of range`);
  return Number(value);
}
