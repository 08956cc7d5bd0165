import type { ReadSession, UsageDayPlace } from '../ports/storage/index.ts';
import type { Account } from '../records/index.ts';
import { CHECKED_RECORDS_AT_ONCE } from '../values/limits.ts';
import type { FindingOfAccount } from './check-invoices.ts';
import { wrongUsageDay } from './usage-sums.ts';

/** Checks the days of usage of these accounts against their points, a part of the days at a time. */
export async function checkUsageDays(
  session: ReadSession,
  accounts: readonly Account[],
): Promise<readonly FindingOfAccount[]> {
  const findings: FindingOfAccount[] = [];
  const idOf = new Map(accounts.map(({ id, recordId }) => [recordId, id]));
  const limit = CHECKED_RECORDS_AT_ONCE;
  let after: UsageDayPlace | null = null;
  for (;;) {
    const days = await session.checks.usageDaysAfter({ accountRecordIds: [...idOf.keys()], after, limit });
    for (const day of days) {
      const accountId = idOf.get(day.accountRecordId);
      if (accountId !== undefined)
        findings.push(...wrongUsageDay(day).map((each) => ({ ...each, accountId })));
    }
    if (days.length < limit) return findings;
    after = days.at(-1) ?? null;
  }
}
