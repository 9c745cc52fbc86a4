import { stringifyExact } from '../lib/exact-json.ts';

/** A JSON value as Go's `%v` prints it: `map[image:x name:c]`, keys sorted. */
export function goText(value: unknown, numberText: (value: number) => string = String): string {
  if (value === null || value === undefined) return '<nil>';
  if (typeof value === 'number') return numberText(value);
  if (Array.isArray(value)) return `[${value.map((item) => goText(item, numberText)).join(' ')}]`;
  if (typeof value !== 'object') return String(value);
  return `map[${sorted(value)
    .map(([key, inner]) => `${key}:${goText(inner, numberText)}`)
    .join(' ')}]`;
}

/** The wrapper of a JSON value as Go's `%#v` prints it: `&value.valueUnstructured{Value:[]interface {}{"a"}}`. */
export function goSyntax(value: unknown): string {
  return `&value.valueUnstructured{Value:${literal(value)}}`;
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'interface {}(nil)';
  if (typeof value === 'number') return goNumber(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(literal).join(', ')}}`;
  if (typeof value !== 'object') return stringifyExact(value);
  return `map[string]interface {}{${sorted(value)
    .map(([key, inner]) => `${JSON.stringify(key)}:${literal(inner)}`)
    .join(', ')}}`;
}

/** From a million up, and below a ten-thousandth, Go prints a floating-point number with an exponent. */
export function goNumber(value: number): string {
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (value === 0 || (power >= -4 && power < 6)) return String(value);
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

const sorted = (value: object): [string, unknown][] => Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
