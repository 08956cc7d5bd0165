import type { Account } from '../../records/index.ts';
import type { Instant } from '../../values/time/index.ts';

/** The text that replaces personal data. */
export const FORGOTTEN = 'anonymized';

/** The personal fields of an account, with their names in its history. Country, locale and zone stay: tax needs them. */
const personalFields = {
  name: 'name',
  email: 'email',
  company: 'companyName',
  address1: 'address1',
  address2: 'address2',
  city: 'city',
  state: 'stateOrProvince',
  postalCode: 'postalCode',
  phone: 'phone',
  notes: 'notes',
} as const satisfies Partial<Record<keyof Account, string>>;

type PersonalField = keyof typeof personalFields;
const names = Object.keys(personalFields) as PersonalField[];

/** The account with a fixed text in every personal field that has one (§19); keys, dates and money stay. */
export function anonymizedAccount(account: Account, now: Instant): Account {
  const replaced = names.flatMap((name) => (account[name] === null ? [] : [[name, FORGOTTEN]]));
  return { ...account, ...Object.fromEntries(replaced), firstNameLength: null, updatedDate: now };
}

type Snapshot = Readonly<Record<string, unknown>>;

const historyMembers = new Set<string>(Object.values(personalFields));

/** A history record of an account or of a secondary address, with the same text in its personal fields. */
export function anonymizedSnapshot(snapshot: Snapshot): Snapshot {
  const members = Object.entries(snapshot).map(([member, value]) => {
    if (member === 'firstNameLength') return [member, null];
    return [member, historyMembers.has(member) && value !== null ? FORGOTTEN : value];
  });
  return Object.fromEntries(members);
}
