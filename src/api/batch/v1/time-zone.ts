/** No other name is looked for among the files of the zones. */
const isPart = (part: string): boolean => part !== '.' && part !== '..' && /^(?!-)[A-Za-z.\-_0-9+]{1,14}$/.test(part);

export const mayBeTimeZone = (name: string): boolean => name.split('/').every(isPart);

/** What is wrong with a name that no zone has, in the words of Go's time package. */
export function timeZoneFault(name: string): string | undefined {
  if (name === '' || name === 'UTC' || name === 'Local') return undefined;
  return mayBeTimeZone(name) && isKnown(name) ? undefined : `unknown time zone ${name}`;
}

function isKnown(name: string): boolean {
  // Offsets, which Node knows as well, are no names.
  if (/^[+-]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
