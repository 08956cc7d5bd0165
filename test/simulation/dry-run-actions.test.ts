import { expect } from 'chai';
import fc from 'fast-check';
import type { DryRunRequest, InvoicePlugin, LocalDate, Uuid } from '../../lib/index.ts';
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
import { anyDatabase, isLongRun, openEngine, propertyRuns, type TestEngine } from '../support/index.ts';
import { type DryRunCase, dryRunCases } from '../support/lives/dry-run-cases.ts';
import type { InvoiceView } from '../support/plain-views.ts';

const START = parseLocalDate('2024-01-05');
/** The clock supports years up to 8999. */
const LAST_EPOCH = parseLocalDate('8980-01-01');

const DATED_BY_RUN: ReadonlySet<string> = new Set(['CBA_ADJ', 'TAX', 'CREDIT_ADJ', 'ITEM_ADJ']);

/** Items by type, plan, phase, dates and amount, and their total. Runs generate the names of price override plans. */
function linesOf(invoice: InvoiceView): readonly string[] {
  const plain = (name: string | null): string => String(name).replace(/-(dryrun-)?\d+(?=-|$)/, '-n');
  const items = invoice.items
    .map(({ itemType, planName: plan, phaseName: phase, startDate, endDate, amount }) => {
      // Credit and plugin items have the date of the run.
      const dates = DATED_BY_RUN.has(itemType) ? [] : [startDate, endDate];
      const days = dates.map((date) => (date === null ? '-' : date));
      return [itemType, plain(plan), plain(phase), ...days, formatDecimal(amount)].join(' ');
    })
    .sort();
  const { status, amount, creditAdj } = invoice;
  return [...items, `${status} ${formatDecimal(amount)} credit ${formatDecimal(creditAdj)}`];
}

const at = (day: LocalDate, time: string): string => `${formatLocalDate(day)}T${time}Z`;
const isWrite = (statement: string): boolean =>
  /\b(insert\s+into|update\s+\w+\s+set|delete\s+from|for\s+(no\s+key\s+)?update)\b/i.test(statement);

/**
 * Taxes the invoices of runs and sometimes adds a credit, an adjustment or another amount. Leaves manual invoices
 * alone.
 */
const taxes: InvoicePlugin = {
  name: 'taxes',
  async getAdditionalInvoiceItems(...[{ items }, , , { targetDate }]) {
    if (targetDate === null) return null;
    const taxed = new Set(items.map(({ linkedItemId }) => linkedItemId));
    const billed = items.filter(
      ({ id, itemType, amount }) => itemType === 'RECURRING' && amount.greaterThan(0) && !taxed.has(id),
    );
    const all = sum(billed.map(({ amount }) => amount));
    const [first] = billed;
    const occasion = Number(all.times(100).mod(4));
    return {
      items: [
        ...billed.map(({ id, amount }) => ({
          itemType: 'TAX' as const,
          linkedItemId: id,
          amount: amount.times('0.19'),
        })),
        ...(occasion === 1 ? [{ itemType: 'CREDIT_ADJ' as const, amount: all.times('-1.5') }] : []),
        ...(occasion === 2 && first !== undefined
          ? [{ itemType: 'ITEM_ADJ' as const, amount: first.amount.times('-0.25'), linkedItemId: first.id }]
          : []),
        ...(occasion === 3 && first !== undefined
          ? [{ id: first.id, itemType: first.itemType, amount: first.amount.times('0.5') }]
          : []),
      ],
    };
  },
};

const plugged = [
  { title: 'dry run of the next invoice or an action', invoicePlugins: [], share: 1 },
  {
    title: 'dry run of the next invoice or an action, with an invoice plugin',
    invoicePlugins: [taxes],
    share: 2,
  },
];

/** The share of the cases of pure properties. */
const PART = isLongRun ? { sqlite: 5, postgresql: 20 } : { sqlite: 14, postgresql: 60 };

