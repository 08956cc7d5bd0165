import { BillingError, ErrorCode, formatDecimal, parseLocalDate, type Uuid } from '../../lib/index.ts';
import type { InvoiceView } from '../support/plain-views.ts';
import { readBooks } from './books.ts';
import type { Evidence } from './invariant.ts';
import type { Foreseen, Observations } from './observations.ts';
import type { Customer, Town } from './town.ts';

const DAY_MS = 86_400_000;
/** Later due dates are skipped. */
const DAYS_AHEAD = 40;

/** Reads the books, repeats the last runs, performs the runs that dry runs predicted, and reads the books again. */
export async function gather(town: Town, sampled: number): Promise<Evidence> {
  const { engine } = town;
  const earlier = await readBooks(engine.database, engine.clock.now());
  const sample = town.customers.filter(
    (_, index) => index % Math.ceil(town.customers.length / sampled) === 0,
  );
  const changedByRepetition = await repeated(town);
  const foreseen = await foresee(town, sample);
  const states = await statesOf(town);
  const books = await readBooks(engine.database, engine.clock.now());
  const observed: Observations = {
    states,
    coverageDifferences: await coverageDifferences(town),
    foreseen,
    changedByRepetition,
  };
  return { books, earlier, observed };
}

/** Repeats the run of today, which may repair later days once. A second run must change nothing. */
async function repeated({ customers }: Town): Promise<readonly string[]> {
  const changed: string[] = [];
  for (const { shop, id } of customers) {
    await answerOf(shop.acme.generateInvoice({ accountId: id }));
    const made = await answerOf(shop.acme.generateInvoice({ accountId: id }));
    if (made !== null) changed.push(`account ${id} was invoiced again: ${linesOf(made).join(', ')}`);
  }
  return changed;
}

async function answerOf(run: Promise<InvoiceView>): Promise<InvoiceView | null> {
  try {
    return await run;
  } catch (error) {
    if (error instanceof BillingError && error.code === ErrorCode.INVOICE_NOTHING_TO_DO) return null;
    throw error;
  }
}

/** Predicts the next due run of each account, then moves the clock day by day past all of them. */
async function foresee(town: Town, sample: readonly Customer[]): Promise<readonly Foreseen[]> {
  const { engine } = town;
  const expected: Omit<Foreseen, 'run'>[] = [];
  const books = await readBooks(engine.database, engine.clock.now());
  const dueOf = Map.groupBy(
    books.queue_entries.filter(({ topic }) => topic === 'invoice-service:next-billing-date-queue'),
    ({ payload }) => (JSON.parse(payload ?? '{}') as { readonly accountId?: string }).accountId,
  );
  const end = engine.clock.now() + DAYS_AHEAD * DAY_MS;
  for (const { shop, id } of sample) {
    const [next] = (dueOf.get(id) ?? []).toSorted(
      (a, b) => Number(a.effective_date) - Number(b.effective_date),
    );
    if (next === undefined || Number(next.effective_date) > end - DAY_MS) continue;
    const { targetDate } = JSON.parse(next.payload ?? '{}') as { readonly targetDate: string };
    const foreseen = await shop.acme.invoices.dryRun({
      accountId: id,
      targetDate: parseLocalDate(targetDate),
    });
    expected.push({ accountId: id, date: targetDate, dryRun: foreseen === null ? [] : linesOf(foreseen) });
  }
  while (engine.clock.now() < end) {
    engine.clock.advance({ days: 1 });
    await engine.settle();
  }
  const known = new Set(books.invoices.map(({ record_id: recordId }) => recordId));
  const made: Foreseen[] = [];
  for (const each of expected) {
    const { shop } = sample.find(({ id }) => id === each.accountId) ?? {};
    const invoices =
      (await shop?.acme.invoices.ofAccount({ accountId: each.accountId as Uuid, withItems: true })) ?? [];
    const since = invoices.filter(
      ({ targetDate, recordId }) =>
        !known.has(String(recordId)) && targetDate !== null && targetDate === each.date,
    );
    made.push({ ...each, run: since.flatMap(linesOf) });
  }
  return made;
}

/** Without credit, which other invoices and payments move. */
function linesOf({ items }: InvoiceView): readonly string[] {
  return items
    .filter(({ itemType }) => itemType !== 'CBA_ADJ' && itemType !== 'ITEM_ADJ')
    .map(({ itemType, startDate, endDate, amount, planName }) => {
      const dates = [startDate, endDate].map((date) => (date === null ? '' : date)).join('..');
      return `${itemType} ${planName ?? ''} ${dates} ${formatDecimal(amount)}`;
    })
    .toSorted();
}

async function statesOf({ customers }: Town): Promise<ReadonlyMap<string, string>> {
  const states = new Map<string, string>();
  for (const { shop, id } of customers) {
    for (const { subscriptions } of await shop.acme.subscriptions.bundlesOfAccount(id))
      for (const { subscriptionId, state } of subscriptions) states.set(subscriptionId, state);
  }
  return states;
}

async function coverageDifferences({ customers }: Town): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { shop, id } of customers) {
    for (const { subscriptionId } of await shop.acme.invoices.verifyCoverage(id))
      found.push(
        `subscription ${subscriptionId} of account ${id} would be billed otherwise by its whole history`,
      );
  }
  return found;
}
