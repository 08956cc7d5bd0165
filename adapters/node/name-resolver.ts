import { lookup, Resolver } from 'node:dns/promises';
import type { NameResolver } from '../../lib/ports/index.ts';

/** How long a name server may take, and how often it is asked. */
const TIMEOUT_MS = 3_000;
const TRIES = 2;

/**
 * Resolves names with a dot by DNS itself: the machine's own way of it (`getaddrinfo`) takes one of few threads for as long as
 * a name server likes, which hashing and files need too. Names without a dot, which only the machine knows how to complete,
 * go that way. The hosts file does not count for names with a dot.
 * @param options.servers name servers as `address` or `address:port`; default: those of the machine.
 */
export function nameResolver(options: { readonly servers?: readonly string[] } = {}): NameResolver {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (options.servers !== undefined) resolver.setServers(options.servers);
  return {
    resolve: async (host) => {
      if (!host.replace(/\.$/, '').includes('.'))
        return (await lookup(host, { all: true })).map(({ address }) => address);
      const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
      const addresses = found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
      const [first] = found;
      if (addresses.length === 0 && first.status === 'rejected') throw first.reason;
      return addresses;
    },
  };
}
