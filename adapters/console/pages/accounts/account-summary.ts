import { api, may, type ResultOf } from '../../core/index.ts';
import { texts } from '../../texts.ts';
import type { Account } from './account-form.ts';

/** What the header and the figures of an account need. */
export interface AccountSummary {
  readonly account: Account;
  readonly balance: ResultOf<'accounts', 'balances'> extends ReadonlyMap<unknown, infer B> ? B : never;
  readonly overdue: ResultOf<'overdue', 'explain'>;
  readonly tags: ResultOf<'tags', 'ofObject'>;
  /** Null if no invoice is foreseen; undefined if the user may not foresee invoices. */
  readonly next: ResultOf<'invoices', 'dryRun'> | undefined;
}

export async function summaryOf(id: string): Promise<AccountSummary> {
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
  return { account, balance, overdue, tags, next };
}

/** Returns true if the account gets no invoices, for example because it is suspended. */
export function isNotInvoiced({ overdue }: AccountSummary): boolean {
  return overdue.controlTags.includes('AUTO_INVOICING_OFF');
}
