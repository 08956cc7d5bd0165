import type { ChargedThroughChange, WriteSession } from '../../ports/storage/index.ts';
import type { Account, CoverageRow, NewNotification, StoredUsageInterval } from '../../records/index.ts';
import { allEnded } from '../../runtime/index.ts';
import { atReferenceTime } from '../../subscriptions/index.ts';
import { InvariantError } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { DatedInstant, Instant, LocalDate } from '../../values/time/index.ts';
import { resetChargedThrough } from '../changes/reset-charged-through.ts';
import { dueEntries } from '../evaluation/due-entries.ts';
import { intervalsToStore } from '../evaluation/stored-usage.ts';
import type { EvaluatedRun } from './evaluate-runs.ts';
import { saveBillCycleDays } from './give-bill-cycle-days.ts';

/** A run, and what each invoice of it has where it makes several. */
export interface RunToSave extends EvaluatedRun {
  readonly invoices?: readonly { readonly id: Uuid; readonly items: readonly { readonly id: Uuid }[] }[];
}

/** Saves what runs with items leave beside their invoices. */
export async function saveRunFacts(session: WriteSession, runs: readonly RunToSave[]): Promise<void> {
  await allEnded([
    saveBillCycleDays(
      session,
      runs.map(({ billing }) => billing),
    ),
    session.subscriptions.setChargedThrough(chargedThrough(runs)),
    saveProjection(session, runs),
  ]);
  session.schedule(dueEntriesOf(runs, session.authorship.createdDate));
}

/** True if the run makes an invoice of its own. */
export function isNew({ run }: EvaluatedRun): boolean {
  return run.invoice.draft === null;
}

/** Coverage, billed intervals of usage, what remains of repaired items, and cursors. */
export async function saveProjection(session: WriteSession, evaluated: readonly RunToSave[]): Promise<void> {
  const all = evaluated.flatMap(({ billing, run }) =>
    run.evaluations.map((evaluation) => ({ accountRecordId: billing.account.recordId, evaluation })),
  );
  const owners = new Map(
    all.map(({ accountRecordId, evaluation }) => [evaluation.subscriptionId, accountRecordId]),
  );
  const ownerOf = (row: CoverageRow): number => {
    const owner = owners.get(row.subscriptionId);
    if (owner !== undefined) return owner;
    throw new InvariantError(`Coverage of subscription ${row.subscriptionId} belongs to no account`);
  };
  const coverage = all.map(({ evaluation }) => evaluation.coverage);
  const replaced = coverage.flatMap(({ replacedItemIds }) => replacedItemIds);
  const repairable = all.flatMap(({ evaluation }) => evaluation.repairable);
  const inserted = coverage.flatMap((changes) => changes.inserted);
  const { createdDate } = session.authorship;
  await allEnded([
    session.invoices.saveCursors(evaluated.flatMap(({ cursors }) => cursors)),
    session.invoices.replaceCoverage(
      replaced,
      coverage.flatMap(({ replacements }) => replacements),
      ownerOf,
    ),
    session.invoices.setRepairable(repairable),
    session.invoices.insertCoverage(inserted, ownerOf),
    session.usage.insertIntervals(evaluated.flatMap((each) => usageIntervals(each, createdDate))),
  ]);
}

function usageIntervals(
  { billing, run, invoiceId, invoices = [] }: RunToSave,
  createdDate: Instant,
): readonly StoredUsageInterval[] {
  const accountRecordId = billing.account.recordId;
  const otherInvoiceOf = new Map(
    invoices.slice(1).flatMap(({ id, items }) => items.map((item) => [item.id, id] as const)),
  );
  return run.evaluations.flatMap(({ subscriptionId, usage }) =>
    usage === null
      ? []
      : intervalsToStore({
          accountRecordId,
          subscriptionId,
          usage,
          createdDate,
          invoiceId: run.items.length > 0 ? invoiceId : null,
          otherInvoiceOf,
        }),
  );
}

export function dueEntriesOf(runs: readonly EvaluatedRun[], now: Instant): readonly NewNotification[] {
  return runs.flatMap(({ billing, run }) => dueEntries(billing.account, run, now));
}

/**
 * Sets the charged-through dates that the charges of a run alone do not tell, once all of it is stored (§8.5): where it
 * commits a draft, or bills a part in front of days that stay billed.
 */
export async function resetChargedBefore(
  session: WriteSession,
  invoiced: readonly EvaluatedRun[],
): Promise<void> {
  const drafts = invoiced.filter((each) => !isNew(each));
  await resetChargedThrough(session, chargedBefore(invoiced.filter(isNew)));
  await resetChargedThrough(
    session,
    chargedBefore(drafts),
    drafts.flatMap(({ run }) => run.invoice.draft?.items ?? []),
  );
}

function chargedBefore(invoiced: readonly EvaluatedRun[]): ReadonlyMap<Uuid, Account> {
  return new Map(
    invoiced.flatMap(({ billing, run }) =>
      [...run.chargedBefore].map((id) => [id, billing.account] as const),
    ),
  );
}

/** The others. The instant of a charged-through date is its `toInstant` (§8.5, subscriptions §2 rule 2). */
export function chargedThrough(invoiced: readonly EvaluatedRun[]): readonly ChargedThroughChange[] {
  return invoiced.flatMap(({ billing, run }) => {
    const instants = new Map<LocalDate, DatedInstant>();
    const instantOf = (date: LocalDate): DatedInstant => {
      const at = instants.get(date) ?? atReferenceTime(date, billing.account);
      instants.set(date, at);
      return at;
    };
    return [...run.chargedThrough]
      .filter(([subscriptionId]) => !run.chargedBefore.has(subscriptionId))
      .map(([subscriptionId, date]) => ({ subscriptionId, chargedThrough: instantOf(date) }));
  });
}
