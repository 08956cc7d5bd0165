import type { WriteSession } from '../../ports/storage/index.ts';
import type { Invoice } from '../../records/index.ts';
import { InvariantError } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

/** Takes the numbers of new invoices, in their order, except for those that have been imposed (§1.6 rule 1). */
export async function numbersFor(
  session: WriteSession,
  invoices: readonly Pick<Invoice, 'id'>[],
  imposed: ReadonlyMap<Uuid, number>,
): Promise<(id: Uuid) => number> {
  const counted = invoices.filter(({ id }) => !imposed.has(id));
  const first = counted.length === 0 ? 0 : await session.invoices.takeInvoiceNumbers(counted.length);
  const numbers = new Map([...imposed, ...counted.map(({ id }, index) => [id, first + index] as const)]);
  return (id) => {
    const number = numbers.get(id);
    if (number !== undefined) return number;
    throw new InvariantError(`Invoice ${id} has no number`);
  };
}
