import { closestTo, shortened } from '../../../lib/values/text/index.ts';
import { SubscriptionUsageRecord, UnitUsageRecord, UsageRecord } from '../models/usage.ts';

/** The members of a record, and of the objects in one of its lists. */
interface Members {
  readonly names: ReadonlySet<string>;
  readonly inList?: { readonly name: string; readonly members: Members };
}

const ofUnits: Members = {
  names: namesOf(UnitUsageRecord),
  inList: { name: 'usageRecords', members: { names: namesOf(UsageRecord) } },
};

/** Those of one submission. */
export const SUBMISSION_MEMBERS: Members = {
  names: namesOf(SubscriptionUsageRecord),
  inList: { name: 'unitUsageRecords', members: ofUnits },
};

/** Those of a line of a bulk call, which may name its subscription by key. */
export const LINE_MEMBERS: Members = {
  ...SUBMISSION_MEMBERS,
  names: new Set([...SUBMISSION_MEMBERS.names, 'subscriptionExternalKey']),
};

function namesOf({ fields }: { readonly fields: object }): ReadonlySet<string> {
  return new Set(Object.keys(fields));
}

/** Where a member stands that is not known, and which are known there. */
interface Found {
  readonly place: string;
  readonly name: string;
  readonly names: ReadonlySet<string>;
}

/**
 * Returns what is wrong with the first member that records of usage do not have: a misspelt or foreign one would be
 * dropped, and with it something that its sender means to be billed. Null if there is none; other faults are not looked for.
 */
export function unknownMember(json: unknown, members: Members): string | null {
  const found = firstUnknown(json, members);
  return found === null ? null : unknown(found);
}

/** The place is put together on the way back: a line may have thousands of points, all of them right. */
function firstUnknown(json: unknown, { names, inList }: Members): Found | null {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return null;
  // A number is an object too, of another kind.
  if (Object.getPrototypeOf(json) !== Object.prototype) return null;
  for (const name in json) if (!names.has(name)) return { place: name, name, names };
  if (inList === undefined) return null;
  const list: unknown = (json as Readonly<Record<string, unknown>>)[inList.name];
  if (!Array.isArray(list)) return null;
  for (let index = 0; index < list.length; index += 1) {
    const found = firstUnknown(list[index], inList.members);
    if (found !== null) return { ...found, place: `${inList.name}[${index}].${found.place}` };
  }
  return null;
}

function unknown({ place, name, names }: Found): string {
  const meant = closestTo(name, [...names]);
  const known = meant === null ? `its fields are ${[...names].join(', ')}` : `did you mean ${meant}?`;
  return `SubscriptionUsageRecord ${shortened(place)} is not a field of a usage record; ${known}`;
}
