import type { IncomingHttpHeaders } from 'node:http';
import { Dialect } from '../dialect.ts';

const documentPrefix = 'x-service-';
const aliasPrefix = 'x-killbill-';

/** The value of `X-Service-<suffix>`, else of its alias `X-Killbill-<suffix>` (http-api.md §2); undefined if neither. */
export function familyHeader(headers: IncomingHttpHeaders, suffix: string): string | undefined {
  const name = suffix.toLowerCase();
  return text(headers[documentPrefix + name]) ?? text(headers[aliasPrefix + name]);
}

/** K with at least one `X-Killbill-…` header and no `X-Service-…` header, else D; `fallback` with neither (§4). */
export function dialectOf(headers: IncomingHttpHeaders, fallback: Dialect): Dialect {
  let isAlias = false;
  for (const name in headers) {
    if (name.startsWith(documentPrefix)) return Dialect.D;
    if (name.startsWith(aliasPrefix)) isAlias = true;
  }
  return isAlias ? Dialect.K : fallback;
}

/** Node reads header bytes as Latin-1; clients send UTF-8. Text that is not UTF-8 stays as it was read. */
function text(value: string | string[] | undefined): string | undefined {
  const raw = Array.isArray(value) ? value[0] : value;
  if (raw === undefined || /^[\x20-\x7e]*$/.test(raw)) return raw;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(raw, 'latin1'));
  } catch {
    return raw;
  }
}
