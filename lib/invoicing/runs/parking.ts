import { SystemTag } from '../../control-tags/index.ts';
import type { IdGenerator } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import type { Account } from '../../records/index.ts';
import { addEngineTag, removeEngineTag } from '../../tags/index.ts';
import { BillingError, InvariantError } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_ABORT_REASON_CHARACTERS } from '../../values/limits.ts';
import { localDateOf, minDate } from '../../values/time/index.ts';
import { isBoundExceeded } from '../evaluation/evaluate-subscription.ts';
import { dueEntry } from '../evaluation/run-entries.ts';

/**
 * Parks accounts that cannot be invoiced, so that automatic runs skip them (§8.6). The audit row of the tag contains
 * the reason.
 */
export async function parkAccounts(
  session: WriteSession,
  parked: readonly { readonly account: Account; readonly reason: string }[],
  ids: IdGenerator,
): Promise<void> {
  const reasons = new Map(parked.map(({ account, reason }) => [account.id, reason]));
  const accounts = parked.map(({ account }) => account);
  const reasonOf = (accountId: Uuid) => reasons.get(accountId) ?? '';
  await addEngineTag(session, accounts, { definitionId: SystemTag.PARK, ids, reasonOf });
}

/**
 * Returns the text of an error for the audit row of the PARK tag. If a plugin failed, includes the error that the
 * plugin threw.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isOfPlugin = error instanceof BillingError && error.facts.pluginName !== undefined;
  if (!isOfPlugin || !(error.cause instanceof Error)) return error.message;
  const thrown = error.cause.message.slice(0, MAX_ABORT_REASON_CHARACTERS).replaceAll('\u0000', '');
  return `${error.message}: ${thrown.toWellFormed()}`;
}

/**
 * Returns true if this error parks the account even when a user requested the run, because later runs would fail too.
 */
export function alwaysParks(error: unknown): boolean {
  return error instanceof InvariantError || isBoundExceeded(error);
}

/**
 * Unparks an account, so that automatic runs include it again. Entries that became due while it was parked no longer
 * exist, so this function adds an entry for the earliest unbilled date. If that date is past, the run starts
 * immediately. No date is lost, even if its run creates no items (§5.5).
 */
export async function unparkAccount(session: WriteSession, account: Account): Promise<void> {
  const unparked = await removeEngineTag(session, [account], SystemTag.PARK);
  if (unparked.length === 0) return;
  const today = localDateOf(session.authorship.createdDate, account.timeZone);
  const cursors = await session.invoices.cursorsOfAccounts([account.id]);
  const dates = cursors.flatMap((cursor) => (cursor.dirtyFrom === null ? (cursor.nextDueDate ?? []) : today));
  if (dates.length === 0) return;
  const earliest = dates.reduce((first, date) => minDate(first, date));
  session.schedule([dueEntry(account, earliest)]);
}
