import { type BillingError, invalidParameter } from '../../values/errors/index.ts';
import { maskUrl, shortened } from '../../values/text/index.ts';
import { AddressScope, addressScope } from './address-scope.ts';
import { embeddedIpv4, ipBytes } from './ip-address.ts';

/** Characters of a callback URL. */
const MAX_CALLBACK_URL_CHARACTERS = 2_000;

/** Where pushes of a tenant may go (platform §10.1). */
export interface CallbackPolicy {
  /** `notifications.allowPrivateNetworks`; false: targets in private and loopback ranges are refused. */
  readonly allowPrivateNetworks: boolean;
  /** Whether targets in loopback ranges are accepted nevertheless, as in test mode. */
  readonly allowLoopback: boolean;
}

const metadataHosts: ReadonlySet<string> = new Set(['metadata', 'metadata.google.internal', 'metadata.goog']);

/**
 * Reads a callback URL (platform §10.1): absolute, http or https, without user info, and not aimed at an address that
 * must not be called. A host name is checked at each delivery, by what it resolves to then (`resolveCallback`).
 * @throws BillingError INVALID_PARAMETER.
 */
export function readCallbackUrl(text: string, policy: CallbackPolicy): URL {
  if (text.length > MAX_CALLBACK_URL_CHARACTERS) {
    throw refused(text, `is longer than ${MAX_CALLBACK_URL_CHARACTERS} characters`);
  }
  const url = parsedUrl(text);
  if (url.username !== '' || url.password !== '' || /^[^/]*\/\/[^/?#]*@/.test(text)) {
    throw refused(text.replace(/\/\/[^/?#]*@/, '//'), 'must not hold user info');
  }
  checkSpelling(url, text);
  const scope = hostScope(url.hostname);
  const reason = refusal(scope, policy);
  if (reason !== null) throw refused(text, reason);
  return url;
}

const notAllowed =
  'is aimed at a loopback or private network, which this server does not allow (notifications.allowPrivateNetworks)';

/** Why an address of that scope is not called; null if it may be. */
export function refusal(scope: AddressScope, policy: CallbackPolicy): string | null {
  switch (scope) {
    case AddressScope.PUBLIC:
      return null;
    case AddressScope.LOOPBACK:
      return policy.allowPrivateNetworks || policy.allowLoopback ? null : notAllowed;
    case AddressScope.PRIVATE:
      return policy.allowPrivateNetworks ? null : notAllowed;
    case AddressScope.FORBIDDEN:
      return 'is aimed at a link-local, metadata, multicast or reserved address, which is never called';
  }
}

function parsedUrl(text: string): URL {
  // The URL parser would drop blanks and control characters silently.
  const url = /^https?:\/\/[^\s\p{Cc}\\]+$/iu.test(text) ? URL.parse(text) : null;
  if (url !== null && url.hostname !== '') return url;
  throw refused(text, 'is not an absolute http or https URL');
}

/** An address in disguise (octal, decimal, shortened, IPv6-mapped) belongs to no honest receiver. */
function checkSpelling(url: URL, text: string): void {
  const authority = /^[^/]*\/\/([^/?#]*)/.exec(text)?.[1] ?? '';
  const host = unbracketed(url.hostname);
  const bytes = ipBytes(host);
  if (bytes === undefined) return;
  const isPlain =
    bytes.length === 4 ? authority.replace(/:\d*$/, '') === host : embeddedIpv4(bytes) === undefined;
  if (!isPlain) throw refused(text, 'names an IP address in an unusual form; write it as a.b.c.d or as IPv6');
}

function hostScope(hostname: string): AddressScope {
  const host = unbracketed(hostname).toLowerCase().replace(/\.$/, '');
  if (ipBytes(host) !== undefined) return addressScope(host);
  if (metadataHosts.has(host)) return AddressScope.FORBIDDEN;
  return host === 'localhost' || host.endsWith('.localhost') ? AddressScope.LOOPBACK : AddressScope.PUBLIC;
}

function unbracketed(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function refused(text: string, reason: string): BillingError {
  return invalidParameter(`The callback URL "${shortened(maskUrl(text))}" ${reason}`, { parameter: 'cb' });
}
