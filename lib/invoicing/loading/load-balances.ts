import type { ReadSession } from '../../ports/storage/index.ts';
import type { AccountBalance } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { accountBalanceOf } from '../invoices/delegated-balance.ts';

/**
 * Balances and credit of these accounts, with what their parents pay, in one statement; accounts without invoices are
 * left out.
 */
export async function loadBalances(
  session: ReadSession,
  accountIds: readonly Uuid[],
): Promise<readonly AccountBalance[]> {
  return (await session.invoices.loadBalances(accountIds)).map(accountBalanceOf);
}