anyDatabase((kind, open) => {
  for (const { title, invoicePlugins, share } of plugged)
    describe(title, () => {
      let engine: TestEngine;
      let statements: string[] = [];

      let epoch = START;
      const looked = { statements: 0, writesOfActions: 0, foreseen: 0, explained: 0 };

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

      interface Stage {
        readonly accountId: Uuid;
        readonly subscriptionId: Uuid;
        readonly isAddOn: boolean;
        readonly bundleId: Uuid;
        readonly today: LocalDate;
      }

      async function accountOf({ billCycleDay, payer }: DryRunCase): Promise<Uuid> {
        const input = { currency: 'USD', ...(billCycleDay === 0 ? {} : { billCycleDayLocal: billCycleDay }) };
        if (payer === 'CARD') return (await engine.payingAccount(input)).id;
        if (payer === 'NOBODY') return (await engine.acme.createAccount(input)).id;
        const { id: parentAccountId } = await engine.payingAccount({ currency: 'USD' });
        const { id } = await engine.acme.createAccount({
          ...input,
          parentAccountId,
          isPaymentDelegatedToParent: true,
        });
        return id;
      }

      async function setTags(accountId: Uuid, names: string): Promise<void> {
        const of = { type: 'ACCOUNT', id: accountId } as const;
        const tags = [
          ...(names.includes('DRAFT') ? [SystemTag.AUTO_INVOICING_DRAFT] : []),
          ...(names.includes('REUSE') ? [SystemTag.AUTO_INVOICING_REUSE_DRAFT] : []),
        ];
        if (tags.length > 0) await engine.acme.tags.add(of, tags);
      }

      async function retag(accountId: Uuid, { drafting }: DryRunCase): Promise<void> {
        const of = { type: 'ACCOUNT', id: accountId } as const;
        if (drafting.first === drafting.now) return;
        if (drafting.first !== '') await engine.acme.tags.remove(of, [SystemTag.AUTO_INVOICING_DRAFT]);
        await setTags(accountId, drafting.now);
      }

      /** An account with a history. Accounts follow each other, since the clock only moves forward. */
      async function stageOf(input: DryRunCase): Promise<Stage> {
        if (epoch > LAST_EPOCH) {
          await engine.close();
          await begin();
        }
        engine.clock.set(at(epoch, '06:00:00'));
        const accountId = await accountOf(input);
        await setTags(accountId, input.drafting.first);
        let last: Pick<Stage, 'subscriptionId' | 'bundleId'> | undefined;
        let today = epoch;
        const subscribed = input.subscribed.toSorted((a, b) => a.day - b.day);
        for (const each of subscribed) {
          today = addDays(epoch, each.day);
          engine.clock.set(at(today, '08:00:00'));
          await engine.settle();
          const own = each === subscribed.at(-1) ? input.own : { billCycleDay: null, quantity: null };
          last = await engine.acme.createSubscription({
            accountId,
            planName: each.planName,
            billCycleDayLocal: own.billCycleDay,
            quantity: own.quantity,
          });
          await engine.settle();
        }
        if (last === undefined) throw new Error('an account has a subscription');
        const { bundleId } = last;
        let subject = { subscriptionId: last.subscriptionId, isAddOn: false };
        for (const { planName, days } of input.addOns.toSorted((a, b) => a.days - b.days)) {
          engine.clock.set(at(addDays(today, days), '09:00:00'));
          await engine.settle();
          // Add-ons that the base does not offer are skipped.
          const added = await attempt(engine.acme.createSubscription({ accountId, planName, bundleId }));
          if (added !== undefined && input.isOfAddOn) subject = { ...added, isAddOn: true };
          await engine.settle();
        }
        today = addDays(today, 20 + input.later);
        engine.clock.set(at(today, '10:00:00'));
        await engine.settle();
        const stage = {
          accountId,
          subscriptionId: subject.subscriptionId,
          isAddOn: subject.isAddOn,
          bundleId,
          today,
        };
        await befall(input, stage);
        epoch = addDays(today, 200);
        return stage;
      }

      /** Applies the scheduled changes. Rejected ones are skipped. */
      async function befall(input: DryRunCase, { accountId, subscriptionId, bundleId, today }: Stage) {
        const { acme } = engine;
        const { dayChange, quantityChange, block, credit, draftCharge } = input;
        const day = (days: number) => ({ date: addDays(today, days) });
        await retag(accountId, input);
        if (dayChange !== null) {
          await attempt(
            acme.subscriptions.changeBillCycleDay(subscriptionId, {
              billCycleDayLocal: dayChange.day,
              effectiveFromDate: day(dayChange.from),
              allowPastDate: true,
            }),
          );
        }
        if (quantityChange !== null) {
          await attempt(
            acme.subscriptions.changeQuantity(subscriptionId, {
              quantity: quantityChange.quantity,
              effectiveFromDate: day(quantityChange.from),
              allowPastDate: true,
            }),
          );
        }
        if (block !== null) {
          const id = { ACCOUNT: accountId, SUBSCRIPTION_BUNDLE: bundleId, SUBSCRIPTION: subscriptionId }[
            block.on
          ];
          const of = { type: block.on, id };
          const state = { service: 'pause', stateName: 'OFF', isBlockBilling: true };
          await acme.blocking.add(of, { ...state, requestedDate: day(block.from) });
          if (block.days !== null) {
            const requestedDate = day(block.from + block.days);
            await acme.blocking.add(of, { service: 'pause', stateName: 'ON', requestedDate });
          }
        }
        await engine.settle();
        const cents = (amount: number) => [{ amount: decimal(amount).div(100) }];
        if (credit !== null)
          await acme.invoices.addCredits({ accountId, items: cents(credit), autoCommit: true });
        if (draftCharge !== null) await acme.invoices.addCharges({ accountId, items: cents(draftCharge) });
        await engine.settle();
      }

      const attempt = <T>(work: Promise<T>): Promise<T | undefined> => work.catch(() => undefined);

      function actionOf(input: DryRunCase, { subscriptionId, bundleId, isAddOn, today }: Stage) {
        const { action, when, price } = input;
        const isStart = action === 'START_BILLING';
        const addOn = isStart ? input.addOn : null;
        const start = addOn === null ? {} : { bundleId };
        const planName = isAddOn && !isStart ? input.toAddOn : (addOn ?? input.planName);
        const isEvergreen = planName !== 'term-3m' && planName !== 'support-6m';
        const overrides =
          price === null || action === 'STOP_BILLING' || !isEvergreen
            ? {}
            : { priceOverrides: [{ phaseType: 'EVERGREEN', recurringPrice: decimal(price) }] };
        const requestedDate = when.kind === 'DATE' ? { date: addDays(today, when.days) } : null;
        const billingPolicy = when.kind === 'POLICY' && !isStart ? when.policy : null;
        const dryRun = {
          dryRunType: 'SUBSCRIPTION_ACTION',
          dryRunAction: action === 'UPCOMING' || action === 'TARGET_DATE' ? null : action,
          ...(action === 'STOP_BILLING' ? {} : { planName }),
          ...(isStart ? start : { subscriptionId, bundleId }),
          effectiveDate: requestedDate,
          billingPolicy,
          ...overrides,
        } as const;
        return { dryRun, requestedDate, billingPolicy, change: { planName, ...overrides }, start };
      }

      async function perform(input: DryRunCase, stage: Stage): Promise<void> {
        const { accountId, subscriptionId } = stage;
        const { requestedDate, billingPolicy, change, start } = actionOf(input, stage);
        if (input.action === 'START_BILLING') {
          await engine.acme.createSubscription(
            { accountId, ...start, ...change },
            { entitlementDate: requestedDate, billingDate: requestedDate },
          );
        } else if (input.action === 'CHANGE') {
          await engine.acme.subscriptions.changePlan(subscriptionId, {
            ...change,
            requestedDate,
            billingPolicy,
          });
        } else if (input.action === 'STOP_BILLING') {
          await engine.acme.subscriptions.cancel(subscriptionId, {
            requestedDate,
            billingPolicy,
            useRequestedDateForBilling: requestedDate !== null,
          });
        }
      }

      const invoicesOf = (accountId: Uuid) => engine.acme.invoices.ofAccount({ accountId, withItems: true });

      /** The invoices that runs created or extended, the latest last. Credit may go to other invoices. */
      async function written(accountId: Uuid, before: readonly InvoiceView[]) {
        const known = new Set(before.flatMap(({ items }) => items.map(({ id }) => id)));
        const changed = (await invoicesOf(accountId)).flatMap((invoice) => {
          const added = invoice.items.filter(({ id, itemType }) => itemType !== 'CBA_ADJ' && !known.has(id));
          return added.length === 0
            ? []
            : [{ invoice, last: Math.max(...added.map((item) => item.createdDate.getTime())) }];
        });
        return changed
          .toSorted((a, b) => a.last - b.last || a.invoice.invoiceNumber - b.invoice.invoiceNumber)
          .map(({ invoice }) => invoice);
      }

      async function expectAllExplained(accountId: Uuid): Promise<void> {
        for (const { id } of (await invoicesOf(accountId)).flatMap(({ items }) => items)) {
          expectExplained(await engine.acme.invoices.explain(id));
          looked.explained += 1;
        }
      }

      type Outcome = { readonly invoice: InvoiceView | null } | { readonly code: unknown };
      const outcomeOf = (work: Promise<InvoiceView | null>): Promise<Outcome> =>
        work.then(
          (invoice) => ({ invoice }),
          (error: unknown) => ({ code: Reflect.get(Object(error), 'code') ?? error }),
        );

      async function foresee(request: DryRunRequest): Promise<Outcome> {
        statements = [];
        const outcome = await outcomeOf(engine.acme.invoices.dryRun(request));
        expect(statements.filter(isWrite)).to.eql([]);
        looked.statements += statements.length;
        return outcome;
      }

      /** The balance before payments. */
      function expectForeseen(real: InvoiceView | undefined, found: InvoiceView, { payer }: DryRunCase) {
        looked.foreseen += 1;
        expect(real && linesOf(real)).to.eql(linesOf(found));
        expect(real?.targetDate).to.equal(found.targetDate);
        const owed = found.status === 'DRAFT' ? decimal('0') : found.amount.plus(found.creditAdj);
        expect(formatDecimal(found.balance)).to.equal(formatDecimal(owed));
        if (payer === 'NOBODY' && real)
          expect(formatDecimal(real.balance)).to.equal(formatDecimal(found.balance));
      }

      /** With a paying parent, runs daily: late runs would share the summary that gets plugin credits. */
      async function liveUntil(last: LocalDate, { payer }: DryRunCase, today: LocalDate): Promise<void> {
        if (payer === 'PARENT' && invoicePlugins.length > 0)
          for (let day = today; day < last; day = addDays(day, 1)) await engine.runTo(at(day, '12:00:00'));
        await engine.runTo(at(last, '23:59:59'));
      }

      async function expectNextInvoice(input: DryRunCase, { accountId, ...of }: Stage): Promise<void> {
        const before = await invoicesOf(accountId);
        const { bundleId, subscriptionId, today } = of;
        const watched = { ALL: {}, BUNDLE: { bundleId }, SUBSCRIPTION: { subscriptionId } }[input.watched];
        const found = await foresee({ accountId, dryRunType: 'UPCOMING_INVOICE', ...watched });
        if ('code' in found) throw new Error(`refused with ${found.code}`);
        const { invoice } = found;
        const until = invoice?.targetDate ? parseLocalDate(invoice.targetDate) : addDays(today, 150);
        await liveUntil(until, input, today);
        const next = await written(accountId, before);
        if (invoice !== null) expectForeseen(next.at(-1), invoice, input);
        else if (input.watched === 'ALL') expect(next.map(linesOf)).to.eql([]);
      }

      async function expectAsReal(input: DryRunCase, stage: Stage): Promise<void> {
        const { accountId, today } = stage;
        const before = await invoicesOf(accountId);
        const { dryRun } = actionOf(input, stage);
        const isAction = input.action !== 'TARGET_DATE';
        const targetDate = isAction && input.target === null ? null : addDays(today, input.target ?? 0);
        const found = await foresee({ accountId, ...(isAction ? dryRun : {}), targetDate });
        statements = [];
        const real = await outcomeOf(perform(input, stage).then(() => null));
        looked.writesOfActions += statements.filter(isWrite).length;
        if ('code' in real || 'code' in found) {
          expect(found).to.eql(real);
          return;
        }
        await engine.settle();
        if (targetDate === null) {
          if (found.invoice === null) return;
          const runDate = found.invoice.targetDate === null ? null : parseLocalDate(found.invoice.targetDate);
          const isAtOnce = runDate === null || runDate <= today;
          if (!isAtOnce) await liveUntil(runDate, input, today);
          const made = await written(accountId, before);
          // Later runs bill what starts in the past, and may extend the same draft.
          const first = isAtOnce ? made[0] : made.at(-1);
          const itemsOf = (invoice: InvoiceView | undefined) =>
            invoice ? linesOf(invoice).slice(0, -1) : [];
          const isAddedTo = isAtOnce && input.drafting.now.includes('REUSE');
          if (isAddedTo) expect(itemsOf(first)).to.include.members([...itemsOf(found.invoice)]);
          else expectForeseen(first, found.invoice, input);
          return;
        }
        if (targetDate > today) await liveUntil(targetDate, input, today);
        await outcomeOf(engine.acme.generateInvoice({ accountId, targetDate }));
        const last = (await written(accountId, before)).at(-1);
        if (found.invoice === null) {
          // Nothing is due at an explicit target date. Earlier invoices do not count.
          expect(last?.targetDate).to.not.equal(targetDate);
          return;
        }
        expectForeseen(last, found.invoice, input);
      }

      const numRuns = Math.max(5, Math.ceil(propertyRuns / PART[kind] / share));

      it('matches the invoices of the runs after the same actual action', async () => {
        await fc.assert(
          fc.asyncProperty(dryRunCases, async (input) => {
            const stage = await stageOf(input);
            if (input.action === 'UPCOMING') await expectNextInvoice(input, stage);
            else await expectAsReal(input, stage);
            await expectAllExplained(stage.accountId);
            await engine.acme.accounts.close(stage.accountId, { cancelAllSubscriptions: true });
            await engine.settle();
          }),
          { numRuns, endOnFailure: true },
        );
        for (const [what, count] of Object.entries(looked)) expect(count, what).to.be.at.least(numRuns / 2);
      }).timeout(0);
    });
});
