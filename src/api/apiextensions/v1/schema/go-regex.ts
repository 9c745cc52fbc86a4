const REPEATED_NOTHING = 'missing argument to repetition operator';

/**
 * What is wrong with a regular expression in the words of Go (regexp/syntax), as far as brackets, parentheses, repetitions
 * and a last backslash go; forms that only one of the two languages has are let through.
 */
export function goRegexFault(pattern: string): string | undefined {
  const words = fault(pattern);
  return words && `error parsing regexp: ${words}`;
}

function fault(pattern: string): string | undefined {
  let depth = 0;
  let isRepeatable = false;
  for (let index = 0; index < pattern.length; index++) {
    const char = pattern[index]!;
    switch (char) {
      case '\\':
        if (index === pattern.length - 1) return 'trailing backslash at end of expression: ``';
        index++;
        isRepeatable = true;
        break;
      case '[': {
        const end = classEnd(pattern, index);
        if (end < 0) return `missing closing ]: \`${pattern.slice(index)}\``;
        index = end;
        isRepeatable = true;
        break;
      }
      case '(':
        depth++;
        isRepeatable = false;
        if (pattern[index + 1] === '?') index++;
        break;
      case ')':
        if (depth === 0) return `unexpected ): \`${pattern}\``;
        depth--;
        isRepeatable = true;
        break;
      case '*':
      case '+':
      case '?':
        if (!isRepeatable) return `${REPEATED_NOTHING}: \`${char}\``;
        if (pattern[index + 1] === '?') index++;
        if (/[*+?]/.test(pattern[index + 1] ?? '')) return `invalid nested repetition operator: \`${pattern.slice(index, index + 2)}\``;
        break;
      case '|':
        isRepeatable = false;
        break;
      default:
        isRepeatable = true;
    }
  }
  return depth > 0 ? `missing closing ): \`${pattern}\`` : undefined;
}

/** Where a class of characters ends; a bracket that comes first belongs to it. */
function classEnd(pattern: string, start: number): number {
  let index = start + 1;
  if (pattern[index] === '^') index++;
  for (let isFirst = true; index < pattern.length; index++, isFirst = false) {
    if (pattern[index] === '\\') index++;
    else if (pattern[index] === '[' && pattern[index + 1] === ':') index = Math.max(index, pattern.indexOf(':]', index));
    else if (pattern[index] === ']' && !isFirst) return index;
  }
  return -1;
}
