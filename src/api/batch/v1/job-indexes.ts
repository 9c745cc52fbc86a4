interface Fault {
  fault: string;
}

function parseIndex(text: string, completions: number): number | Fault {
  if (!/^[+-]?\d+$/.test(text)) return { fault: `cannot convert string to integer for index: ${JSON.stringify(text)}` };
  const index = Number(text);
  return index >= completions ? { fault: `too large index: ${JSON.stringify(text)}` } : index;
}

const notIncreasing = (previous: number, current: number): Fault => ({ fault: `non-increasing order, previous: ${previous}, current: ${current}` });

function parseInterval(text: string, completions: number): [first: number, last: number] | Fault {
  const [start = '', end, more] = text.split('-');
  if (more !== undefined) {
    return { fault: `the fragment ${JSON.stringify(text)} violates the requirement that an index interval can have at most two parts separated by '-'` };
  }
  const first = parseIndex(start, completions);
  if (typeof first !== 'number') return first;
  if (end === undefined) return [first, first];
  const last = parseIndex(end, completions);
  if (typeof last !== 'number') return last;
  return first >= last ? notIncreasing(first, last) : [first, last];
}

/** How many indexes a text such as `1,3-5` names, all of them below `completions` (upstream: validateIndexesFormat). */
export function countIndexes(text: string, completions: number): number | Fault {
  if (text === '') return 0;
  let total = 0;
  let previous: number | undefined;
  for (const part of text.split(',')) {
    const interval = parseInterval(part, completions);
    if ('fault' in interval) return interval;
    const [first, last] = interval;
    if (previous !== undefined && previous >= first) return notIncreasing(previous, first);
    total += last - first + 1;
    previous = last;
  }
  return total;
}
