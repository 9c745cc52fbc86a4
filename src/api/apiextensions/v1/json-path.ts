/**
 * The JSONPath of columns and selectable fields: names, `['names']`, `[0]`, `[*]`, and filters such as
 * `[?(@.type=="Ready")]` (upstream: client-go/util/jsonpath).
 */
export type JsonPath = (value: unknown) => unknown[];

const STEP =
  /\.([A-Za-z_$][\w$-]*)|\.?\['((?:[^'\\]|\\.)*)'\]|\.?\["((?:[^"\\]|\\.)*)"\]|\[(-?\d+)\]|\[\*\]|\.\*|\[\?\(\s*@((?:\.[\w$-]+|\[[^\]]*\])+)\s*(==|!=|>=|<=|>|<)\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|-?[\d.]+|true|false)\s*\)\]/gy;

/** @returns undefined for a path that is none. */
export function parseJsonPath(text: string): JsonPath | undefined {
  const steps: ((value: unknown) => unknown[])[] = [];
  let end = 0;
  for (const match of text.matchAll(STEP)) {
    const step = stepOf(match);
    if (!step) return undefined;
    steps.push(step);
    end = match.index + match[0].length;
  }
  if (end < text.length) return undefined;
  return (value) => steps.reduce<unknown[]>((values, step) => values.flatMap(step), [value]);
}

function stepOf([whole, name, single, double, index, left, operator, right]: RegExpMatchArray): ((value: unknown) => unknown[]) | undefined {
  const key = name ?? unescaped(single) ?? unescaped(double);
  if (key !== undefined) return (value) => (isRecord(value) && Object.hasOwn(value, key) ? [value[key]] : []);
  if (index !== undefined) {
    const at = Number(index);
    return (value) => (Array.isArray(value) && value.at(at) !== undefined ? [value.at(at)] : []);
  }
  if (left !== undefined) {
    const path = parseJsonPath(left);
    if (!path) return undefined;
    const wanted = literal(right ?? '');
    return (value) => (Array.isArray(value) ? value.filter((one) => path(one).some((found) => compare(found, operator ?? '==', wanted))) : []);
  }
  return whole ? (value) => (Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : []) : undefined;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const unescaped = (text: string | undefined): string | undefined => text?.replaceAll(/\\(.)/g, '$1');

function literal(text: string): string | number | boolean {
  if (/^["']/.test(text)) return unescaped(text.slice(1, -1)) ?? '';
  return text === 'true' ? true : text === 'false' ? false : Number(text);
}

function compare(found: unknown, operator: string, wanted: string | number | boolean): boolean {
  if (operator === '==') return found === wanted;
  if (operator === '!=') return found !== wanted;
  if (typeof found !== typeof wanted) return false;
  const [left, right] = [found as string | number, wanted as string | number];
  return { '>': left > right, '<': left < right, '>=': left >= right, '<=': left <= right }[operator] ?? false;
}

/** A value as a column of texts prints it (jsonpath PrintResults): objects as JSON. */
export function printed(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
}
