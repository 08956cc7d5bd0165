import type { IdGenerator } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import type { Account } from '../../records/index.ts';
import type { NumberedChange } from '../consulting/invoice-operation.ts';
import { changeInvoices } from './change-invoices.ts';

/** Stores the items of an operation and of the plugins that were asked about it; the account is locked. */
export async function saveDecided(
  session: WriteSession,
  { changes, rewritten, remains, numbers }: NumberedChange,
  { account, ids }: { readonly account: Account; readonly ids: IdGenerator },
): Promise<void> {
  await session.invoices.rewriteItems(rewritten);
  await session.invoices.setRepairable(remains);
  await changeInvoices(session, { changes, accounts: [account], numbers }, ids);
}
