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

/** What an address of an endpoint may not be (upstream: ValidateEndpointIP). */
export function endpointAddressFaults(address: string): string[] {
  if (ipFamily(address) === undefined) return ['must be a valid IP address'];
  const bits = addressBits(address);
  const v4 = bits.length === 32 ? bits : /^0{80}1{16}/.test(bits) ? bits.slice(96) : undefined;
  const isIn = (v4Prefix: string, v6: RegExp): boolean => (v4 === undefined ? v6.test(bits) : v4.startsWith(v4Prefix));
  return [
    ...(isIn('0'.repeat(32), /^0{128}$/) ? [`may not be unspecified (${address})`] : []),
    ...(isIn('01111111', /^0{127}1$/) ? ['may not be in the loopback range (127.0.0.0/8, ::1/128)'] : []),
    ...(isIn('1010100111111110', /^1111111010/) ? ['may not be in the link-local range (169.254.0.0/16, fe80::/10)'] : []),
    ...(isIn('111000000000000000000000', /^1{8}....0010/) ? ['may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'] : []),
  ];
}

/** The canonical text of an address (RFC 5952): no leading zeros, the longest run of zero groups as `::`. */
export function canonicalAddress(address: string): string {
  const bits = addressBits(address);
  if (bits.length === 32) return address;
  const groups = bits.match(/.{16}/g)!.map((group) => Number.parseInt(group, 2));
  if (/^0{80}1{16}/.test(bits))
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 255])
      .join('.');
  const text = groups.map((group) => group.toString(16)).join(':');
  const runs = [...text.matchAll(/(?<![^:])0(?::0)+(?![^:])/g)].map(([run]) => run).sort((a, b) => b.length - a.length);
  return runs[0] ? text.replace(new RegExp(`(^|:)${runs[0]}(:|$)`), '::') : text;
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
