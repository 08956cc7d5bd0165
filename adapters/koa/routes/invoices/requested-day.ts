import type { Billing } from '../../../../lib/billing.ts';
import type { CallContext } from '../../../../lib/records/index.ts';
import type { Uuid } from '../../../../lib/values/ids/index.ts';
import { type LocalDate, localDateOf, type WireMoment } from '../../../../lib/values/time/index.ts';

/** The day that a parameter means: a date-time becomes the day in the account's zone (http-api §9 rule 3). */
export async function requestedDay(
  call: { readonly billing: Billing; readonly context: CallContext },
  accountId: Uuid,
  moment: WireMoment | null,
): Promise<LocalDate | null> {
  if (moment === null) return null;
  if (moment.kind === 'DATE') return moment.date;
  const { timeZone } = await call.billing.getAccount(call.context, accountId);
  return localDateOf(moment.at, timeZone);
}
