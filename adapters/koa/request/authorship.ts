import type { IncomingHttpHeaders } from 'node:http';
import { invalidField, invalidParameter } from '../../../lib/values/errors/index.ts';
import { isUuid, type Uuid } from '../../../lib/values/ids/index.ts';
import { isStorable, NOT_STORABLE } from '../../../lib/values/text/index.ts';
import { type Dialect, headerPrefixOf } from '../dialect.ts';
import type { HeaderFamilies } from './header-families.ts';

/** Who changes something and why, as the caller says (http-api §2). */
export interface Authorship {
  readonly createdBy: string | null;
  readonly reason: string | null;
  readonly comment: string | null;
}

const maxCharacters = 255;
const base64Form = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Reads author, reason and comment; base64 when `Encoding: base64` says so. @throws BillingError INVALID_PARAMETER. */
export function authorshipOf(
  headers: IncomingHttpHeaders,
  families: HeaderFamilies,
  dialect: Dialect,
): Authorship {
  const isEncoded = families.header(headers, 'Encoding')?.trim().toLowerCase() === 'base64';
  const read = (suffix: string): string | null => {
    const raw = families.header(headers, suffix)?.trim();
    const value = raw && isEncoded ? decoded(raw) : raw;
    if (value === undefined || value === '') return null;
    const name = `Header ${headerPrefixOf[dialect]}${suffix}`;
    if (!isStorable(value)) throw invalidParameter(`${name} ${NOT_STORABLE}`);
    if (value.length <= maxCharacters) return value;
    throw invalidParameter(
      `${name} is ${value.length} characters long; at most ${maxCharacters} are allowed`,
    );
  };
  return { createdBy: read('CreatedBy'), reason: read('Reason'), comment: read('Comment') };
}

/** @throws BillingError MISSING_OR_INVALID_FIELD if no author is named (http-api §2, W calls). */
export function requireAuthor(authorship: Authorship, dialect: Dialect): string {
  if (authorship.createdBy !== null) return authorship.createdBy;
  throw invalidField(`Header ${headerPrefixOf[dialect]}CreatedBy needs to be set`);
}

/** The id of a request: what is echoed, and the token that ties its changes together. */
export interface RequestId {
  readonly echo: string;
  readonly userToken: Uuid;
}

const visibleText = /^[\x20-\x7e]{1,255}$/;

/** The caller's id where it sent one that can be echoed, else `fresh` (http-api §2, `X-Request-Id`). */
export function requestIdOf(
  headers: IncomingHttpHeaders,
  families: HeaderFamilies,
  fresh: () => Uuid,
): RequestId {
  const sent = singleHeader(headers, 'x-request-id') ?? families.header(headers, 'Request-Id-Req');
  const lower = sent?.trim().toLowerCase() ?? '';
  const userToken = isUuid(lower) ? lower : fresh();
  return { echo: sent !== undefined && visibleText.test(sent) ? sent : userToken, userToken };
}

function singleHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** A value that is not base64 of UTF-8 is taken as it stands (http-api §2). */
function decoded(value: string): string {
  if (!base64Form.test(value)) return value;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'base64'));
  } catch {
    return value;
  }
}
