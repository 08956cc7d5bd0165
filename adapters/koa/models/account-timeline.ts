import type { TimelineOutline as Timeline } from '../../../lib/timeline/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { stringifyExactJson } from '../../../lib/values/money/index.ts';
import type { Dialect } from '../dialect.ts';
import { JsonText, lazyList } from '../response/json-pieces.ts';
import { field, model } from '../wire/model.ts';
import { listOf } from '../wire/wire-type.ts';
import { Account, accountJson } from './account.ts';
import { auditedIdsOfInvoice, Invoice, invoiceItemJson, invoiceJson } from './invoice.ts';
import { auditedIdsOfPayment, InvoicePayment, invoicePaymentJson } from './payment.ts';
import { type AuditByRecord, Bundle, bundleJson } from './subscription.ts';

export const AccountTimeline = model('AccountTimeline', {
  account: field(Account, 'R'),
  bundles: field(listOf(Bundle), 'R'),
  invoices: field(listOf(Invoice), 'R'),
  payments: field(listOf(InvoicePayment), 'R'),
});

export function auditedIdsOfTimeline(timeline: Timeline): readonly Uuid[] {
  return [
    timeline.account.id,
    ...timeline.bundles.recordIds,
    ...timeline.invoices.flatMap(auditedIdsOfInvoice),
    ...timeline.payments.flatMap(auditedIdsOfPayment),
  ];
}

/** Every invoice carries the same list of credits (accounts §10). */
export function timelineJson(
  timeline: Timeline,
  rendering: { readonly dialect: Dialect; readonly audit: AuditByRecord },
) {
  const { account, bundles, invoices, payments } = timeline;
  const { audit } = rendering;
  const credits = timeline.credits.map(
    (item) => new JsonText(stringifyExactJson(invoiceItemJson(item, rendering))),
  );
  return {
    account: accountJson(account, { accountBalance: null, accountCBA: null }, audit.get(account.id)),
    bundles: lazyList(bundles.outlines, (bundle) => bundleJson(bundle, rendering)),
    invoices: lazyList(invoices, (invoice) => ({
      ...invoiceJson(invoice, rendering),
      bundleKeys: invoice.bundleKeys.join(','),
      credits,
    })),
    payments: lazyList(payments, (payment) => invoicePaymentJson(payment, audit)),
  };
}
