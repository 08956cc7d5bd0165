import type { NameResolver } from '../ports/index.ts';
import { type BillingError, invalidParameter } from '../values/errors/index.ts';
import { maskUrl, shortenText } from '../values/text/index.ts';

const MAX_CALLBACK_URL_CHARACTERS = 2_000;

/** Specifies which targets pushes may have (platform §10.1). */
export interface CallbackPolicy {
  /** Value of `notifications.allowPrivateNetworks`. If false, URLs with private or loopback addresses are rejected. */
  readonly allowPrivateNetworks: boolean;
  /** If true, loopback addresses are always accepted. This is the default in test mode. */
  readonly allowLoopback: boolean;
}

const metadataHosts: ReadonlySet<string> = new Set(['metadata', 'metadata.google.internal', 'metadata.goog']);

/**
 * Parses a callback URL (platform §10.1). The URL must be absolute, with http or https, and must not contain user info
 * or a forbidden address. `resolveCallback` checks the addresses of host names at each delivery.
 * @throws BillingError INVALID_PARAMETER.
 */
export function readCallbackUrl(text: string, policy: CallbackPolicy): URL {
  if (text.length > MAX_CALLBACK_URL_CHARACTERS) {
    throw invalidCallbackUrlError(text, `is longer than ${MAX_CALLBACK_URL_CHARACTERS} characters`);
  }
  const url = parsedUrl(text);
  if (url.username !== '' || url.password !== '' || /^[^/]*\/\/[^/?#]*@/.test(text)) {
    throw invalidCallbackUrlError(text.replace(/\/\/[^/?#]*@/, '//'), 'must not contain user info');
  }
  checkSpelling(url, text);
  const reason = refusal(hostScope(url.hostname), policy);
  if (reason !== null) throw invalidCallbackUrlError(text, reason);
  return url;
}

const notAllowed =
  'points to a loopback or private network, which this server does not allow (notifications.allowPrivateNetworks)';

/** Returns the reason why addresses with this scope are rejected, or null if they are allowed. */
function refusal(
  scope: AddressScope,
  { allowPrivateNetworks, allowLoopback }: CallbackPolicy,
): string | null {
  if (scope === AddressScope.FORBIDDEN)
    return 'points to a link-local, metadata, multicast or reserved address, which is never called';
  const isAllowed =
    scope === AddressScope.PUBLIC ||
    allowPrivateNetworks ||
    (scope === AddressScope.LOOPBACK && allowLoopback);
  return isAllowed ? null : notAllowed;
}

function parsedUrl(text: string): URL {
  // The URL parser would silently drop spaces and control characters.
  const url = /^https?:\/\/[^\s\p{Cc}\\]+$/iu.test(text) ? URL.parse(text) : null;
  if (url !== null && url.hostname !== '') return url;
  throw invalidCallbackUrlError(text, 'is not an absolute http or https URL');
}

/** Rejects IP addresses in a misleading form: octal, decimal, shortened or IPv6-mapped. */
function checkSpelling(url: URL, text: string): void {
  const authority = /^[^/]*\/\/([^/?#]*)/.exec(text)?.[1] ?? '';
  const host = removeBrackets(url.hostname);
  const bytes = ipBytes(host);
  if (bytes === undefined) return;
  const isPlain =
    bytes.length === 4 ? authority.replace(/:\d*$/, '') === host : embeddedIpv4(bytes) === undefined;
  if (!isPlain)
    throw invalidCallbackUrlError(
      text,
      'names an IP address in an unusual form; write it as a.b.c.d or as IPv6',
    );
}

function hostScope(hostname: string): AddressScope {
  const host = removeBrackets(hostname).toLowerCase().replace(/\.$/, '');
  if (ipBytes(host) !== undefined) return addressScope(host);
  if (metadataHosts.has(host)) return AddressScope.FORBIDDEN;
  return host === 'localhost' || host.endsWith('.localhost') ? AddressScope.LOOPBACK : AddressScope.PUBLIC;
}

function removeBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function invalidCallbackUrlError(text: string, reason: string): BillingError {
  return invalidParameter(`The callback URL "${shortenText(maskUrl(text))}" ${reason}`, { parameter: 'cb' });
}

/** The target of a push. */
export interface CallbackTarget {
  readonly url: URL;
  /** The checked addresses. Callers must not resolve the host name again, because the result could differ. */
  readonly addresses: readonly string[];
}

/**
 * Resolves the host name of a callback before a delivery. If any of its addresses is forbidden, the delivery is
 * rejected, so that the name cannot be redirected later.
 * @throws BillingError INVALID_PARAMETER for a forbidden target, or the error of the resolver.
 */
export async function resolveCallback(
  text: string,
  policy: CallbackPolicy,
  resolver: NameResolver,
): Promise<CallbackTarget> {
  const url = readCallbackUrl(text, policy);
  const host = removeBrackets(url.hostname);
  const addresses = ipBytes(host) === undefined ? await resolver.resolve(host) : [host];
  const reasons = addresses.map((address) => refusal(addressScope(address), policy));
  const reason = addresses.length === 0 ? 'resolves to no address' : reasons.find(Boolean);
  if (!reason) return { url, addresses };
  throw invalidParameter(`The host "${shortenText(host)}" of the callback ${reason}`, { host, addresses });
}

/**
 * Scopes of IP addresses. FORBIDDEN addresses (link-local, metadata services, multicast, reserved) are never called.
 * PRIVATE addresses are called only if the operator allows them. LOOPBACK addresses are also called in test mode.
 */
export const AddressScope = {
  PUBLIC: 'PUBLIC',
  PRIVATE: 'PRIVATE',
  LOOPBACK: 'LOOPBACK',
  FORBIDDEN: 'FORBIDDEN',
} as const;
export type AddressScope = (typeof AddressScope)[keyof typeof AddressScope];

const forbidden = [
  '0.0.0.0/8', // "this host"
  '169.254.0.0/16', // link-local, most clouds' metadata services
  '100.100.100.200/32', // metadata service of Alibaba Cloud
  '168.63.129.16/32', // platform address of Azure
  '192.0.0.192/32', // metadata service of Oracle Cloud
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
  '::/128',
  'fe80::/10', // link-local
  'fd00:ec2::254/128', // metadata service of AWS
  'fd20:ce::254/128', // metadata service of Google Cloud
  'ff00::/8', // multicast
].map(networkOf);

const loopback = ['127.0.0.0/8', '::1/128'].map(networkOf);

const privateNetworks = [
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10', // shared address space of carriers and clusters
  '192.0.0.0/24',
  '198.18.0.0/15', // benchmarks
  'fc00::/7', // unique local
  'fec0::/10', // site-local, deprecated
].map(networkOf);

/** Returns the scope of an IP address that a resolver returned. Returns FORBIDDEN for any other text. */
export function addressScope(text: string): AddressScope {
  const given = ipBytes(text);
  if (given === undefined) return AddressScope.FORBIDDEN;
  const bytes = embeddedIpv4(given) ?? given;
  const isIn = (networks: readonly Network[]): boolean =>
    networks.some(({ address, prefixBits }) => isInNetwork(bytes, address, prefixBits));
  if (isIn(forbidden)) return AddressScope.FORBIDDEN;
  if (isIn(loopback)) return AddressScope.LOOPBACK;
  return isIn(privateNetworks) ? AddressScope.PRIVATE : AddressScope.PUBLIC;
}

interface Network {
  readonly address: IpBytes;
  readonly prefixBits: number;
}

function networkOf(text: string): Network {
  const [address = '', bits = ''] = text.split('/');
  return { address: ipBytes(address) ?? [], prefixBits: Number(bits) };
}

/** The 4 or 16 bytes of an IP address. */
type IpBytes = readonly number[];

/** Parses an IPv4 address in its usual form, or an IPv6 address without brackets. Returns undefined for other text. */
function ipBytes(text: string): IpBytes | undefined {
  return text.includes(':') ? ipv6Bytes(text) : ipv4Bytes(text);
}

/**
 * Returns the IPv4 address inside a mapped, compatible, NAT64 or 6to4 IPv6 address. Returns undefined for other
 * addresses.
 */
function embeddedIpv4(bytes: IpBytes): IpBytes | undefined {
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

function isInNetwork(bytes: IpBytes, network: IpBytes, prefixBits: number): boolean {
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

/** Parses the groups of an IPv6 address, which are separated by colons. The last group may be an IPv4 address. */
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
