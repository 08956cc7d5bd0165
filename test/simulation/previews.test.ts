import { expect } from 'chai';
import fc from 'fast-check';
import type { InvoicePlugin, LocalDate, PreviewRequest, Uuid } from '../../lib/index.ts';
import {
  addDays,
  decimal,
  formatDecimal,
  formatLocalDate,
  parseLocalDate,
  SystemTag,
} from '../../lib/index.ts';
import { sum } from '../../lib/values/money/index.ts';
import { expectExplained } from '../support/explained-amount.ts';
import { eachDatabase, isLongRun, openEngine, propertyRuns, type TestEngine } from '../support/index.ts';
import { type LifeChange, type PreviewLife, previewLives } from '../support/lives/preview-lives.ts';
import type { ChangePreview, InvoiceView } from '../support/plain-views.ts';
import { performChange } from '../support/subscriptions/perform-change.ts';

const START = parseLocalDate('2024-01-05');
/** The clock supports years up to 8999. */
const LAST_EPOCH = parseLocalDate('8980-01-01');

const at = (day: LocalDate, time: string): string => `${formatLocalDate(day)}T${time}Z`;
const isWrite = (statement: string): boolean =>
  /\b(insert\s+into|update\s+\w+\s+set|delete\s+from|for\s+(no\s+key\s+)?update)\b/i.test(statement);

/** Previews and runs number the plans of price overrides differently. */
const plain = (text: string): string => text.replace(/(?<=[a-z])-(dryrun-)?\d+(?=-evergreen|[ ,]|$)/g, '-n');

/** Items by type, plan, phase, dates and amount, and their total. */
function linesOf({
  items,
  status,
  amount,
  creditAdj,
}: Pick<InvoiceView, 'status' | 'amount' | 'creditAdj' | 'items'>) {
  const lines = items.map(lineOf).sort();
  return [...lines, `${status} ${formatDecimal(amount)} credit ${formatDecimal(creditAdj)}`];
}

const lineOf = (item: InvoiceView['items'][number]): string => {
  const { itemType, planName, phaseName, startDate, endDate, quantity, amount } = item;
  const facts = [itemType, planName, phaseName, startDate, endDate, quantity, formatDecimal(amount)];
  return plain(facts.map((fact) => String(fact ?? '-')).join(' '));
};

const taxes: InvoicePlugin = {
  name: 'taxes',
  async getAdditionalInvoiceItems({ items }) {
    const taxed = new Set(items.map(({ linkedItemId }) => linkedItemId));
    const charges = items.filter(
      ({ id, itemType, amount }) => itemType === 'RECURRING' && amount.greaterThan(0) && !taxed.has(id),
    );
    const total = sum(charges.map(({ amount }) => amount));
    return {
      items: total.isZero()
        ? []
        : [{ itemType: 'TAX' as const, amount: total.times('0.19').toDecimalPlaces(2) }],
    };
  },
};

const variants = [
  { title: 'previews of changes', invoicePlugins: [], share: 1 },
  { title: 'previews of changes with an invoice plugin', invoicePlugins: [taxes], share: 3 },
];

/** The share of the cases of pure properties. */
const PART = isLongRun ? { sqlite: 10, postgresql: 40 } : { sqlite: 12, postgresql: 60 };

