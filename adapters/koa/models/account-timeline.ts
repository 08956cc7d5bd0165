import type { TimelineOutline as Timeline } from '../../../lib/timeline/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { stringifyExactJson } from '../../../lib/values/money/index.ts';
import { JsonText, LazyList, lazyList } from '../wire/json-pieces.ts';
import { derivedField, model } from '../wire/model.ts';
import { listOf, type Rendering } from '../wire/wire-type.ts';
import { Account, type ShownAccount } from './account.ts';
import { auditedIdsOfInvoice, Invoice, InvoiceItem } from './invoice.ts';
import { auditedIdsOfPayment, InvoicePayment } from './payment.ts';
import { Bundle } from './subscription.ts';

export const AccountTimeline = model('AccountTimeline', {
  account: derivedField(
    Account,
    ({ account }: Timeline): ShownAccount => ({ ...account, accountBalance: null, accountCBA: null }),
  ),
  bundles: derivedField(listOf(Bundle), ({ bundles }: Timeline, rendering) =>
    lazyList(bundles.outlines, (bundle) => Bundle.write(bundle, rendering)),
  ),
  invoices: derivedField(listOf(Invoice), invoicesOf),
  payments: derivedField(listOf(InvoicePayment), ({ payments }: Timeline, rendering) =>
    lazyList(payments, (payment) => InvoicePayment.write(payment, rendering)),
  ),
});

export function auditedIdsOfTimeline(timeline: Timeline): readonly Uuid[] {
  return [
    timeline.account.id,
    ...timeline.bundles.recordIds,
    ...timeline.invoices.flatMap(auditedIdsOfInvoice),
    ...timeline.payments.flatMap(auditedIdsOfPayment),
  ];
}

/** Returns the invoices of a timeline. Each invoice contains the same list of credits (accounts §10). */
function invoicesOf({ invoices, credits }: Timeline, rendering: Rendering): LazyList<unknown> {
  const texts = credits.map((item) => new JsonText(stringifyExactJson(InvoiceItem.write(item, rendering))));
  return lazyList(invoices, ({ bundleKeys, ...invoice }) => {
    const shown = { ...invoice, bundleKeys: bundleKeys.join(','), credits: new LazyList(() => texts) };
    return Invoice.write(shown, rendering);
  });
}
