import { Chronicle } from './chronicle.ts';
import { overdueXml, type StateParts } from './overdue-documents.ts';
import type { Teller } from './teller.ts';

/** A story of a customer who does not pay until the end, and what must become of it, in lines. */
export interface DunningStory {
  readonly title: string;
  readonly play: (teller: Teller) => Promise<readonly string[]>;
  readonly expected: readonly string[];
}

export const OD1: StateParts = {
  name: 'OD1',
  time: 10,
  blocksChanges: true,
  every: 10,
  message: 'Please pay',
};
export const LATER_STATES: readonly StateParts[] = [
  { name: 'CANCELLED', time: 40, disables: true, policy: 'IMMEDIATE' },
  { name: 'OD3', time: 30, disables: true, every: 10 },
  { name: 'OD2', time: 20, disables: true, every: 10, message: 'Service suspended' },
];
export const CONFIG = overdueXml({ initial: 10, states: [...LATER_STATES, OD1] });

export const PLAN = 'pro-monthly';
export const LAST_DAY = '2012-07-15';
export const PAYS_AT = `${LAST_DAY}T10:00:00Z`;

/** Lines of everything that an account lives through from the day after its sign-up. */
export function chronicleOf(teller: Teller, accountId: string): Chronicle {
  const { database, runTo, read } = teller;
  return new Chronicle({ database, accountId: accountId as never, runTo, read: () => read(accountId) });
}

export async function signUp(teller: Teller): Promise<string> {
  await teller.upload(CONFIG);
  const accountId = await teller.account({ hasCard: true });
  await teller.subscribe(accountId, PLAN);
  return accountId;
}
