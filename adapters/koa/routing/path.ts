import { decodedOnceMore, isOperatorSearch } from '../../../lib/runtime/index.ts';
import { billingError, ErrorCode, invalidParameter } from '../../../lib/values/errors/index.ts';
import { isUuid, type Uuid } from '../../../lib/values/ids/index.ts';
import { NOT_STORABLE, shortened } from '../../../lib/values/text/index.ts';

/** Prefix of the core interface (http-api §1). */
export const CORE = '/1.0/kb';

/** Prefix of the interface of the catalog plugin. */
export const PLUGIN = '/plugins/catalog-plugin/v1';

/** First segment of the paths on which processors send notifications: the others are names. */
const GATEWAYS = 'gateways';

/** Ids that their owners choose, which may be any text. */
const chosenIds = ['clientId', 'trackingId'] as const;
type ChosenId = (typeof chosenIds)[number];

type ParameterNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterNames<Rest>
  : never;

/** The segments of a path by name; `{…Id}` segments are UUIDs (http-api §1 rule 4). */
export type PathParameters<Path extends string> = {
  readonly [K in ParameterNames<Path>]: K extends ChosenId ? string : K extends `${string}Id` ? Uuid : string;
};

export function parameterNamesOf(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
}

/**
 * The segment that tells the areas of the interface apart: `accounts` of `/1.0/kb/accounts/{accountId}`; empty where a
 * path is shorter. Paths with different area segments are never the same route.
 */
export function areaSegment(path: string): string {
  const [, first, , third = ''] = path.split('/', 4);
  return first === GATEWAYS ? GATEWAYS : third;
}

export function isIdParameter(name: string): boolean {
  return name.endsWith('Id') && !chosenIds.some((each) => each === name);
}

/**
 * The reader of a path's decoded segments, with ids in lower case.
 * @throws (on reading) BillingError ROUTE_NOT_FOUND where an id is no UUID.
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

/**
 * The text of a key that was encoded twice as a whole; in a key in operator form each value may be encoded twice by
 * itself.
 */
function searchKey(value: string): string {
  return isOperatorSearch(value) ? value : decodedOnceMore(value);
}

function uuidSegment(name: string, value: string): Uuid {
  const lower = value.toLowerCase();
  if (isUuid(lower)) return lower;
  throw billingError(
    ErrorCode.ROUTE_NOT_FOUND,
    `No such resource: ${name} "${shortened(value)}" is not a UUID`,
  );
}

/** @throws BillingError INVALID_PARAMETER for a segment with text that no database can store. */
export function checkPathText(path: string): void {
  if (!/%00/.test(path)) return;
  throw invalidParameter(`The path ${NOT_STORABLE}`);
}

/**
 * The path with every segment that stands for plain characters decoded, so that `%61ccounts` is the literal `accounts`;
 * the others are decoded as parameters (http-api §1 rule 3).
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

/** The path as @koa/router spells it; a search key takes all that is left, slashes too, or nothing (http-api §1). */
export function routerPath(path: string): string {
  return path.replace('/{searchKey}', '{/*searchKey}').replace(/\{(\w+)\}/g, ':$1');
}

/** Orders paths so that literal segments come before parameters (http-api §1 rule 5). */
export function byLiteralsFirst(one: string, other: string): number {
  return sortKey(one) < sortKey(other) ? -1 : 1;
}

/** `0` for a literal segment, `1` for a parameter, so that of two matching paths the one with the earlier literal wins. */
function sortKey(path: string): string {
  return path
    .split('/')
    .map((segment) => (segment.includes('{') ? '1' : '0'))
    .join('');
}

export function withoutTrailingSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path;
}
