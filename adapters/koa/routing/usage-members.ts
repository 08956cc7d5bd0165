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

/**
 * Returns what is wrong with the first member that records of usage do not have: a misspelt or foreign one would be
 * dropped, and with it something that its sender means to be billed. Null if there is none; other faults are not looked for.
 */
export function unknownMember(json: unknown, members: Members, at = ''): string | null {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return null;
  // A number is an object too, of another kind.
  if (Object.getPrototypeOf(json) !== Object.prototype) return null;
  const { names, inList } = members;
  for (const name in json) if (!names.has(name)) return unknown(`${at}${name}`, name, names);
  if (inList === undefined) return null;
  const list: unknown = (json as Readonly<Record<string, unknown>>)[inList.name];
  if (!Array.isArray(list)) return null;
  for (let index = 0; index < list.length; index += 1) {
    const found = unknownMember(list[index], inList.members, `${at}${inList.name}[${index}].`);
    if (found !== null) return found;
  }
  return null;
}

function unknown(place: string, name: string, names: ReadonlySet<string>): string {
  const meant = closestTo(name, [...names]);
  const known = meant === null ? `its fields are ${[...names].join(', ')}` : `did you mean ${meant}?`;
  return `SubscriptionUsageRecord ${shortened(place)} is not a field of a usage record; ${known}`;
}
