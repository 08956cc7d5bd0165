import type { CheckedUsageDay, ReadSession, UsageDayPlace } from '../ports/storage/index.ts';
import { type Account, type InvoiceItem, InvoiceItemType } from '../records/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { CHECKED_RECORDS_AT_ONCE } from '../values/limits.ts';
import { type Decimal, formatDecimal, ZERO } from '../values/money/index.ts';
import { formatLocalDate } from '../values/time/index.ts';
import {
  CheckedInvariant,
  type Finding,
  type FindingOfAccount,
  finding,
  ofAccount,
  pagesBy,
} from './model.ts';

/** Checks the usage days of these accounts against their points. */
export async function checkUsageDays(
  session: ReadSession,
  accounts: readonly Account[],
): Promise<readonly FindingOfAccount[]> {
  const findings: FindingOfAccount[] = [];
  const idOf = new Map(accounts.map(({ id, recordId }) => [recordId, id]));
  const accountRecordIds = [...idOf.keys()];
  const limit = CHECKED_RECORDS_AT_ONCE;
  const pages = pagesBy(
    limit,
    (last: CheckedUsageDay): UsageDayPlace => last,
    (after) => session.checks.usageDaysAfter({ accountRecordIds, after: after ?? null, limit }),
  );
  for await (const days of pages)
    for (const day of days) {
      const accountId = idOf.get(day.accountRecordId);
      if (accountId !== undefined) findings.push(...ofAccount(accountId, wrongUsageDay(day)));
    }
  return findings;
}

/** Compares a usage day with its points. Skips a day whose first points have been archived. */
function wrongUsageDay({ localDate, unit, stored, points }: CheckedUsageDay): readonly Finding[] {
  if (points.first !== 1) return [];
  const [kept, counted] = [totalsText(stored), totalsText(points)];
  if (kept === counted) return [];
  const day = `The usage of ${unit} on ${formatLocalDate(localDate)}`;
  return [
    finding(CheckedInvariant.USAGE, `${day} is stored as ${kept}, but its points add up to ${counted}`),
  ];
}

function totalsText({
  sum,
  max,
  count,
}: {
  readonly sum: Decimal | null;
  readonly max: Decimal | null;
  readonly count: number;
}): string {
  const shown = max === null ? 'none' : formatDecimal(max);
  return `${formatDecimal(sum ?? ZERO)} of ${count} points, at most ${shown}`;
}

/**
 * Finds usage items that do not have exactly one billed interval, and intervals without a usage item.
 * @param named The item id of each of the invoice's intervals.
 */
export function billingMismatches(items: readonly InvoiceItem[], named: readonly Uuid[]): readonly Finding[] {
  const times = Map.groupBy(named, (id) => id);
  const own = new Map(items.map((item) => [item.id, item]));
  const messages = [
    ...items
      .filter((item) => isForUsage(item) && times.get(item.id)?.length !== 1)
      .map(
        ({ id }) => `Item ${id} is billed by ${times.get(id)?.length ?? 0} usage intervals instead of one`,
      ),
    ...[...times.keys()]
      .filter((id) => !isForUsage(own.get(id)))
      .map((id) => `A usage interval bills item ${id}, which is not a usage item of its invoice`),
  ];
  return messages.map((message) => finding(CheckedInvariant.USAGE, message));
}

/** Returns true for a usage item or usage credit. A usage credit is a repair with item details. */
function isForUsage(item: InvoiceItem | undefined): boolean {
  if (item?.itemType === InvoiceItemType.REPAIR_ADJ) return item.itemDetails !== null;
  return item?.itemType === InvoiceItemType.USAGE;
}
