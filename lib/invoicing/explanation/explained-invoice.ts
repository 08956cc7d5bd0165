import { assertInvariant } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { InvoiceItemView, InvoiceView } from '../invoices/invoice-view.ts';
import type { ItemExplanation } from './explanation.ts';

export interface ExplainedInvoiceItem extends InvoiceItemView {
  readonly explanation: ItemExplanation;
}

/** An invoice whose items explain their amounts. */
export interface ExplainedInvoice extends Omit<InvoiceView, 'items'> {
  readonly items: readonly ExplainedInvoiceItem[];
}

/** A dry-run invoice whose items can explain their amounts. */
export interface ForeseenInvoice extends Omit<InvoiceView, 'items'> {
  readonly items: readonly (InvoiceItemView & { readonly explanation?: ItemExplanation })[];
}

export function withExplanations(
  invoice: InvoiceView,
  explanations: ReadonlyMap<Uuid, ItemExplanation>,
): ExplainedInvoice {
  const items = invoice.items.map((item) => {
    const explanation = explanations.get(item.id);
    assertInvariant(explanation, `Item ${item.id} has no explanation`);
    return { ...item, explanation };
  });
  return { ...invoice, items };
}
