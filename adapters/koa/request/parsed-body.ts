import type { Context } from 'koa';
import { BillingError, ErrorCode } from '../../../lib/values/errors/index.ts';

/**
 * The bytes of a body that the application of the host has read before it handed the request on, as it left them: in
 * `rawBody`, or parsed in `body`, of Node's request or of Koa's. Undefined: nobody has read it yet.
 * @throws BillingError MALFORMED_BODY where it was read and left nowhere.
 */
export function bodyReadBefore({ req, request }: Context): Uint8Array | undefined {
  if (!req.readableDidRead) return undefined;
  const places = [req, request].flatMap((each) => [Reflect.get(each, 'rawBody'), Reflect.get(each, 'body')]);
  const left: unknown = places.find((each) => each !== undefined);
  if (left === undefined) {
    throw new BillingError({
      code: ErrorCode.MALFORMED_BODY,
      message:
        'The application that this server is part of has read the body of the request, and left it neither in request.rawBody nor in request.body',
    });
  }
  if (left instanceof Uint8Array) return left;
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(req.headers['content-type'] ?? '');
  return Buffer.from(typeof left === 'string' ? left : isForm ? formOf(left) : JSON.stringify(left));
}

/** A form as it was, of what a parser has made of its fields: a text each, or a list of them. */
function formOf(fields: unknown): string {
  const pairs = Object.entries(fields ?? {}).flatMap(([name, value]) =>
    [value].flat().map((each) => [name, String(each)] as [string, string]),
  );
  return new URLSearchParams(pairs).toString();
}
