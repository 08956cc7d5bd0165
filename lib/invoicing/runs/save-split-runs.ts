import type { IdGenerator } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import type { InvoiceItem } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { changeInvoices } from '../changes/change-invoices.ts';
import { type ChangedInvoice, withItems } from '../credit/changed-invoice.ts';
import { reusedDraft } from '../evaluation/invoice-after-run.ts';
import { emptyInvoice } from '../invoices/new-invoice.ts';
import type { SplitRun } from './decide-runs.ts';
import { resetChargedBefore, saveRunFacts } from './run-facts.ts';

/**
 * Saves runs that become several invoices, or change others, in the session's transaction: their credit is applied over all
 * of these invoices in order (§8.2 steps 12 and 13). A constant number of statements.
 * @returns the ids of the new invoices, or of the reused draft, by account.
 */
export async function saveSplitRuns(
  session: WriteSession,
  runs: readonly SplitRun[],
  { ids, numbers }: { readonly ids: IdGenerator; readonly numbers: ReadonlyMap<Uuid, number> },
): Promise<ReadonlyMap<Uuid, readonly Uuid[]>> {
  if (runs.length === 0) return new Map();
  await saveRunFacts(session, runs);
  await session.invoices.rewriteItems(runs.flatMap(({ rewritten }) => rewritten));
  await session.invoices.setRepairable(runs.flatMap(({ remains }) => remains));
  const changesOf = runs.map((run) => ({ run, own: ownChanges(run, session) }));
  const reused = changesOf.flatMap(({ own }) =>
    own.flatMap(({ before, after }) => (before === null ? [] : [{ ...before, ...after }])),
  );
  await session.invoices.setStanding(reused);
  await session.invoices.setLinks(reused.filter(({ contributedAmount }) => contributedAmount !== null));
  await changeInvoices(
    session,
    {
      changes: changesOf.flatMap(({ run, own }) => [...own, ...run.elsewhere]),
      maxTargetDates: new Map(runs.map(({ billing, run }) => [billing.account.id, run.state.maxTargetDate])),
      numbers,
    },
    ids,
  );
  await resetChargedBefore(session, runs);
  return new Map(runs.map(({ billing, invoices }) => [billing.account.id, invoices.map(({ id }) => id)]));
}

/** The invoices that the run makes, all of one group; or the draft that it adds to. */
function ownChanges(split: SplitRun, session: WriteSession): readonly ChangedInvoice[] {
  const { billing, run, invoices, rewritten, remains } = split;
  const now = session.authorship.createdDate;
  const { account, targetDate } = billing;
  const { status, draft } = run.invoice;
  const [first] = invoices;
  if (draft !== null) {
    const changed = new Map<Uuid, Partial<InvoiceItem>>(remains.map((left) => [left.id, left]));
    for (const item of rewritten) changed.set(item.id, item);
    const existing = draft.items.map((item) => ({ ...item, ...changed.get(item.id) }));
    const newItems = first?.items ?? [];
    const { invoice } = reusedDraft(draft, { account, targetDate, run, now });
    return [{ before: draft.invoice, after: invoice, newItems, allItems: [...existing, ...newItems] }];
  }
  return invoices.map(({ id, items }) => {
    const empty = emptyInvoice({ id, account, targetDate, status, now });
    return withItems({ ...empty, groupId: first?.id ?? id }, items);
  });
}
