import { type Account, accountEmailFields, accountFields } from '../../records/index.ts';
import type { Instant } from '../../values/time/index.ts';

/** The text that replaces personal data. */
export const FORGOTTEN = 'anonymized';

/** The account with a fixed text in every personal text that it has (§19); keys, dates and money stay. */
export function anonymizedAccount(account: Account, now: Instant): Account {
  const personal = Object.entries(accountFields).filter(([, { isPersonal }]) => isPersonal);
  const replaced = personal.map(([name, { kind }]) => [
    name,
    anonymizedValue(kind === 'text', account[name as keyof Account]),
  ]);
  return { ...account, ...Object.fromEntries(replaced), updatedDate: now };
}

type Snapshot = Readonly<Record<string, unknown>>;

/** The personal members of history records, and whether each is a text. */
const personalMembers = new Map(
  Object.entries({ ...accountEmailFields, ...accountFields })
    .filter(([, { isPersonal }]) => isPersonal)
    .map(([name, { audit, kind }]) => [audit ?? name, kind === 'text']),
);

/** A history record of an account or of a secondary address, with the same text in its personal texts. */
export function anonymizedSnapshot(snapshot: Snapshot): Snapshot {
  const members = Object.entries(snapshot).map(([member, value]) => {
    const isText = personalMembers.get(member);
    return [member, isText === undefined ? value : anonymizedValue(isText, value)];
  });
  return Object.fromEntries(members);
}

/** A personal number, such as the length of the first name, goes away. */
function anonymizedValue(isText: boolean, value: unknown): unknown {
  return isText && value !== null ? FORGOTTEN : null;
}
