/** Bytes of an IP address: 4 or 16. */
export type IpBytes = readonly number[];

/** The bytes of an IPv4 address in its usual form, or of an IPv6 address without brackets; undefined for other text. */
export function ipBytes(text: string): IpBytes | undefined {
  return text.includes(':') ? ipv6Bytes(text) : ipv4Bytes(text);
}

/** The IPv4 address that an IPv6 address stands for: mapped, compatible, of NAT64 or of 6to4; else undefined. */
export function embeddedIpv4(bytes: IpBytes): IpBytes | undefined {
  if (bytes.length !== 16) return undefined;
  const starts = (...prefix: readonly number[]): boolean =>
    prefix.every((byte, index) => bytes[index] === byte);
  const zeros = (count: number): number[] => new Array<number>(count).fill(0);
  if (starts(...zeros(10), 0xff, 0xff)) return bytes.slice(12);
  if (starts(0x00, 0x64, 0xff, 0x9b, ...zeros(8))) return bytes.slice(12);
  if (starts(0x20, 0x02)) return bytes.slice(2, 6);
  const isCompatible = starts(...zeros(12)) && bytes.slice(12).some((byte, index) => index < 3 && byte !== 0);
  return isCompatible ? bytes.slice(12) : undefined;
}

/** Whether the address lies in the network, both of one family. */
export function isInNetwork(bytes: IpBytes, network: IpBytes, prefixBits: number): boolean {
  if (bytes.length !== network.length) return false;
  return network.every((byte, index) => {
    const bits = Math.min(8, Math.max(0, prefixBits - index * 8));
    const mask = (0xff << (8 - bits)) & 0xff;
    return ((bytes[index] ?? 0) & mask) === (byte & mask);
  });
}

function ipv4Bytes(text: string): IpBytes | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part))) return undefined;
  const bytes = parts.map(Number);
  return bytes.every((byte) => byte <= 255) ? bytes : undefined;
}

function ipv6Bytes(text: string): IpBytes | undefined {
  const [address = ''] = text.split('%');
  const halves = address.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map(groupBytes);
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined;
  if (halves.length === 1) return head.length === 16 ? head : undefined;
  const missing = 16 - head.length - (tail?.length ?? 0);
  return missing < 2 ? undefined : [...head, ...new Array<number>(missing).fill(0), ...(tail ?? [])];
}

/** The bytes of the groups between colons; the last group may be an IPv4 address. */
function groupBytes(text: string): IpBytes | undefined {
  if (text === '') return [];
  const bytes: number[] = [];
  const groups = text.split(':');
  for (const [index, group] of groups.entries()) {
    const ipv4 = index === groups.length - 1 && group.includes('.') ? ipv4Bytes(group) : undefined;
    if (ipv4) bytes.push(...ipv4);
    else if (/^[0-9a-f]{1,4}$/i.test(group)) {
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 0xff);
    } else return undefined;
  }
  return bytes;
}
