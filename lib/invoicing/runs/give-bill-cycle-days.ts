import { accountEvent } from '../../accounts/index.ts';
import type { CatalogOfAccount } from '../../catalog/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import type { Account } from '../../records/index.ts';
import { BusEventType } from '../../records/index.ts';
import { localDateOf } from '../../values/time/index.ts';
import { loadStreams } from '../loading/load-streams.ts';
import type { InvoicingConfig } from '../periods/invoicing-config.ts';

/** An account and the day that an evaluation gives it; null = the account has a day or needs none. */
export interface EvaluatedDay {
  readonly account: Account;
  readonly newBillCycleDay: number | null;
}

interface DaySources {
  readonly catalogOf: CatalogOfAccount;
  readonly config: Pick<InvoicingConfig, 'alignPriceChanges'>;
}

/**
 * Gives locked accounts without a bill cycle day that of their earliest charge, although they are not invoiced now
 * (ruling R51). A constant number of statements.
 */
export async function giveBillCycleDays(
  session: WriteSession,
  accounts: readonly Account[],
  { catalogOf, config: { alignPriceChanges } }: DaySources,
): Promise<void> {
  const requests = accounts.map((account) => ({
    account,
    targetDate: localDateOf(session.authorship.createdDate, account.timeZone),
  }));
  const { streams } = await loadStreams(session, { requests, catalogOf, choice: 'all', alignPriceChanges });
  await saveBillCycleDays(
    session,
    streams.map(({ request: { account }, newBillCycleDay }) => ({ account, newBillCycleDay })),
  );
}

/** Stores the day that the first evaluation gives an account, once and as a change of the account (accounts §4 rule 4). */
export async function saveBillCycleDays(
  session: WriteSession,
  evaluated: readonly EvaluatedDay[],
): Promise<void> {
  const updatedDate = session.authorship.createdDate;
  const changed = evaluated.flatMap(({ account, newBillCycleDay }): readonly Account[] =>
    newBillCycleDay === null ? [] : [{ ...account, billCycleDayLocal: newBillCycleDay, updatedDate }],
  );
  if (changed.length === 0) return;
  await session.accounts.update(changed);
  session.publish(changed.map((account) => accountEvent(BusEventType.ACCOUNT_CHANGE, account)));
}
