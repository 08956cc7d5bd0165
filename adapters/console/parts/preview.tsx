import type { ComponentChildren } from 'preact';
import { type Account, api, may, type ResultOf } from '../core/data.ts';
import { day, money, words } from '../core/format.ts';
import { texts } from '../texts.ts';

const t = texts.preview;

/** An invoice that does not exist yet, with explained items. */
export type ForeseenInvoice = NonNullable<ResultOf<'invoices', 'dryRun'>>;

type ForeseenItem = ForeseenInvoice['items'][number];

/** Items of an invoice with their periods and amounts, each with the sentences that explain its amount. */
export function ExplainedItems(props: { readonly items: readonly ForeseenItem[] }) {
  return (
    <ul class="items">
      {props.items.map((item) => (
        <li key={item.id}>
          <div class="item">
            <span>{nameOf(item)}</span>
            <span class="number">{money(item.amount, item.currency)}</span>
          </div>
          <small>{periodOf(item)}</small>
          {item.explanation !== undefined && (
            <details>
              <summary>{t.why}</summary>
              <p>{item.explanation.text}</p>
            </details>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Items of an invoice that does not exist yet, with the amount that remains to be paid. */
export function InvoicePreview({ invoice }: { readonly invoice: ForeseenInvoice }) {
  return (
    <>
      <ExplainedItems items={invoice.items} />
      <p class="item total">
        <span>{t.toPay}</span>
        <span class="number">{money(invoice.balance, invoice.currency)}</span>
      </p>
    </>
  );
}

type PreviewRequest = Parameters<ReturnType<typeof api>['subscriptions']['preview']>[0];

/** Loads the effect of a change on invoices. A user who may not foresee invoices sees none. */
export async function previewOf(account: Account, request: PreviewRequest): Promise<ComponentChildren> {
  if (!may('invoice:dry_run')) return t.mayNotForesee;
  return <ChangePreview of={await api().subscriptions.preview(request)} currency={account.currency} />;
}

/** The effect of a subscription change on invoices: what is due now, the next invoice, and credit. */
function ChangePreview(props: {
  readonly of: ResultOf<'subscriptions', 'preview'>;
  readonly currency: string | null;
}) {
  const { effective, dueNow, next, credit } = props.of;
  return (
    <>
      <p>{t.effective(day(effective.date))}</p>
      <h4>{t.now}</h4>
      {dueNow === null ? <p>{t.nothingNow}</p> : <InvoicePreview invoice={dueNow} />}
      {!credit.isZero() && <p>{t.credit(money(credit, props.currency))}</p>}
      <h4>{next === null ? t.next : t.nextOn(day(next.targetDate))}</h4>
      {next === null ? <p>{t.noNext}</p> : <InvoicePreview invoice={next} />}
    </>
  );
}

function nameOf(item: ForeseenItem): string {
  const { itemType, prettyPlanName, prettyUsageName, description } = item;
  const plan = prettyPlanName ?? description ?? words(itemType);
  if (itemType === 'USAGE') return t.usage(plan, prettyUsageName ?? '');
  return itemType === 'RECURRING' || itemType === 'FIXED' ? plan : (description ?? words(itemType));
}

function periodOf({ startDate, endDate, quantity }: ForeseenItem): string {
  const isPeriod = endDate !== null && endDate !== startDate;
  const period = isPeriod ? t.period(day(startDate), day(endDate)) : day(startDate);
  return quantity === null || String(quantity) === '1' ? period : `${period} · × ${quantity}`;
}
