/** What a text says more than once. */
export type Repeats =
  /** All its keys in the order of the text, each as often as it stands there; none, where no key is repeated. */
  | { type: 'json'; keys: readonly string[] }
  /** The keys that are set again, with the lines of their values. */
  | { type: 'yaml'; lines: readonly string[] };

export const NO_REPEATS: Repeats = { type: 'json', keys: [] };

/** What only a strict reader minds, in upstream's words and order (sigs.k8s.io/json and yaml, as apimachinery's serializer joins them). */
export interface StrictFaults {
  warnings: readonly string[];
  /** All in one; '' where there are none. */
  error: string;
}

/** @param before faults found earlier, such as those of a patch's own members */
export function strictFaults(repeats: Repeats, unknownFields: readonly string[], before: readonly string[] = []): StrictFaults {
  if (repeats.type === 'json') {
    const warnings = [...before, ...inOrder(repeats.keys, unknownFields)];
    return { warnings, error: joined(warnings) };
  }
  const unknown = unknownFields.map(unknownField);
  const { lines } = repeats;
  return {
    warnings: [...lines, ...unknown],
    error: joined([...(lines.length ? [`yaml: unmarshal errors:\n${lines.map((line) => `  ${line}`).join('\n')}`] : []), ...unknown]),
  };
}

const unknownField = (path: string): string => `unknown field ${JSON.stringify(path)}`;

const joined = (faults: readonly string[]): string => (faults.length ? `strict decoding error: ${faults.join(', ')}` : '');

/** Unknown and repeated keys as a reader meets them; each is told once. */
function inOrder(keys: readonly string[], unknownFields: readonly string[]): string[] {
  const unknown = new Set(unknownFields);
  const seen = new Set<string>();
  const told = new Set<string>();
  for (const key of keys) {
    if (seen.has(key)) told.add(`duplicate field ${JSON.stringify(key)}`);
    else if (unknown.delete(key)) told.add(unknownField(key));
    seen.add(key);
  }
  for (const key of unknown) told.add(unknownField(key));
  return [...told];
}
