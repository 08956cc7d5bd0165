import type { Account } from '../accounts/model.ts';
import type { IdGenerator } from '../ports/identity.ts';
import type { WriteSession } from '../ports/storage/index.ts';
import { atReferenceTime } from '../subscriptions/requested-date.ts';
import { localDateOf } from '../time/index.ts';
import { changeInvoices } from './change-invoices.ts';
import { chargedThroughDates } from './charged-through-date.ts';
import { withoutLowering } from './committed-through.ts';
import type { Draft } from './draft.ts';
import { InvoiceStatus } from './model.ts';

/**
 * Commits the draft of a locked account: it is owed from now on, takes part in the account's credit and moves the
 * charged-through dates (invoicing.md §9 rule 10).
 */
export async function commitDraft(
  session: WriteSession,
  { account, draft }: { readonly account: Account; readonly draft: Draft },
  ids: IdGenerator,
): Promise<void> {
  const { invoice: before, items } = draft;
  const commitDate = localDateOf(session.authorship.createdDate, account.timeZone);
  const after = { ...before, status: InvoiceStatus.COMMITTED, commitDate };
  await session.invoices.setStanding([after]);
  const dates = await withoutLowering(session, chargedThroughDates(items));
  await session.subscriptions.setChargedThrough(
    [...dates].map(([subscriptionId, date]) => ({
      subscriptionId,
      chargedThrough: atReferenceTime(date, account),
    })),
  );
  await changeInvoices(session, { changes: [{ before, after, allItems: items }], accounts: [account] }, ids);
}
