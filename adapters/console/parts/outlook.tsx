import { api } from '../core/data.ts';
import { day, instant } from '../core/format.ts';
import { href } from '../core/location.ts';
import { texts } from '../texts.ts';
import { Load, Sentences } from './layout.tsx';

const t = texts.unpaid;
const FORECAST_DAYS = 90;

interface OutlookProps {
  readonly accountId: string;
  /** The invoice of the parent that contains the invoice on the page. */
  readonly parentInvoiceId?: string | null;
}

/** The overdue state of an account now, what holds its payments, and the states ahead if nobody pays. */
export function Outlook({ accountId, parentInvoiceId = null }: OutlookProps) {
  return (
    <Load from={() => loadOutlook(accountId)}>
      {(outlook) => {
        const { payingAccountId, controlTags } = outlook.now;
        const parent = (
          <>
            {t.parentPays} <a href={href('/accounts', payingAccountId)}>{t.parentAccount}</a>{' '}
            {parentInvoiceId !== null && <a href={href('/invoices', parentInvoiceId)}>{t.parentInvoice}</a>}
          </>
        );
        const holds = controlTags.filter((tag) => tag === 'AUTO_PAY_OFF' || tag === 'MANUAL_PAY').map(t.held);
        const isOfParent = payingAccountId !== accountId;
        return <Sentences of={[...holds, ...statesOf(outlook), ...(isOfParent ? [parent] : [])]} />;
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
  const since = now.since === null ? '' : (instant(now.since).split(',')[0] ?? '');
  const current = state.isClearState ? t.notOverdue : t.overdue(state.name, since, state.externalMessage);
  const steps = ahead.steps.map((step) =>
    step.state.isClearState
      ? t.stepClear(day(step.date))
      : t.step(day(step.date), step.state.name, step.state.externalMessage),
  );
  return [current, ...(steps.length > 0 ? steps : [t.noSteps(FORECAST_DAYS)])];
}
