import type { ComponentChildren } from 'preact';
import { type Account, api, type InvoiceItem, may, type ResultOf } from '../core/data.ts';
import { day, instant, label, money, periodText } from '../core/format.ts';
import { href } from '../core/location.ts';
import { texts } from '../texts.ts';
import { Load } from './layout.tsx';
import { Sentences } from './values.tsx';

const t = texts.unpaid;

const FORECAST_DAYS = 90;

/** The overdue state of an account now, what holds its payments, and the states ahead if nobody pays. */
export function Outlook({ accountId }: { readonly accountId: string }) {
  return (
    <Load from={() => loadOutlook(accountId)}>
      {(outlook) => {
        const { payingAccountId: payer, controlTags } = outlook.now;
        const holds = controlTags.filter((tag) => tag === 'AUTO_PAY_OFF' || tag === 'MANUAL_PAY').map(t.held);
        const parent = payer !== accountId && <a href={href('/accounts', payer)}>{t.parentPays}</a>;
        return <Sentences of={[...holds, ...statesOf(outlook), ...(parent ? [parent] : [])]} />;
      }}
    </Load>
  );
}

/** Today is the day of the server. */
async function loadOutlook(accountId: string) {
  const now = await api().overdue.explain(accountId);
  const last = new Date(Date.parse(now.date) + FORECAST_DAYS * 86_400_000);
  return { now, ahead: await api().overdue.preview(accountId, last.toISOString().slice(0, 10)) };
}

/** Returns the current state and the states ahead in sentences. */
function statesOf({ now, ahead }: Awaited<ReturnType<typeof loadOutlook>>): readonly string[] {
  if (now.exemptBy !== null) return [t.exempt];
  const { state } = now;
  const since = now.since === null ? '' : instant(now.since);
  const current = state.isClearState ? t.notOverdue : t.overdue(state.name, since, state.externalMessage);
  const steps = ahead.steps.map((step) =>
    step.state.isClearState
      ? t.stepClear(day(step.date))
      : t.step(day(step.date), step.state.name, step.state.externalMessage),
  );
  return [current, ...(steps.length > 0 ? steps : [t.noSteps(FORECAST_DAYS)])];
}

/** An invoice that does not exist yet, with explained items. */
type ForeseenInvoice = NonNullable<ResultOf<'invoices', 'dryRun'>>;

type NamedItem = Pick<
  InvoiceItem,
  'itemType' | 'description' | 'planName' | 'prettyPlanName' | 'usageName' | 'prettyUsageName'
>;

/** Returns the description of a line, with the catalog's names if the catalog contains them. */
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
                <summary>{texts.preview.why}</summary>
                <p>{item.explanation.text}</p>
              </details>
            )}
          </li>
        ))}
      </ul>
      <p class="item">
        <span>{texts.preview.toPay}</span>
        <span class="number">{money(invoice.balance, invoice.currency)}</span>
      </p>
    </>
  );
}

function periodOf({ startDate, endDate, quantity }: ForeseenInvoice['items'][number]): string {
  const period = periodText(startDate, endDate);
  return quantity === null || String(quantity) === '1' ? period : `${period} · × ${quantity}`;
}

export type PreviewRequest = Parameters<ReturnType<typeof api>['subscriptions']['preview']>[0];

/** Loads the effect of a change on invoices. A user who may not foresee invoices sees none. */
export async function previewOf(account: Account, request: PreviewRequest): Promise<ComponentChildren> {
  if (!may('invoice:dry_run')) return texts.preview.mayNotForesee;
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
      <p>{texts.preview.effective(day(effective.date))}</p>
      <h4>{texts.preview.now}</h4>
      {dueNow === null ? <p>{texts.preview.nothingNow}</p> : <InvoicePreview invoice={dueNow} />}
      {!credit.isZero() && <p>{texts.preview.credit(money(credit, props.currency))}</p>}
      <h4>{next === null ? texts.preview.next : texts.preview.nextOn(day(next.targetDate))}</h4>
      {next === null ? <p>{texts.preview.noNext}</p> : <InvoicePreview invoice={next} />}
    </>
  );
}