eachDatabase((kind, open) => {
  for (const { title, invoicePlugins, share } of variants)
    describe(title, () => {
      let engine: TestEngine;
      let statements: string[] = [];
      let epoch = START;
      const compared = { changes: 0, dueNow: 0, next: 0, credit: 0 };

      async function begin(): Promise<void> {
        epoch = START;
        engine = await openEngine(open, {
          now: at(START, '06:00:00'),
          trace: (statement) => statements.push(statement),
          invoicePlugins,
          configuration: { 'org.service.invoice.maxDailyNumberOfItemsSafetyBound': -1 },
        });
      }

      before(begin);
      after(() => engine.close());

      interface Life {
        readonly accountId: Uuid;
        readonly life: PreviewLife;
        readonly subscriptions: { readonly subscriptionId: Uuid; readonly bundleId: Uuid }[];
        today: LocalDate;
      }

      async function accountOf({ billCycleDay, timeZone, payer }: PreviewLife): Promise<Uuid> {
        const input = {
          currency: 'USD',
          timeZone,
          ...(billCycleDay === 0 ? {} : { billCycleDayLocal: billCycleDay }),
        };
        if (payer === 'CARD') return (await engine.payingAccount(input)).id;
        if (payer === 'NOBODY') return (await engine.acme.createAccount(input)).id;
        const { id: parentAccountId } = await engine.payingAccount({ currency: 'USD' });
        const child = { ...input, parentAccountId, isPaymentDelegatedToParent: true };
        return (await engine.acme.createAccount(child)).id;
      }

      async function begun(life: PreviewLife): Promise<Life> {
        if (epoch > LAST_EPOCH) {
          await engine.close();
          await begin();
        }
        engine.clock.set(at(epoch, '06:00:00'));
        const accountId = await accountOf(life);
        if (life.tag !== null)
          await engine.acme.tags.add({ type: 'ACCOUNT', id: accountId }, [SystemTag[life.tag]]);
        if (life.credit !== null) {
          const items = [{ amount: decimal(life.credit).div(100) }];
          await engine.acme.invoices.addCredits({ accountId, items, autoCommit: true });
        }
        await engine.settle();
        return { accountId, life, subscriptions: [], today: epoch };
      }

      function requestOf(change: LifeChange, { accountId, subscriptions, today }: Life): PreviewRequest {
        const { days } = change;
        const date = days === null ? null : { date: addDays(today, days) };
        const one = 'of' in change ? subscriptions[change.of % subscriptions.length] : undefined;
        const { subscriptionId, bundleId } = one ?? { subscriptionId: null, bundleId: null };
        switch (change.change) {
          case 'CREATE':
            return {
              ...termsOf(change),
              change: 'CREATE',
              accountId,
              bundleId,
              billingDate: date,
              entitlementDate: date,
            };
          case 'CHANGE_PLAN': {
            const when = change.policy === null ? { requestedDate: date } : { billingPolicy: change.policy };
            return { ...termsOf(change), change: 'CHANGE_PLAN', subscriptionId, ...when };
          }
          case 'CHANGE_QUANTITY': {
            const { quantity } = change;
            return {
              change: 'CHANGE_QUANTITY',
              subscriptionId,
              quantity,
              effectiveFromDate: date,
              allowPastDate: true,
            };
          }
          case 'CHANGE_BILL_CYCLE_DAY': {
            const from = { effectiveFromDate: date, allowPastDate: true };
            return {
              change: 'CHANGE_BILL_CYCLE_DAY',
              subscriptionId,
              billCycleDayLocal: change.day,
              ...from,
            };
          }
          case 'UNCANCEL':
          case 'UNDO_CHANGE_PLAN':
            return { change: change.change, subscriptionId };
          case 'CANCEL': {
            const { policy: billingPolicy, entitlementPolicy, isBillingRequested } = change;
            const policies = {
              billingPolicy,
              entitlementPolicy,
              useRequestedDateForBilling: isBillingRequested,
            };
            return { change: 'CANCEL', subscriptionId, requestedDate: date, ...policies };
          }
          default:
            return { change: change.change, bundleId, requestedDate: date };
        }
      }

      function termsOf({
        planName,
        quantity,
        price,
      }: Pick<Extract<LifeChange, { change: 'CHANGE_PLAN' }>, 'planName' | 'quantity' | 'price'>) {
        const isEvergreen = planName !== 'term-3m' && planName !== 'support-6m';
        const priceOverrides =
          price !== null && isEvergreen
            ? [{ phaseType: 'EVERGREEN' as const, recurringPrice: decimal(price) }]
            : [];
        return { planName, quantity, priceOverrides };
      }

      async function perform(request: PreviewRequest, { subscriptions }: Life): Promise<unknown> {
        const done = await performChange(engine.acme, request);
        if (request.change === 'CREATE') subscriptions.push(done as (typeof subscriptions)[number]);
        return done;
      }

      /** Stops at each instant at which something is due, so that nothing is late. */
      async function liveTo(until: string): Promise<void> {
        await engine.billing.settleThrough(engine.clock, until);
        await engine.settle();
      }

      const invoicesOf = (accountId: Uuid) => engine.acme.invoices.ofAccount({ accountId, withItems: true });

      async function written(accountId: Uuid, before: readonly InvoiceView[]) {
        const known = new Set(before.flatMap(({ items }) => items.map(({ id }) => id)));
        const changed = (await invoicesOf(accountId)).flatMap((invoice) => {
          const added = invoice.items.filter(({ id, itemType }) => itemType !== 'CBA_ADJ' && !known.has(id));
          const last = Math.max(...added.map((item) => item.createdDate.getTime()));
          return added.length === 0 ? [] : [{ invoice, last }];
        });
        return changed
          .toSorted((a, b) => a.last - b.last || a.invoice.invoiceNumber - b.invoice.invoiceNumber)
          .map(({ invoice }) => invoice);
      }

      const creditOf = async (accountId: Uuid) => decimal((await engine.balancesOf(accountId))[1]);

      type Outcome<T> = { readonly answer: T } | { readonly code: unknown };
      const outcomeOf = <T>(work: Promise<T>): Promise<Outcome<T>> =>
        work.then(
          (answer) => ({ answer }),
          (error: unknown) => ({ code: Reflect.get(Object(error), 'code') ?? error }),
        );

      async function expectEqual(real: InvoiceView | undefined, preview: NonNullable<ChangePreview['next']>) {
        expect(real && linesOf(real)).to.eql(linesOf(preview));
        expect([real?.targetDate, real?.invoiceDate]).to.eql([preview.targetDate, preview.invoiceDate]);
        const texts: string[] = [];
        for (const item of real?.items ?? [])
          texts.push(`${lineOf(item)}: ${plain((await engine.acme.invoices.explain(item.id)).text)}`);
        const foreseen = preview.items.map((item) => {
          expectExplained(item.explanation);
          return `${lineOf(item)}: ${plain(item.explanation.text)}`;
        });
        expect(foreseen.sort()).to.eql(texts.sort());
      }

      const off = { type: 'ACCOUNT' as const, tags: [SystemTag.AUTO_INVOICING_OFF] };

      async function play(
        of: Life,
        { change, isOff, awaitsNext }: PreviewLife['changes'][number],
      ): Promise<void> {
        const { accountId, today, life } = of;
        const request = requestOf(change, of);
        if (isOff) await engine.settle(engine.acme.tags.add({ type: off.type, id: accountId }, off.tags));
        const [before, credit] = [await invoicesOf(accountId), await creditOf(accountId)];
        statements = [];
        const preview = await outcomeOf(engine.acme.subscriptions.preview(request));
        expect(statements.filter(isWrite)).to.eql([]);
        const done = await outcomeOf(perform(request, of));
        compared.changes += 1;
        await engine.settle();
        if ('code' in preview || 'code' in done) {
          expect(preview).to.eql(done);
        } else {
          const made = await written(accountId, before);
          const { answer } = preview;
          if (isOff) expect([made, answer.dueNow, answer.credit.toNumber()]).to.eql([[], null, 0]);
          await expectAtOnce(answer, { made, credit, of });
          const isDraftShared = life.tag === 'AUTO_INVOICING_REUSE_DRAFT';
          if (!isOff && awaitsNext && !isDraftShared) await expectNext(answer, { made, before, of });
        }
        if (isOff) await engine.settle(engine.acme.tags.remove({ type: off.type, id: accountId }, off.tags));
        of.today = Math.max(of.today, today) as LocalDate;
      }

      interface Result {
        readonly made: readonly InvoiceView[];
        readonly of: Life;
      }

      /** The invoice and the credit of the change itself. */
      async function expectAtOnce(
        { dueNow, credit }: ChangePreview,
        { made, credit: before, of }: Result & { readonly credit: ReturnType<typeof decimal> },
      ) {
        const { accountId, life } = of;
        const isShared = life.tag === 'AUTO_INVOICING_REUSE_DRAFT' && made.length <= 1;
        if (dueNow !== null) {
          compared.dueNow += 1;
          if (isShared) expect(made[0] && linesOf(made[0])).to.include.members(linesOf(dueNow).slice(0, -1));
          else await expectEqual(made[0], dueNow);
        }
        if (made.length > 1 || (made.length === 1 && dueNow === null)) return;
        compared.credit += 1;
        const left = (await creditOf(accountId)).minus(before);
        expect(formatDecimal(credit)).to.equal(formatDecimal(left.isNegative() ? decimal(0) : left));
      }

      /** The next invoice, which may be created at once too. */
      async function expectNext(
        { dueNow, next }: ChangePreview,
        { made, before, of }: Result & { readonly before: readonly InvoiceView[] },
      ) {
        const place = dueNow === null ? 0 : 1;
        const until = next?.targetDate ? parseLocalDate(next.targetDate) : addDays(of.today, 60);
        if (made.length <= place && until >= of.today) {
          // The day ends a day later in some time zones.
          of.today = addDays(until, 1);
          await liveTo(at(of.today, '09:00:00'));
        }
        const later = await written(of.accountId, before);
        compared.next += 1;
        if (next === null) expect(later.slice(place).map(linesOf)).to.eql([]);
        else await expectEqual(later[place], next);
      }

      const numRuns = Math.max(5, Math.ceil(propertyRuns / PART[kind] / share));

      it('match the invoices, the credit and the explanations after the actual change', async () => {
        await fc.assert(
          fc.asyncProperty(previewLives, async (life) => {
            const of = await begun(life);
            const first = {
              change: 'CREATE' as const,
              planName: life.planName,
              days: null,
              quantity: null,
              price: null,
            };
            await play(of, { later: 0, change: first, isOff: false, awaitsNext: false });
            for (const step of life.changes) {
              of.today = addDays(of.today, step.later);
              await liveTo(at(of.today, '10:00:00'));
              await play(of, step);
            }
            await engine.acme.accounts.close(of.accountId, { cancelAllSubscriptions: true });
            await engine.settle();
            epoch = addDays(of.today, 100);
          }),
          { numRuns, endOnFailure: true },
        );
        for (const [what, count] of Object.entries(compared)) expect(count, what).to.be.at.least(1);
      }).timeout(0);
    });
});
