import { lookup } from 'node:dns/promises';
import type { NameResolver } from '../../lib/ports/index.ts';

/** Resolves as the machine does: its hosts file, then DNS. */
export function nameResolver(): NameResolver {
  return {
    resolve: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
  };
}
