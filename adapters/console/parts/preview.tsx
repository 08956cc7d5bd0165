import type { ComponentChildren } from 'preact';
import { type Account, api, type InvoiceItem, may, type ResultOf } from '../core/data.ts';
import { day, label, money } from '../core/format.ts';
import { texts } from '../texts.ts';

const t = texts.preview;

/** An invoice that does not exist yet, with explained items. */
type ForeseenInvoice = NonNullable<ResultOf<'invoices', 'dryRun'>>;

type NamedItem = Pick<
  InvoiceItem,
  'itemType' | 'description' | 'planName' | 'prettyPlanName' | 'usageName' | 'prettyUsageName'
>;

/** Returns what a line is for, in the words of the catalog if it has some. */
export function itemName(item: NamedItem): string {
  const plan = item.prettyPlanName ?? item.planName;
  const usage = item.prettyUsageName ?? item.usageName;
  const isOfPlan = item.itemType === 'RECURRING' || item.itemType === 'FIXED';
  if (plan !== null && item.itemType === 'USAGE') return `${plan}: ${usage ?? ''}`;
  if (plan !== null && isOfPlan) return plan;
  return item.description ?? label(item.itemType);
}

/** Explained items of an invoice that does not exist yet, with the amount that remains to be paid. */
export function InvoicePreview({ invoice }: { readonly invoice: ForeseenInvoice }) {
  return (
    <>
      <ul class="items">
        {invoice.items.map((item) => (
          <li key={item.id}>
            <div class="item">
              <span>{itemName(item)}</span>
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
      <p class="item total">
        <span>{t.toPay}</span>
        <span class="number">{money(invoice.balance, invoice.currency)}</span>
      </p>
    </>
  );
}

function periodOf({ startDate, endDate, quantity }: ForeseenInvoice['items'][number]): string {
  const isPeriod = endDate !== null && endDate !== startDate;
  const period = isPeriod ? t.period(day(startDate), day(endDate)) : day(startDate);
  return quantity === null || String(quantity) === '1' ? period : `${period} · × ${quantity}`;
}

export type PreviewRequest = Parameters<ReturnType<typeof api>['subscriptions']['preview']>[0];

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
