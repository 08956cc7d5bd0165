import type { IdGenerator } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import { type Account, EXTERNAL_PAYMENT_PLUGIN } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

/** The account's method for cheques, cash and transfers; made where there is none, never as the default (§9.6 rule 1). */
export async function externalMethodOf(
  session: WriteSession,
  account: Account,
  ids: IdGenerator,
): Promise<Uuid> {
  const methods = await session.payments.findMethodsByAccounts([account.id], { includeDeleted: false });
  const known = methods.find(({ pluginName }) => pluginName === EXTERNAL_PAYMENT_PLUGIN);
  if (known) return known.id;
  const id = ids.next();
  await session.payments.insertMethods([
    {
      id,
      externalKey: id,
      accountId: account.id,
      accountRecordId: account.recordId,
      pluginName: EXTERNAL_PAYMENT_PLUGIN,
      isActive: true,
      createdDate: session.authorship.createdDate,
    },
  ]);
  return id;
}
