import type { CheckedUsageDay, ReadSession, UsageDayPlace } from '../ports/storage/index.ts';
import { type Account, type InvoiceItem, InvoiceItemType } from '../records/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { CHECKED_RECORDS_AT_ONCE } from '../values/limits.ts';
import { type Decimal, formatDecimal, ZERO } from '../values/money/index.ts';
import { formatLocalDate } from '../values/time/index.ts';
import { CheckedInvariant, type Finding, type FindingOfAccount, finding } from './model.ts';

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

/** What a day of usage says and its points do not. Where the first points are archived the rest tells nothing. */
function wrongUsageDay({ localDate, unit, stored, points }: CheckedUsageDay): readonly Finding[] {
  if (points.first !== 1) return [];
  const [kept, counted] = [
    told(stored.sum, stored.max, stored.count),
    told(points.sum, points.max, points.count),
  ];
  if (kept === counted) return [];
  const day = `usage of ${unit} on ${formatLocalDate(localDate)}`;
  return [finding(CheckedInvariant.USAGE, `${day} is kept as ${kept}, its points come to ${counted}`)];
}

function told(sum: Decimal | null, max: Decimal | null, count: number): string {
  const shown = max === null ? 'none' : formatDecimal(max);
  return `${formatDecimal(sum ?? ZERO)} of ${count} points, at most ${shown}`;
}

/**
 * The items for usage of an invoice that no billed interval names, or several do, and named ones that it does not have.
 * @param named by the intervals of this invoice, each as often as it is named.
 */
export function wronglyBilled(items: readonly InvoiceItem[], named: readonly Uuid[]): readonly Finding[] {
  const times = Map.groupBy(named, (id) => id);
  const own = new Map(items.map((item) => [item.id, item]));
  return [
    ...items
      .filter((item) => isForUsage(item) && times.get(item.id)?.length !== 1)
      .map(({ id }) =>
        finding(
          CheckedInvariant.USAGE,
          `item ${id} is billed by ${times.get(id)?.length ?? 0} intervals of usage`,
        ),
      ),
    ...[...times.keys()]
      .filter((id) => !isForUsage(own.get(id)))
      .map((id) =>
        finding(
          CheckedInvariant.USAGE,
          `an interval of usage bills item ${id}, which is none of its invoice for usage`,
        ),
      ),
  ];
}

/** A credit for usage is a repair that says what it is made of. */
function isForUsage(item: InvoiceItem | undefined): boolean {
  if (item?.itemType === InvoiceItemType.REPAIR_ADJ) return item.itemDetails !== null;
  return item?.itemType === InvoiceItemType.USAGE;
}
