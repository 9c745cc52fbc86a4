/** The forms of IP addresses and ranges. */

const IPV4_PART = '(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])';
const ipv4 = new RegExp(`^${IPV4_PART}(\\.${IPV4_PART}){3}$`);

/** 4 or 6 for an address in text, undefined for anything else. */
export function ipFamily(value: string): 4 | 6 | undefined {
  if (ipv4.test(value)) return 4;
  return isIPv6(value) ? 6 : undefined;
}

function isIPv6(value: string): boolean {
  if (!value.includes(':')) return false;
  let text = value;
  const lastColon = text.lastIndexOf(':');
  if (text.includes('.')) {
    if (!ipv4.test(text.slice(lastColon + 1))) return false;
    text = `${text.slice(0, lastColon + 1)}0:0`;
  }
  const halves = text.split('::');
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  return groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group)) && (halves.length === 2 ? groups.length < 8 : groups.length === 8);
}

export const IP_FAULT = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

/** Whether the text is an address and a prefix length, e.g. `10.0.0.0/8`. */
export function isCIDR(value: string): boolean {
  const [address = '', bits = '', ...rest] = value.split('/');
  const family = ipFamily(address);
  return rest.length === 0 && family !== undefined && /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
}

/** The bits of an address, the first first. */
function addressBits(address: string): string {
  if (ipFamily(address) === 4)
    return address
      .split('.')
      .map((part) => Number(part).toString(2).padStart(8, '0'))
      .join('');
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  const hex = (high?: string, low?: string): string => ((Number(high) << 8) | Number(low)).toString(16);
  const text = dotted ? `${dotted[1]}${hex(dotted[2], dotted[3])}:${hex(dotted[4], dotted[5])}` : address;
  const [head = '', tail] = text.split('::');
  const groups = (half: string): string[] => (half === '' ? [] : half.split(':'));
  const before = groups(head);
  const after = groups(tail ?? '');
  const zeros = tail === undefined ? [] : new Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16).toString(2).padStart(16, '0')).join('');
}

/** Whether one range lies within the other and is smaller. Both must be well formed. */
export function cidrContains(outer: string, inner: string): boolean {
  const parts = (range: string): [string, number] => {
    const [address = '', bits = ''] = range.split('/');
    return [addressBits(address), Number(bits)];
  };
  const [outerBits, outerLength] = parts(outer);
  const [innerBits, innerLength] = parts(inner);
  const sameFamily = outerBits.length === innerBits.length;
  return sameFamily && innerLength > outerLength && outerBits.slice(0, outerLength) === innerBits.slice(0, outerLength);
}
