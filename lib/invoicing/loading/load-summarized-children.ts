import type { ReadSession } from '../../ports/storage/index.ts';
import type { Invoice, InvoiceItem } from '../../records/index.ts';
import type { NumberPattern } from '../../tenants/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

import type { SummarizedChild } from '../documents/line-names.ts';
import { formattedNumber } from '../invoices/invoice-view.ts';

const NO_CHILDREN: ReadonlyMap<Uuid, SummarizedChild> = new Map();

/**
 * Loads the names and invoice numbers of the children that the items of a summary charge, by account (§14 rule 4).
 * Executes no statement if no item charges a child.
 */
export async function loadSummarizedChildren(
  session: ReadSession,
  {
    summary,
    items,
    patterns,
  }: {
    readonly summary: Invoice;
    readonly items: readonly InvoiceItem[];
    readonly patterns: readonly NumberPattern[];
  },
): Promise<ReadonlyMap<Uuid, SummarizedChild>> {
  const childIds = [...new Set(items.flatMap(({ childAccountId }) => childAccountId ?? []))];
  if (childIds.length === 0) return NO_CHILDREN;
  const [accounts, linked] = await Promise.all([
    session.accounts.findByIds(childIds),
    session.invoices.findLinked([summary.id]),
  ]);
  const contributing = linked
    .filter(({ status, contributedAmount }) => status === 'COMMITTED' && contributedAmount !== null)
    .toSorted((one, other) => one.invoiceNumber - other.invoiceNumber);
  const invoicesOf = Map.groupBy(contributing, ({ accountId }) => accountId);
  return new Map(
    accounts.map(({ id, legalName, name, externalKey }) => [
      id,
      {
        name: [legalName, name].find((each) => each !== null && each.trim() !== '') ?? externalKey,
        invoiceNumbers: (invoicesOf.get(id) ?? []).map(
          ({ invoiceNumber, invoiceDate }) =>
            formattedNumber(invoiceNumber, invoiceDate, patterns) ?? String(invoiceNumber),
        ),
      },
    ]),
  );
}
