import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { plainAddress, trustOf } from './trusted-proxies.ts';

/**
 * Builds the reader of the address that a request comes from: the peer's or, behind trusted proxies, the last address in
 * `X-Forwarded-For` that is not a trusted proxy's. The caller may have made up whatever stands before it.
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
