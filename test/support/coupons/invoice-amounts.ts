import type { Uuid } from '../../../lib/index.ts';
import type { TestEngine } from '../index.ts';

/** Returns the target date and the amounts of each invoice, such as `01-01 24`, without account credit. */
export async function invoiceAmounts(engine: TestEngine, accountId: Uuid): Promise<readonly string[]> {
  return (await engine.invoicesOf(accountId)).map(
    ({ targetDate, items }) =>
      `${targetDate?.slice(5)} ${items
        .filter(({ itemType }) => itemType !== 'CBA_ADJ')
        .map(({ amount }) => amount.toFixed())
        .join(' ')}`,
  );
}
