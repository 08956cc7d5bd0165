import { api, may } from '../../core/data.ts';
import { texts } from '../../texts.ts';

/** An account with what it owes and what comes next. */
export type AccountSummary = Awaited<ReturnType<typeof loadSummary>>;

export async function loadSummary(id: string) {
  const foreseen = { accountId: id, dryRunType: 'UPCOMING_INVOICE', explain: true } as const;
  const [account, balances, overdue, tags, next] = await Promise.all([
    api().accounts.get(id),
    api().accounts.balances([id]),
    api().overdue.explain(id),
    api().tags.ofObject({ type: 'ACCOUNT', id }),
    may('invoice:dry_run') ? api().invoices.dryRun(foreseen) : undefined,
  ]);
  const [balance] = balances.values();
  if (balance === undefined) throw new Error(texts.account.noBalance);
  // A suspended account, for example, gets no invoices.
  const isInvoiced = !overdue.controlTags.includes('AUTO_INVOICING_OFF');
  return {
    account,
    balance,
    overdue,
    tags,
    /** Null if no invoice is foreseen; undefined if the user may not foresee invoices. */
    next: isInvoiced || next === undefined ? next : null,
    isInvoiced,
  };
}
