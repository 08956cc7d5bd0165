import { isStorable } from '../../../lib/values/text/index.ts';

/** A name and its secret, as a caller presents them. */
export interface Credentials {
  readonly name: string;
  readonly secret: string;
}

const basicForm = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i;

/** The credentials of an `Authorization: Basic` header (RFC 7617, UTF-8), or null if it is none. */
export function basicCredentials(authorization: string | undefined): Credentials | null {
  const encoded = basicForm.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return null;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 || !isStorable(text)
    ? null
    : { name: text.slice(0, colon), secret: text.slice(colon + 1) };
}
