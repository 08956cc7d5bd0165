import { expect } from 'chai';
import fc from 'fast-check';
import {
  addDays,
  type DryRunRequest,
  decimal,
  formatDecimal,
  formatLocalDate,
  type InvoiceView,
  type LocalDate,
  parseLocalDate,
  type Uuid,
} from '../../lib/index.ts';
import { eachDatabase } from '../support/databases.ts';
import { openEngine, type TestEngine } from '../support/engine.ts';
import { expectExplained } from '../support/explained-amount.ts';
import { propertyRuns } from './runs.ts';

const PLANS = [
  'solo-monthly',
  'pro-monthly',
  'pro-annual',
  'elite-monthly',
  'club-monthly',
  'solo-now',
  'team-now',
  'term-3m',
] as const;
const ADD_ONS = ['backup-monthly', 'archive-monthly', 'support-monthly', 'support-6m'] as const;
const POLICIES = ['IMMEDIATE', 'END_OF_TERM', 'START_OF_TERM'] as const;
const START = parseLocalDate('2024-01-05');

const planName = fc.constantFrom(...PLANS);
const when = fc.oneof(
  fc.constant({ kind: 'RULE' as const }),
  fc.record({ kind: fc.constant('POLICY' as const), policy: fc.constantFrom(...POLICIES) }),
  fc.record({ kind: fc.constant('DATE' as const), days: fc.integer({ min: -25, max: 45 }) }),
);
const cases = fc.record({
  billCycleDay: fc.integer({ min: 0, max: 31 }),
  /** Plans with the day after the start on which each is subscribed to. */
  subscribed: fc.array(fc.record({ planName, day: fc.nat(50) }), { minLength: 1, maxLength: 3 }),
  /** Add-ons of the last of them, as far as its product offers them, each with the days after it. */
  addOns: fc.array(fc.record({ planName: fc.constantFrom(...ADD_ONS), days: fc.nat(20) }), { maxLength: 2 }),
  /** What START_BILLING adds to the last bundle; null = a base in a bundle of its own. */
  addOn: fc.option(fc.constantFrom(...ADD_ONS), { freq: 1 }),
  /** Days from the last of them to the dry run. */
  later: fc.integer({ min: 0, max: 75 }),
  action: fc.oneof(
    { weight: 1, arbitrary: fc.constant('UPCOMING' as const) },
    { weight: 1, arbitrary: fc.constant('START_BILLING' as const) },
    { weight: 2, arbitrary: fc.constant('CHANGE' as const) },
    { weight: 2, arbitrary: fc.constant('STOP_BILLING' as const) },
  ),
  planName,
  when,
  price: fc.option(fc.integer({ min: 1, max: 99 })),
  target: fc.option(fc.nat(70), { freq: 3 }),
});
type Case = typeof cases extends fc.Arbitrary<infer C> ? C : never;

/** Items by type, plan, phase, dates and amount; credit and the plans that prices make are named by the run. */
function linesOf(invoice: InvoiceView): readonly string[] {
  const plain = (name: string | null): string => String(name).replace(/-(dryrun-)?\d+(?=-|$)/, '-n');
  return invoice.items
    .map(({ itemType, planName: plan, phaseName: phase, startDate, endDate, amount }) => {
      const dates = itemType === 'CBA_ADJ' ? [] : [startDate, endDate];
      const days = dates.map((date) => (date === null ? '-' : formatLocalDate(date)));
      return [itemType, plain(plan), plain(phase), ...days, formatDecimal(amount)].join(' ');
    })
    .sort();
}

const at = (day: LocalDate, time: string): string => `${formatLocalDate(day)}T${time}Z`;

