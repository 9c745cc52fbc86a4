import { goStructs } from './go-shapes.ts';

const BASIC: ReadonlyMap<string, string> = new Map([
  ['string', ''],
  ['bool', 'false'],
  ['int32', '0'],
  ['int64', '0'],
]);
const ZERO_TIME = '{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}';
const NIL = '<nil>';

/**
 * A value as spew prints it with `%#v`, types and all, as upstream's dump.ForHash does
 * (staging/src/k8s.io/apimachinery/pkg/util/dump, github.com/davecgh/go-spew/spew/format.go). What is empty prints as
 * nil: a list or a map without entries does not survive the encoding between API server and controller.
 */
export function goDump(type: string, value: unknown): string {
  return `(${typeName(type)})${bare(type, value)}`;
}

/** The type as Go's reflection names it. */
function typeName(type: string): string {
  if (type.startsWith('*')) return `*${typeName(type.slice(1))}`;
  if (type.startsWith('[]')) return `[]${typeName(type.slice(2))}`;
  return BASIC.has(type) || type.startsWith('map[') || type.includes('.') ? type : `v1.${type}`;
}

/** The value without the type before it. */
function bare(type: string, value: unknown): string {
  if (type.startsWith('*')) return value === undefined || value === null ? NIL : bare(type.slice(1), value);
  if (type.startsWith('[]')) return list(type.slice(2), (value ?? []) as readonly unknown[]);
  switch (type) {
    case 'map[string]string':
      return map('string', value);
    case 'ResourceList':
      return map('resource.Quantity', value);
    case 'Time':
      return ZERO_TIME;
    case 'FieldsV1':
      return `{Raw:([]uint8)${NIL}}`;
    case 'resource.Quantity':
      return quantity((value ?? '0') as string);
    case 'intstr.IntOrString':
      return typeof value === 'string'
        ? `{Type:(intstr.Type)1 IntVal:(int32)0 StrVal:(string)${value}}`
        : `{Type:(intstr.Type)0 IntVal:(int32)${String(value ?? 0)} StrVal:(string)}`;
  }
  const fields = goStructs.get(type);
  if (!fields) return value === undefined || value === null ? (BASIC.get(type) ?? '') : String(value);
  const object = (value ?? {}) as Readonly<Record<string, unknown>>;
  return `{${fields.map(({ name, json, type: of }) => `${name}:${goDump(of, json === undefined ? object : object[json])}`).join(' ')}}`;
}

function list(of: string, values: readonly unknown[]): string {
  return values.length === 0 ? NIL : `[${values.map((element) => bare(of, element)).join(' ')}]`;
}

function map(of: string, value: unknown): string {
  const entries = Object.entries(value ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.length === 0 ? NIL : `map[${entries.map(([key, part]) => `${key}:${bare(of, part)}`).join(' ')}]`;
}

const DECIMAL_EXPONENTS: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const BINARY_EXPONENTS: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };
/** How many digits Go trusts to a 64-bit number. */
const DECIMAL_DIGITS = 18;
const BINARY_DIGITS = 15;

/**
 * A quantity as reading its canonical text leaves it: a small one as a scaled integer that may remember its text, a large
 * one as a decimal of any length (staging/src/k8s.io/apimachinery/pkg/api/resource/quantity.go, ParseQuantity).
 */
function quantity(text: string): string {
  if (text === '0') return state({ value: '0', scale: 0, text, format: '' });
  const [, sign = '', digits = '', suffix = ''] = /^([+-]?)(\d+)(.*)$/.exec(text) ?? [];
  const binary = BINARY_EXPONENTS[suffix];
  if (binary !== undefined) {
    const precision = BINARY_DIGITS - digits.length - Math.trunc((binary * 3) / 10) - 1;
    const value = BigInt(digits) << BigInt(binary);
    if (precision < 0) return large(sign, value, 'BinarySI');
    const remembers = (BigInt(digits) & 7n) !== 0n;
    return state({ value: `${sign}${value}`, scale: 0, text: remembers ? text : '', format: 'BinarySI' });
  }
  const decimal = DECIMAL_EXPONENTS[suffix];
  const scale = decimal ?? Number(suffix.slice(1));
  const format = decimal === undefined ? 'DecimalExponent' : 'DecimalSI';
  if (digits.length > DECIMAL_DIGITS) return large(sign, BigInt(digits) * 10n ** BigInt(Math.max(scale, 0)), format);
  const remembers = scale % 3 === 0 && !digits.endsWith('000');
  return state({ value: `${sign}${digits}`, scale, text: remembers ? text : '', format });
}

interface SmallQuantity {
  value: string;
  scale: number;
  text: string;
  format: string;
}

function state({ value, scale, text, format }: SmallQuantity): string {
  return `{i:(resource.int64Amount){value:(int64)${value} scale:(resource.Scale)${scale}} d:(resource.infDecAmount){Dec:(*inf.Dec)${NIL}} s:(string)${text} Format:(resource.Format)${format}}`;
}

/** A decimal in billionths; Go keeps its digits in words of 64 bits, the lowest first. */
function large(sign: string, value: bigint, format: string): string {
  const words: bigint[] = [];
  for (let rest = value * 1_000_000_000n; rest > 0n; rest >>= 64n) words.push(rest & 0xffff_ffff_ffff_ffffn);
  const decimal = `{unscaled:(big.Int){neg:(bool)${sign === '-'} abs:(big.nat)[${words.join(' ')}]} scale:(inf.Scale)9}`;
  return `{i:(resource.int64Amount){value:(int64)0 scale:(resource.Scale)0} d:(resource.infDecAmount){Dec:(*inf.Dec)${decimal}} s:(string) Format:(resource.Format)${format}}`;
}
