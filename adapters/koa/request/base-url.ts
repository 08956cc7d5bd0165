import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { trustOf } from './trusted-proxies.ts';

export interface BaseUrlOptions {
  /** Path prefix of every route; default empty (`server.basePath`). */
  readonly basePath?: string;
  /** Replaces the host, and port, of `Location` (`org.service.jaxrs.location.host`). */
  readonly locationHost?: string | undefined;
  /** False: `Location` is the path only (`org.service.jaxrs.location.full.url`). Default true. */
  readonly locationFullUrl?: boolean;
  /** Addresses and networks (`10.0.0.0/8`) whose forwarding headers are believed; default none. */
  readonly trustedProxies?: readonly string[];
}

/** What precedes a route's path as the client sees it. */
export interface BaseUrl {
  /** Scheme, host and port; empty where `Location` is to be the path only. */
  readonly origin: string;
  /** Path prefix, without a slash at its end. */
  readonly path: string;
}

interface Forwarded {
  readonly proto?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: string | undefined;
  readonly prefix?: string | undefined;
}

const hostForm = /^(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;
const prefixForm = /^(?:\/[A-Za-z0-9._~-]+)*\/?$/;

/** A request, and what its URL was before middleware of the host changed it, where Koa knows it. */
interface Received {
  readonly req: IncomingMessage;
  readonly originalUrl?: string;
}

/** Builds the reader of a request's base URL (http-api §7 rule 2). */
export function baseUrls(options: BaseUrlOptions): (received: Received) => BaseUrl {
  const basePath = withoutTrailingSlash(options.basePath ?? '');
  const isTrusted = trustOf(options.trustedProxies ?? []);
  return ({ req: request, originalUrl }) => {
    const forwarded = isTrusted(request.socket.remoteAddress) ? forwardedBy(request) : {};
    const path = withoutTrailingSlash(forwarded.prefix ?? '') + mountPathOf(request, originalUrl) + basePath;
    if (options.locationFullUrl === false) return { origin: '', path };
    const isEncrypted = 'encrypted' in request.socket && request.socket.encrypted === true;
    const scheme = forwarded.proto ?? (isEncrypted ? 'https' : 'http');
    const host = options.locationHost ?? withPort(forwarded.host ?? hostOf(request), forwarded.port, scheme);
    return { origin: `${scheme}://${host}`, path };
  };
}

/** What the application of a host, of Express or by `koa-mount`, has taken off the path before it handed the request on. */
function mountPathOf(request: IncomingMessage, originalUrl: string | undefined): string {
  const { url = '' } = request;
  const original: unknown = Reflect.get(request, 'originalUrl') ?? originalUrl;
  if (typeof original !== 'string' || !original.endsWith(url)) return '';
  const taken = original.slice(0, original.length - url.length);
  return prefixForm.test(taken) ? withoutTrailingSlash(taken) : '';
}

function forwardedBy(request: IncomingMessage): Forwarded {
  const standard = header(request, 'forwarded');
  const pairs = new Map<string, string>();
  for (const pair of (standard ?? '').split(';')) {
    const [name = '', value = ''] = pair.split('=', 2);
    pairs.set(name.trim().toLowerCase(), value.trim().replace(/^"|"$/g, ''));
  }
  const proto = (pairs.get('proto') ?? header(request, 'x-forwarded-proto'))?.toLowerCase();
  const host = pairs.get('host') ?? header(request, 'x-forwarded-host');
  const port = header(request, 'x-forwarded-port');
  const prefix = header(request, 'x-forwarded-prefix');
  return {
    proto: proto === 'http' || proto === 'https' ? proto : undefined,
    host: host !== undefined && hostForm.test(host) ? host : undefined,
    port: port !== undefined && /^\d{1,5}$/.test(port) ? port : undefined,
    prefix: prefix !== undefined && prefixForm.test(prefix) ? prefix : undefined,
  };
}

/** The first value: the proxy nearest to the client. */
function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  const first = (Array.isArray(value) ? value[0] : value)?.split(',', 1)[0]?.trim();
  return first === '' ? undefined : first;
}

/**
 * A `Host` that is not a valid one would let a caller write anything into `Location`; in its place comes the address at
 * which the caller reached us.
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

export function withoutTrailingSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path;
}
