import type { ReadSession, UsageStretch } from '../../ports/storage/index.ts';
import { type BillingError, invalidParameter } from '../../values/errors/index.ts';
import { formatLocalDate, type LocalDate, type TimeZone } from '../../values/time/index.ts';
import { usageStretches } from '../roll-up/usage-stretch.ts';

interface StretchOwner {
  readonly subscriptionRecordId: number;
  readonly zone: TimeZone;
}

/**
 * The stretches as what is stored can tell of them. Where days are cut, one statement looks whether they have points left to
 * cut.
 * @throws BillingError INVALID_PARAMETER for a bound within an archived day (§11.4).
 */
export async function answerableStretches(
  session: ReadSession,
  stretches: readonly UsageStretch[],
  { subscriptionRecordId, zone }: StretchOwner,
): Promise<readonly UsageStretch[]> {
  const cut = cutDaysOf(stretches);
  if (cut.length === 0) return stretches;
  const archived = new Set(await session.usage.archivedDays(subscriptionRecordId, cut));
  if (archived.size === 0) return stretches;
  const around = usageStretches(stretches, zone, archived);
  const refused = cutDaysOf(around).find((day) => archived.has(day));
  if (refused === undefined) return around;
  throw dayArchived(refused);
}

/** @throws BillingError INVALID_PARAMETER where one of the days, whose points are to be read, is archived. */
export async function refuseArchived(
  session: ReadSession,
  subscriptionRecordId: number,
  days: readonly LocalDate[],
): Promise<void> {
  const [archived] = await session.usage.archivedDays(subscriptionRecordId, days);
  if (archived !== undefined) throw dayArchived(archived);
}

function dayArchived(day: LocalDate): BillingError {
  const date = formatLocalDate(day);
  return invalidParameter(
    `The usage of ${date} is archived: what was used can be told for the whole day alone, not for a time within it`,
    { date },
  );
}

/** An empty stretch cuts nothing. */
function cutDaysOf(stretches: readonly UsageStretch[]): readonly LocalDate[] {
  return stretches.flatMap(({ start, end, cutDays }) => (start === end ? [] : cutDays));
}
