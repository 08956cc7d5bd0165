import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { withoutTrailingSlash } from '../routing/path.ts';

/**
 * Returns a function that reads the address of a client. This is the peer address or, if trusted proxies forwarded the
 * request, the last untrusted address in `X-Forwarded-For`.
 */
export function clientAddresses(proxies: readonly string[]): (request: IncomingMessage) => string | null {
  const isTrusted = trustOf(proxies);
  return (request) => {
    const { remoteAddress } = request.socket;
    if (remoteAddress === undefined) return null;
    const header = request.headers['x-forwarded-for'];
    const hops = (Array.isArray(header) ? header.join() : (header ?? '')).split(',').map((hop) => hop.trim());
    let address = plainAddress(remoteAddress);
    for (const hop of hops.toReversed()) {
      if (!isTrusted(address) || isIP(hop) === 0) break;
      address = plainAddress(hop);
    }
    return address;
  };
}

export interface BaseUrlOptions {
  /** Path prefix of all routes (`server.basePath`). Empty by default. */
  readonly basePath?: string;
  /** Replaces the host and port in `Location` (`org.service.jaxrs.location.host`). */
  readonly locationHost?: string | undefined;
  /** If false, `Location` contains only the path (`org.service.jaxrs.location.full.url`). Defaults to true. */
  readonly locationFullUrl?: boolean;
  /**
   * Addresses and networks (such as `10.0.0.0/8`) whose forwarding headers are trusted. Defaults to none.
   */
  readonly trustedProxies?: readonly string[];
}

export interface BaseUrl {
  /** Scheme, host and port. Empty if `Location` contains only a path. */
  readonly origin: string;
  /** Path prefix without a trailing slash. */
  readonly path: string;
}

type Forwarded = Readonly<Partial<Record<'proto' | 'host' | 'port' | 'prefix', string | undefined>>>;

const hostForm = /^(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;
const prefixForm = /^(?:\/[A-Za-z0-9._~-]+)*\/?$/;

/** Returns a function that determines the base URL of a request as the client sees it (http-api §7 rule 2). */
export function baseUrls(
  options: BaseUrlOptions,
): (received: { readonly req: IncomingMessage; readonly originalUrl?: string }) => BaseUrl {
  const basePath = withoutTrailingSlash(options.basePath ?? '');
  const isTrusted = trustOf(options.trustedProxies ?? []);
  return ({ req: request, originalUrl }) => {
    const forwarded = isTrusted(request.socket.remoteAddress) ? readForwardedHeaders(request) : {};
    const path = withoutTrailingSlash(forwarded.prefix ?? '') + mountPathOf(request, originalUrl) + basePath;
    if (options.locationFullUrl === false) return { origin: '', path };
    const isEncrypted = 'encrypted' in request.socket && request.socket.encrypted === true;
    const scheme = forwarded.proto ?? (isEncrypted ? 'https' : 'http');
    const host = options.locationHost ?? withPort(forwarded.host ?? hostOf(request), forwarded.port, scheme);
    return { origin: `${scheme}://${host}`, path };
  };
}

/** Returns the path prefix that Express or `koa-mount` has removed from the request. */
function mountPathOf(request: IncomingMessage, originalUrl: string | undefined): string {
  const { url = '' } = request;
  const original: unknown = Reflect.get(request, 'originalUrl') ?? originalUrl;
  if (typeof original !== 'string' || !original.endsWith(url)) return '';
  const taken = original.slice(0, original.length - url.length);
  return prefixForm.test(taken) ? withoutTrailingSlash(taken) : '';
}

function readForwardedHeaders(request: IncomingMessage): Forwarded {
  const standard = header(request, 'forwarded');
  const pairs = new Map<string, string>();
  for (const pair of (standard ?? '').split(';')) {
    const [name = '', value = ''] = pair.split('=', 2);
    pairs.set(name.trim().toLowerCase(), value.trim().replace(/^"|"$/g, ''));
  }
  const valid = (text: string | undefined, form: RegExp) =>
    text !== undefined && form.test(text) ? text : undefined;
  const proto = pairs.get('proto') ?? header(request, 'x-forwarded-proto');
  return {
    proto: valid(proto?.toLowerCase(), /^https?$/),
    host: valid(pairs.get('host') ?? header(request, 'x-forwarded-host'), hostForm),
    port: valid(header(request, 'x-forwarded-port'), /^\d{1,5}$/),
    prefix: valid(header(request, 'x-forwarded-prefix'), prefixForm),
  };
}

/** Returns the first value of a header. The proxy nearest to the client sets this value. */
function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  const first = (Array.isArray(value) ? value[0] : value)?.split(',', 1)[0]?.trim();
  return first === '' ? undefined : first;
}

/**
 * Returns the host of a request. If the `Host` header is invalid, returns the local address instead, because an invalid
 * value could inject text into `Location`.
 */
function hostOf(request: IncomingMessage): string {
  const host = request.headers.host;
  if (host !== undefined && hostForm.test(host)) return host;
  const { localAddress = 'localhost', localPort = 80 } = request.socket;
  return `${isIP(localAddress) === 6 ? `[${localAddress}]` : localAddress}:${localPort}`;
}

function withPort(host: string, port: string | undefined, scheme: string): string {
  const isDefault = (scheme === 'https' && port === '443') || (scheme === 'http' && port === '80');
  if (port === undefined || isDefault || /:\d+$/.test(host)) return host;
  return `${host}:${port}`;
}

/**
 * Returns a function that checks whether a proxy address is trusted. `proxies` contains addresses and networks (such as
 * `10.0.0.0/8`).
 */
function trustOf(proxies: readonly string[]): (address: string | undefined) => boolean {
  const list = new BlockList();
  for (const proxy of proxies) {
    const [network = '', bits] = proxy.split('/');
    const family = isIP(network) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(network, family);
    else list.addSubnet(network, Number(bits), family);
  }
  return (address) => {
    if (address === undefined || proxies.length === 0) return false;
    const plain = plainAddress(address);
    return isIP(plain) !== 0 && list.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
  };
}

/** Returns an address without the IPv6 prefix that dual-stack sockets add (as in ::ffff:10.0.0.1). */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}
