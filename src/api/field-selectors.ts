/** One term of a field selector. */
export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** Cuts at every comma that is not escaped with a backslash. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === ',') {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

/** The first operator in the term, read from the left; the longest wins. */
function splitTerm(term: string): { field: string; operator: '=' | '!='; value: string } | undefined {
  for (let i = 0; i < term.length; i++) {
    for (const operator of ['!=', '==', '='] as const) {
      if (term.startsWith(operator, i)) return { field: term.slice(0, i), operator: operator === '!=' ? '!=' : '=', value: term.slice(i + operator.length) };
    }
  }
  return undefined;
}

function unescaped(value: string): string {
  let out = '';
  for (let i = 0; i < value.length; i++) {
    const char = value[i]!;
    if (char === '\\') {
      const next = value[++i];
      if (next !== '\\' && next !== ',' && next !== '=') throw new RangeError(`invalid field selector: invalid escape sequence: \\${next ?? ''}`);
      out += next;
    } else if (char === ',' || char === '=') throw new RangeError(`invalid field selector: unescaped character in value: ${char.charCodeAt(0)}`);
    else out += char;
  }
  return out;
}

/**
 * Reads a field selector: `a=b`, `a==b`, `a!=b`, joined by commas; `\\`, `\,` and `\=` escape
 * (upstream: apimachinery/pkg/fields.ParseSelector). Which fields exist is for the kind to say.
 * @throws RangeError with upstream's words.
 */
export function parseFieldSelector(text: string): FieldRequirement[] {
  const requirements: FieldRequirement[] = [];
  for (const term of splitTerms(text)) {
    if (term === '') continue;
    const parts = splitTerm(term);
    if (!parts) throw new RangeError(`invalid selector: '${text}'; can't understand '${term}'`);
    requirements.push({ ...parts, value: unescaped(parts.value) });
  }
  return requirements;
}

/** Whether an object whose fields `read` tells meets every requirement. */
export function meetsFieldSelector(requirements: readonly FieldRequirement[], read: (field: string) => string): boolean {
  return requirements.every(({ field, operator, value }) => (read(field) === value) === (operator === '='));
}

/** Text that `parseFieldSelector` reads back. */
export function formatFieldSelector(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([field, value]) => `${field}=${value.replace(/[\\,=]/g, '\\$&')}`)
    .join(',');
}
