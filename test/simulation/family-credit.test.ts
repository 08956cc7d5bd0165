import { BillingError, formatDecimal, instant, sum, type Uuid } from '../../lib/index.ts';
import { anyDatabase, expect, isLongRun, seed } from '../support/index.ts';
import { Family } from '../support/invoicing/family.ts';
import type { InvoiceView } from '../support/plain-views.ts';
import { Random } from './random.ts';

const LIVES = isLongRun ? 300 : 5;
const STEPS = 40;
const DAY_MS = 86_400_000;

interface Counted extends InvoiceView {
  /** The items without account credit, less repairs on other invoices. */
  readonly inForce: string;
}

anyDatabase.describe('random histories of a child whose parent pays', (open) => {
  let lowered = 0;

  it('never turn an unpaid debt into credit, because repairs reduce the debt (invoicing §10 rule 8)', async () => {
    for (let index = 0; index < LIVES; index += 1) {
      const family = await Family.begin(open, '2024-01-05T10:00:00Z');
      try {
        await live(family, seed + index);
        expect(await Array.fromAsync(family.engine.billing.checks.breaches())).to.eql([]);
      } finally {
        await family.engine.close();
      }
    }
    expect(lowered, 'summaries were lowered').to.be.greaterThan(0);
  }).timeout(0);

  async function live(family: Family, mark: number): Promise<void> {
    const random = new Random(mark);
    const { engine } = family;
    const { id: other } = await engine.payingAccount({ currency: 'USD' });
    const running: Uuid[] = [];
    const bundles: Uuid[] = [];
    const done: string[] = [];
    const { acme } = engine;
    const summaries = async () =>
      (await Promise.all([family.parent, other].map((id) => family.invoicesOf(id))))
        .flat()
        .filter(({ isParentInvoice, status }) => isParentInvoice && status === 'COMMITTED');
    const pick = <T>(choices: readonly T[]) => (choices.length === 0 ? undefined : random.of(choices));
    const amount = (): string => (random.within(1, 3_000) / 100).toFixed(2);
    const steps = {
      time: async () => engine.clock.set(instant(engine.clock.now() + random.within(1, 12) * DAY_MS)),
      subscribe: async () => {
        const made = await family.subscribe(random.within(1, 3));
        running.push(made.subscriptionId);
        bundles.push(made.bundleId);
      },
      cancel: async () => {
        const id = pick(running);
        if (id === undefined) return;
        running.splice(running.indexOf(id), 1);
        await family.cancel(id);
      },
      change: async () => {
        const id = pick(running);
        if (id !== undefined) await family.changeQuantity(id, random.within(1, 4));
      },
      pause: async () => {
        const id = pick(bundles);
        if (id !== undefined) await acme.blocking.pauseBundle(id);
      },
      resume: async () => {
        const id = pick(bundles);
        if (id !== undefined) await acme.blocking.resumeBundle(id);
      },
      charge: () => family.add('addCharges', family.child, amount()),
      credit: () => family.add('addCredits', family.child, amount()),
      adjust: async () => {
        const charged = (await family.invoicesOf(family.child)).filter(({ items }) =>
          items[0]?.repairable.greaterThan(0.01),
        );
        const invoice = pick(charged);
        const left = invoice?.items[0]?.repairable;
        if (invoice !== undefined && left !== undefined)
          await family.adjust(invoice, random.percent(50) ? undefined : left.div(2).toFixed(2));
      },
      hold: () => family.holdPayments(random.percent(70)),
      writeOff: async () => {
        const summary = pick(await summaries());
        if (summary) await family.writeOff(summary.id, !summary.isWrittenOff);
      },
      void: async () => {
        const summary = pick(await summaries());
        if (summary) await acme.invoices.void(summary.id);
      },
      move: () => family.moveTo(random.of([family.parent, other, null])),
    } satisfies Record<string, () => unknown>;
    const names: readonly (keyof typeof steps)[] = [
      ...(['time', 'time', 'time', 'subscribe', 'subscribe', 'cancel', 'change', 'change'] as const),
      ...(['pause', 'resume', 'charge', 'credit', 'adjust', 'hold', 'writeOff', 'void', 'move'] as const),
    ];
    for (let step = 0; step < STEPS; step += 1) {
      const name = step === 0 ? 'subscribe' : random.of(names);
      done.push(name);
      try {
        await steps[name]();
      } catch (error) {
        // A rejected step changes nothing.
        if (!(error instanceof BillingError)) throw error;
      }
      if (random.percent(80)) await audit(family, other, `life ${mark}: ${done.join(', ')}`);
    }
    lowered += (await summaries()).filter(({ items }) =>
      items.some(({ itemType }) => itemType === 'ITEM_ADJ'),
    ).length;
  }

  async function audit(family: Family, other: Uuid, story: string): Promise<void> {
    const { engine } = family;
    await engine.settle();
    const of = async (id: Uuid) => (await family.invoicesOf(id)).filter(({ status }) => status !== 'VOID');
    const bills = counted(await of(family.child));
    const sums = (await Promise.all([family.parent, other].map(of)))
      .flat()
      .filter(({ isParentInvoice }) => isParentInvoice);
    const summaryOf = new Map(sums.map((summary) => [summary.id, summary]));
    const linkOf = ({ parentInvoiceId }: InvoiceView) =>
      parentInvoiceId === null ? undefined : summaryOf.get(parentInvoiceId);
    const accounts = [family.parent, other, family.child];
    const found = await engine.acme.accounts.balances(accounts);
    const credit = sum(accounts.flatMap((id) => found.get(id)?.accountCBA ?? []));
    const own = bills.filter((bill) => linkOf(bill) === undefined);
    const paid = sum([...sums, ...own].map(({ items, rawBalance }) => total(items).minus(rawBalance)));
    const given = sum(bills.flatMap(({ items }) => items.filter(isGift).map((item) => item.amount)));
    const owed = sum([...sums, ...own].map(({ rawBalance }) => rawBalance)).minus(credit);
    const billed = sum(bills.map(({ items }) => total(items.filter((item) => !isCredit(item)))));
    expect(formatDecimal(owed), `what is owed and credited, ${story}`).to.equal(
      formatDecimal(billed.minus(paid)),
    );
    expect(credit.lessThanOrEqualTo(paid.minus(given)), `credit ${credit.toFixed()}, ${story}`).to.equal(
      true,
    );
    for (const bill of bills) {
      const summary = linkOf(bill);
      const isPaid = summary?.status === 'COMMITTED' && !summary.rawBalance.greaterThan(0);
      if (bill.parentInvoiceId === null || isPaid) continue;
      const { inForce, rawBalance } = bill;
      expect(
        rawBalance.lessThanOrEqualTo(inForce),
        `${rawBalance.toFixed()} of ${inForce} in force, ${story}`,
      ).to.equal(true);
    }
  }
});

type Item = InvoiceView['items'][number];

function counted(bills: readonly InvoiceView[]): readonly Counted[] {
  const repairs = bills.flatMap(({ items }) => items.filter(({ itemType }) => itemType === 'REPAIR_ADJ'));
  return bills.map((bill) => {
    const own = new Set(bill.items.map(({ id }) => id));
    const elsewhere = repairs.filter(
      ({ id, linkedItemId }) => !own.has(id) && linkedItemId !== null && own.has(linkedItemId),
    );
    const charges = bill.items.filter((item) => !isCredit(item) && item.itemType !== 'REPAIR_ADJ');
    const inForce = total(charges).plus(total(elsewhere));
    return { ...bill, inForce: inForce.isNegative() ? '0' : inForce.toFixed() };
  });
}

function total(items: readonly Item[]) {
  return sum(items.map(({ amount }) => amount));
}

function isCredit({ itemType }: Item): boolean {
  return itemType === 'CBA_ADJ';
}

function isGift({ itemType }: Item): boolean {
  return itemType === 'CREDIT_ADJ';
}