eachDatabase((_kind, open) => {
  describe('a dry run of the next invoice or of an action', () => {
    let engine: TestEngine;

    before(async () => {
      engine = await openEngine(open, { now: at(START, '06:00:00') });
    });
    after(() => engine.close());

    interface Stage {
      readonly accountId: Uuid;
      readonly subscriptionId: Uuid;
      readonly bundleId: Uuid;
      readonly today: LocalDate;
    }

    let epoch = START;

    /** An account that has lived for some time; accounts follow one another, since the clock never goes back. */
    async function stageOf(input: Case): Promise<Stage> {
      engine.clock.set(at(epoch, '06:00:00'));
      const { billCycleDay } = input;
      const { id: accountId } = await engine.payingAccount({
        currency: 'USD',
        ...(billCycleDay === 0 ? {} : { billCycleDayLocal: billCycleDay }),
      });
      let last: Pick<Stage, 'subscriptionId' | 'bundleId'> | undefined;
      let today = epoch;
      for (const each of input.subscribed.toSorted((a, b) => a.day - b.day)) {
        today = addDays(epoch, each.day);
        engine.clock.set(at(today, '08:00:00'));
        await engine.settle();
        last = await engine.acme.createSubscription({ accountId, planName: each.planName });
        await engine.settle();
      }
      if (last === undefined) throw new Error('an account has a subscription');
      for (const { planName: addOn, days } of input.addOns.toSorted((a, b) => a.days - b.days)) {
        engine.clock.set(at(addDays(today, days), '09:00:00'));
        await engine.settle();
        const request = { accountId, planName: addOn, bundleId: last.bundleId };
        // What the base does not offer, or no longer, is none of this test's business.
        await outcomeOf(engine.acme.createSubscription(request).then(() => null));
        await engine.settle();
      }
      today = addDays(today, 20 + input.later);
      engine.clock.set(at(today, '10:00:00'));
      await engine.settle();
      epoch = addDays(today, 200);
      return { accountId, ...last, today };
    }

    function actionOf(input: Case, { subscriptionId, bundleId, today }: Stage) {
      const { action, when: date, price } = input;
      const isStart = action === 'START_BILLING';
      const addOn = isStart ? input.addOn : null;
      const start = addOn === null ? {} : { bundleId };
      const overrides =
        price === null || addOn !== null || action === 'STOP_BILLING' || input.planName === 'term-3m'
          ? {}
          : { priceOverrides: [{ phaseType: 'EVERGREEN', recurringPrice: decimal(price) }] };
      const requestedDate = date.kind === 'DATE' ? { date: addDays(today, date.days) } : null;
      const billingPolicy = date.kind === 'POLICY' && !isStart ? date.policy : null;
      const dryRun = {
        dryRunType: 'SUBSCRIPTION_ACTION',
        dryRunAction: action === 'UPCOMING' ? null : action,
        ...(action === 'STOP_BILLING' ? {} : { planName: addOn ?? input.planName }),
        ...(isStart ? start : { subscriptionId, bundleId }),
        effectiveDate: requestedDate,
        billingPolicy,
        ...overrides,
      } as const;
      return {
        dryRun,
        requestedDate,
        billingPolicy,
        overrides,
        start: { ...start, planName: addOn ?? input.planName },
      };
    }

    async function perform(input: Case, stage: Stage): Promise<void> {
      const { accountId, subscriptionId } = stage;
      const { requestedDate, billingPolicy, overrides, start } = actionOf(input, stage);
      const change = { planName: input.planName, ...overrides };
      if (input.action === 'START_BILLING') {
        await engine.acme.createSubscription(
          { accountId, ...start, ...overrides },
          { entitlementDate: requestedDate, billingDate: requestedDate },
        );
      } else if (input.action === 'CHANGE') {
        await engine.acme.subscriptions.changePlan(subscriptionId, {
          ...change,
          requestedDate,
          billingPolicy,
        });
      } else {
        await engine.acme.subscriptions.cancel(subscriptionId, {
          requestedDate,
          billingPolicy,
          useRequestedDateForBilling: requestedDate !== null,
        });
      }
    }

    const invoicesOf = (accountId: Uuid) => engine.acme.invoices.ofAccount({ accountId, withItems: true });

    async function newOnes(accountId: Uuid, before: readonly InvoiceView[]) {
      const known = new Set(before.map(({ id }) => id));
      const all = (await invoicesOf(accountId)).filter(({ id }) => !known.has(id));
      return all.toSorted((a, b) => a.invoiceNumber - b.invoiceNumber);
    }

    /** The facts kept with each item make its amount, whatever has happened to its subscription since. */
    async function expectAllExplained(accountId: Uuid): Promise<void> {
      for (const { id } of (await invoicesOf(accountId)).flatMap(({ items }) => items)) {
        expectExplained(await engine.acme.invoices.explain(id));
      }
    }

    type Outcome = { readonly invoice: InvoiceView | null } | { readonly code: unknown };
    const outcomeOf = (work: Promise<InvoiceView | null>): Promise<Outcome> =>
      work.then(
        (invoice) => ({ invoice }),
        (error: unknown) => ({ code: Reflect.get(Object(error), 'code') ?? error }),
      );
    const foresee = (request: DryRunRequest) => outcomeOf(engine.acme.invoices.dryRun(request));

    async function expectNextInvoice({ accountId, today }: Stage): Promise<void> {
      const before = await invoicesOf(accountId);
      const found = await foresee({ accountId, dryRunType: 'UPCOMING_INVOICE' });
      const invoice = 'invoice' in found ? found.invoice : found;
      const until = invoice !== null && 'targetDate' in invoice ? invoice.targetDate : null;
      await engine.runTo(at(until ?? addDays(today, 150), '23:59:59'));
      const [next] = await newOnes(accountId, before);
      if (invoice === null) expect(next && linesOf(next)).to.equal(undefined);
      else expect(next && linesOf(next)).to.deep.equal('items' in invoice ? linesOf(invoice) : invoice);
    }

    async function expectAsReal(input: Case, stage: Stage): Promise<void> {
      const { accountId, today } = stage;
      const before = await invoicesOf(accountId);
      const targetDate = addDays(today, input.target ?? 0);
      const { dryRun } = actionOf(input, stage);
      const found = await foresee({ accountId, ...dryRun, targetDate });
      const real = await outcomeOf(perform(input, stage).then(() => null));
      if ('code' in real || 'code' in found) {
        expect(found).to.deep.equal(real);
        return;
      }
      await engine.settle();
      if (targetDate > today) await engine.runTo(at(targetDate, '23:59:59'));
      await outcomeOf(engine.acme.generateInvoice({ accountId, targetDate }));
      const last = (await newOnes(accountId, before)).at(-1);
      if (found.invoice === null) {
        // Nothing at the target date, if that is a date of its own; earlier invoices are not its answer then.
        expect(last?.targetDate).to.not.equal(targetDate);
        return;
      }
      expect(last && linesOf(last)).to.deep.equal(linesOf(found.invoice));
    }

    it('equals the invoice of the runs that follow when the action is done', async () => {
      await fc.assert(
        fc.asyncProperty(cases, async (input) => {
          const stage = await stageOf(input);
          if (input.action === 'UPCOMING') await expectNextInvoice(stage);
          else await expectAsReal(input, stage);
          await expectAllExplained(stage.accountId);
          await engine.acme.accounts.close(stage.accountId, { cancelAllSubscriptions: true });
          await engine.settle();
        }),
        { numRuns: Math.ceil(propertyRuns / 10), endOnFailure: true },
      );
    }).timeout(0);
  });
});
