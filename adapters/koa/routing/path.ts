import { decodedOnceMore, isOperatorSearch } from '../../../lib/runtime/index.ts';
import { billingError, ErrorCode, invalidParameter } from '../../../lib/values/errors/index.ts';
import { isUuid, type Uuid } from '../../../lib/values/ids/index.ts';
import { NOT_STORABLE, shortenText } from '../../../lib/values/text/index.ts';

/** See http-api §1. */
export const CORE = '/1.0/kb';

export const PLUGIN = '/plugins/catalog-plugin/v1';

/** First segment of notification paths. The following segments are names. */
const GATEWAYS = 'gateways';

/** Path parameters whose values callers choose. They may contain any text. */
const chosenIds = ['clientId', 'trackingId'] as const;
type ChosenId = (typeof chosenIds)[number];

type ParameterNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterNames<Rest>
  : never;

/** Path parameters. Segments of the form `{…Id}` are UUIDs (http-api §1 rule 4). */
export type PathParameters<Path extends string> = {
  readonly [K in ParameterNames<Path>]: K extends ChosenId ? string : K extends `${string}Id` ? Uuid : string;
};

export function parameterNamesOf(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
}

/**
 * Returns the first segment after the prefix, such as `accounts`. Routes with different first segments never have the
 * same path.
 */
export function areaSegment(path: string): string {
  const [, first, , third = ''] = path.split('/', 4);
  return first === GATEWAYS ? GATEWAYS : third;
}

export function isIdParameter(name: string): boolean {
  return name.endsWith('Id') && !chosenIds.some((each) => each === name);
}

/**
 * Returns a function that reads the decoded segments of a path. It converts ids to lower case.
 * @throws (when called) BillingError ROUTE_NOT_FOUND for an invalid UUID.
 */
export function pathParameters(
  path: string,
): (raw: Readonly<Record<string, string>>) => Readonly<Record<string, string>> {
  const names = parameterNamesOf(path);
  return (raw) => {
    const read: Record<string, string> = {};
    for (const name of names) {
      const value = raw[name] ?? '';
      read[name] = isIdParameter(name)
        ? uuidSegment(name, value)
        : name === 'searchKey'
          ? searchKey(value)
          : value;
    }
    return read;
  };
}

/** Decodes a search key that was encoded twice. In a key in operator form, only the values may be encoded twice. */
function searchKey(value: string): string {
  return isOperatorSearch(value) ? value : decodedOnceMore(value);
}

function uuidSegment(name: string, value: string): Uuid {
  const lower = value.toLowerCase();
  if (isUuid(lower)) return lower;
  throw billingError(
    ErrorCode.ROUTE_NOT_FOUND,
    `No such resource: ${name} "${shortenText(value)}" is not a UUID`,
  );
}

/**
 * Checks the text of a path.
 * @throws BillingError INVALID_PARAMETER if it contains characters that databases cannot store.
 */
export function checkPathText(path: string): void {
  if (!/%00/.test(path)) return;
  throw invalidParameter(`The path ${NOT_STORABLE}`);
}

/**
 * Decodes segments that contain only plain characters, so that `%61ccounts` becomes `accounts` (http-api §1 rule 3).
 */
export function plainPath(path: string): string {
  if (!path.includes('%')) return path;
  return path.split('/').map(plainSegment).join('/');
}

function plainSegment(segment: string): string {
  try {
    const decoded = decodeURIComponent(segment);
    return /^[\w.~-]*$/.test(decoded) ? decoded : segment;
  } catch {
    return segment;
  }
}

/**
 * Returns the path in the syntax of @koa/router. A search key matches the rest of the path, even if the rest is empty
 * or contains slashes (http-api §1).
 */
export function routerPath(path: string): string {
  return path.replace('/{searchKey}', '{/*searchKey}').replace(/\{(\w+)\}/g, ':$1');
}

/** Compares two paths. Literal segments come before parameters (http-api §1 rule 5). */
export function byLiteralsFirst(one: string, other: string): number {
  return sortKey(one) < sortKey(other) ? -1 : 1;
}

/**
 * Returns a sort key with `0` for each literal segment and `1` for each parameter. Literal segments therefore come
 * first.
 */
function sortKey(path: string): string {
  return path
    .split('/')
    .map((segment) => (segment.includes('{') ? '1' : '0'))
    .join('');
}

export function withoutTrailingSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path;
}
