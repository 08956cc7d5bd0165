import { type Account, accountEmailFields, accountFields } from '../../records/index.ts';
import type { Instant } from '../../values/time/index.ts';

/** The text that replaces personal data. */
export const FORGOTTEN = 'anonymized';

/** Returns the account with its personal data replaced (§19). Keys, dates and amounts do not change. */
export function anonymizedAccount(account: Account, now: Instant): Account {
  const personal = Object.entries(accountFields).filter(([, { isPersonal }]) => isPersonal);
  const replaced = personal.map(([name, { kind }]) => [
    name,
    anonymizedValue(kind === 'text', account[name as keyof Account]),
  ]);
  return { ...account, ...Object.fromEntries(replaced), updatedDate: now };
}

type Snapshot = Readonly<Record<string, unknown>>;

/** Fields of history records that contain personal data. The value is true for text fields. */
const personalMembers = new Map(
  Object.entries({ ...accountEmailFields, ...accountFields })
    .filter(([, { isPersonal }]) => isPersonal)
    .map(([name, { audit, kind }]) => [audit ?? name, kind === 'text']),
);

/** Returns a history record of an account or address with its personal data replaced. */
export function anonymizedSnapshot(snapshot: Snapshot): Snapshot {
  const members = Object.entries(snapshot).map(([member, value]) => {
    const isText = personalMembers.get(member);
    return [member, isText === undefined ? value : anonymizedValue(isText, value)];
  });
  return Object.fromEntries(members);
}

/**
 * Returns the fixed replacement text. Returns null for personal data that is a number, such as the length of the first
 * name.
 */
function anonymizedValue(isText: boolean, value: unknown): unknown {
  return isText && value !== null ? FORGOTTEN : null;
}
