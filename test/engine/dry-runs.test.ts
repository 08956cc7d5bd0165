import type { DryRunRequest, HostInput, Uuid } from '../../lib/index.ts';
import { formatDecimal, parseLocalDate, SystemTag } from '../../lib/index.ts';
import { pricedCatalog } from '../support/catalogs/priced-catalog.ts';
import { eachDatabase } from '../support/databases.ts';
import type { ErrorName, TestEngine } from '../support/index.ts';
import { expect, expectCode, itemLines, messageOf, openEngine, rowsOf } from '../support/index.ts';

type Request = Omit<HostInput<DryRunRequest>, 'accountId'>;
const unknownId = '00000000-0000-7000-8000-00000000dead' as Uuid;

eachDatabase.describe('dry run', (open) => {
  let engine: TestEngine;
  let accountId: Uuid;

  async function begin(now: string, billCycleDayLocal?: number, catalog?: string): Promise<void> {
    engine = await openEngine(open, { now, ...(catalog === undefined ? {} : { catalog }) });
    const account = await engine.payingAccount({
      currency: 'USD',
      ...(billCycleDayLocal === undefined ? {} : { billCycleDayLocal }),
    });
    accountId = account.id;
  }

  const subscribe = (planName: string, request: object = {}) =>
    engine.subscribe({ accountId, planName, ...request });

  const foresee = (request: Request) => engine.acme.invoices.dryRun({ accountId, ...request });

  async function foreseen(request: Request): Promise<readonly string[] | null> {
    const found = await foresee(request);
    return found && [...itemLines(found)].sort();
  }

  const upcoming = (request: Request = {}) => foreseen({ dryRunType: 'UPCOMING_INVOICE', ...request });
  const action = (request: Request) => foreseen({ dryRunType: 'SUBSCRIPTION_ACTION', ...request });

  const invoices = () => engine.acme.invoices.ofAccount({ accountId, withItems: true });

  async function lastLines(): Promise<readonly string[]> {
    const last = (await invoices()).at(-1);
    return last === undefined ? [] : [...itemLines(last)].sort();
  }

  async function rowCounts(): Promise<readonly string[]> {
    const tables = [
      'accounts',
      'bundles',
      'subscriptions',
      'subscription_events',
      'blocking_states',
      'invoices',
      'invoice_items',
      'coverage',
      'invoicing_cursors',
      'override_plans',
      'queue_entries',
      'queue_history',
      'audit_log',
    ];
    const counts = tables.map((name) => `select '${name}' as name, count(*) as held from bw_${name}`);
    const rows = await rowsOf(engine.database, counts.join(' union all '));
    return rows.map(({ name, held }) => `${name} ${held}`);
  }

  describe('of an upcoming invoice (invoicing §11)', () => {
    it('returns the first future invoice with its date', async () => {
      await begin('2014-01-02T00:00:00Z', 1);
      await subscribe('pro-monthly');
      const before = await rowCounts();
      const found = await foresee({ dryRunType: 'UPCOMING_INVOICE' });
      expect(found && itemLines(found)).to.eql(['RECURRING 2014-02-01..2014-03-01 249.95']);
      expect(found?.targetDate && found.targetDate).to.equal('2014-02-01');
      expect(found?.status).to.equal('COMMITTED');
      expect(await rowCounts()).to.eql(before);
      await engine.runTo('2014-02-01T00:00:00Z');
      expect(await lastLines()).to.eql(['RECURRING 2014-02-01..2014-03-01 249.95']);
    });

    it('returns no invoice if nothing more will be billed', async () => {
      await begin('2024-01-01T00:00:00Z', 1);
      expect(await upcoming()).to.equal(null);
      const { subscriptionId } = await subscribe('term-3m');
      await engine.settle(engine.acme.subscriptions.cancel(subscriptionId, { billingPolicy: 'END_OF_TERM' }));
      expect(await upcoming()).to.equal(null);
    });

    it('is called `upcoming` in the library, and returns an invoice with the date of its run', async () => {
      await begin('2024-01-10T00:00:00Z', 1);
      expect(await engine.acme.invoices.upcoming({ accountId })).to.equal(null);
      await subscribe('solo-now');
      const before = await rowCounts();
      const next = await engine.acme.invoices.upcoming({ accountId });
      expect(next && itemLines(next)).to.eql(['RECURRING 2024-02-01..2024-03-01 19.95']);
      expect([next?.targetDate, next?.invoiceDate, next?.commitDate]).to.eql(Array(3).fill('2024-02-01'));
      expect(await rowCounts()).to.eql(before);
      await engine.runTo('2024-02-01T00:00:00Z');
      const made = (await invoices()).at(-1);
      expect([made?.invoiceDate, await lastLines()]).to.eql(['2024-02-01', next && itemLines(next)]);
    });

    it('returns the next invoice regardless of the target date', async () => {
      await begin('2024-01-01T00:00:00Z', 1);
      await subscribe('solo-now');
      const next = ['RECURRING 2024-02-01..2024-03-01 19.95'];
      expect(await upcoming({ targetDate: parseLocalDate('2024-09-01') })).to.eql(next);
      expect(await upcoming({ targetDate: parseLocalDate('2099-09-01') })).to.eql(next);
    });

    it('returns the first invoice of a subscription or bundle, with everything due and unbilled on the same day', async () => {
      await begin('2024-01-01T00:00:00Z', 1);
      const monthly = await subscribe('solo-now');
      engine.clock.set('2024-01-10T00:00:00Z');
      const trial = await subscribe('pro-monthly');
      expect(await upcoming()).to.eql(['RECURRING 2024-02-01..2024-03-01 19.95']);
      const leading = ['RECURRING 2024-02-09..2024-03-01 181'];
      for (const only of [{ subscriptionId: trial.subscriptionId }, { bundleId: trial.bundleId }, trial])
        expect(await upcoming(only)).to.eql(leading);
      expect(await upcoming({ subscriptionId: monthly.subscriptionId })).to.eql([
        'RECURRING 2024-02-01..2024-03-01 19.95',
      ]);
      await engine.runTo('2024-02-09T00:00:00Z');
      expect(await lastLines()).to.eql(leading);
      expect(await upcoming(trial), 'both are due on one day').to.eql([
        'RECURRING 2024-03-01..2024-04-01 19.95',
        'RECURRING 2024-03-01..2024-04-01 249.95',
      ]);
    });

    it('returns no invoice for an ended subscription, even if other subscriptions continue', async () => {
      await begin('2024-01-01T00:00:00Z', 1);
      await subscribe('solo-now');
      const ended = await subscribe('team-now');
      await engine.acme.subscriptions.cancel(ended.subscriptionId, { billingPolicy: 'IMMEDIATE' });
      await engine.settle();
      expect(await upcoming(ended)).to.equal(null);
    });

    it('includes a change whose invoice run is still queued', async () => {
      await begin('2024-01-01T00:00:00Z', 1);
      const { subscriptionId } = await subscribe('solo-now');
      engine.clock.set('2024-01-11T00:00:00Z');
      await engine.acme.subscriptions.cancel(subscriptionId, { billingPolicy: 'IMMEDIATE' });
      const dryRunAnswer = await upcoming();
      expect(dryRunAnswer).to.eql([
        'CBA_ADJ 2024-01-11..2024-01-11 13.51',
        'REPAIR_ADJ 2024-01-11..2024-02-01 -13.51',
      ]);
      await engine.settle();
      expect(await lastLines()).to.eql(dryRunAnswer);
    });
  });

  describe('of type SUBSCRIPTION_ACTION (invoicing §11)', () => {
    it('starts a subscription in a fictitious bundle for START_BILLING, by plan name or by product', async () => {
      await begin('2024-01-10T00:00:00Z', 1);
      const before = await rowCounts();
      const expected = ['RECURRING 2024-01-10..2024-02-01 14.16'];
      expect(await action({ dryRunAction: 'START_BILLING', planName: 'solo-now' })).to.eql(expected);
      const byProduct = {
        dryRunAction: 'START_BILLING',
        productName: 'Pro',
        productCategory: 'BASE',
        billingPeriod: 'MONTHLY',
      } as const;
      expect(await action(byProduct), 'DEFAULT list').to.eql(['FIXED 2024-01-10..2024-02-09 0']);
      expect(await action({ ...byProduct, productName: 'Solo', priceListName: 'notrial' })).to.eql(expected);
      expect(await rowCounts()).to.eql(before);
      await subscribe('solo-now');
      expect(await lastLines()).to.eql(expected);
    });

    it('starts billing on a given date, in a given phase and with price overrides', async () => {
      await begin('2024-01-10T00:00:00Z', 1);
      const request = {
        dryRunAction: 'START_BILLING',
        planName: 'club-monthly',
        phaseType: 'DISCOUNT',
        effectiveDate: '2024-01-21',
        targetDate: '2024-01-21',
        priceOverrides: [{ phaseType: 'DISCOUNT', recurringPrice: '31' }],
      } as const;
      const before = await rowCounts();
      const found = await foresee({ dryRunType: 'SUBSCRIPTION_ACTION', ...request });
      expect(found && itemLines(found)).to.eql(['RECURRING 2024-01-21..2024-02-01 11']);
      expect(found?.items[0]).to.include({
        planName: 'club-monthly-dryrun-1',
        prettyPlanName: 'club-monthly',
        phaseName: 'club-monthly-dryrun-1-discount',
      });
      expect(await rowCounts()).to.eql(before);
      const { subscriptionId } = await engine.acme.createSubscription(
        {
          accountId,
          planName: 'club-monthly',
          phaseType: 'DISCOUNT',
          priceOverrides: request.priceOverrides,
        },
        { billingDate: request.effectiveDate, entitlementDate: request.effectiveDate },
      );
      await engine.runTo('2024-01-21T00:00:00Z');
      expect(await lastLines()).to.eql(['RECURRING 2024-01-21..2024-02-01 11']);
      const { bundleId } = await engine.acme.getSubscription(subscriptionId);
      const same = {
        dryRunAction: 'CHANGE',
        subscriptionId,
        bundleId,
        planName: 'club-monthly',
        billingPolicy: 'IMMEDIATE',
        phaseType: 'DISCOUNT',
        priceOverrides: request.priceOverrides,
      } as const;
      expect(await action(same), 'prices that are there already make no other plan').to.equal(null);
    });

    it('shows the same result as the actual change for a CHANGE by policy and by date (invoicing E5 "Two changes")', async () => {
      await begin('2012-05-01T00:00:00Z', 1);
      const { subscriptionId, bundleId } = await subscribe('elite-monthly', { phaseType: 'EVERGREEN' });
      await engine.runTo('2012-05-07T00:00:00Z');
      const of = { subscriptionId, bundleId };
      const expected = [
        'CBA_ADJ 2012-05-07..2012-05-07 282.26',
        'RECURRING 2012-05-07..2012-06-01 201.57',
        'REPAIR_ADJ 2012-05-07..2012-06-01 -483.83',
      ];
      const change = { dryRunAction: 'CHANGE', ...of, planName: 'pro-monthly' } as const;
      const before = await rowCounts();
      expect(await action({ ...change, billingPolicy: 'IMMEDIATE' })).to.eql(expected);
      expect(await action({ ...change, effectiveDate: '2012-05-07' })).to.eql(expected);
      const byRule = '2012-06-01';
      expect(await action({ ...change, targetDate: byRule }), 'END_OF_TERM by the rules').to.eql([
        'RECURRING 2012-06-01..2012-07-01 249.95',
      ]);
      expect(await rowCounts()).to.eql(before);
      const changeOfPlan = { planName: 'pro-monthly', billingPolicy: 'IMMEDIATE' } as const;
      await engine.acme.subscriptions.changePlan(subscriptionId, changeOfPlan);
      await engine.settle();
      expect(await lastLines()).to.eql(expected);
    });

    it('puts the current date on the credit of a CHANGE with START_OF_TERM, like the actual change (invoicing §10 rule 7)', async () => {
      await begin('2012-05-01T00:00:00Z', 1);
      const of = await subscribe('elite-monthly', { phaseType: 'EVERGREEN' });
      await engine.runTo('2012-05-07T00:00:00Z');
      const change = { planName: 'pro-monthly', billingPolicy: 'START_OF_TERM' } as const;
      const expected = [
        'CBA_ADJ 2012-05-07..2012-05-07 350',
        'RECURRING 2012-05-01..2012-06-01 249.95',
        'REPAIR_ADJ 2012-05-01..2012-06-01 -599.95',
      ];
      expect(await action({ dryRunAction: 'CHANGE', ...of, ...change })).to.eql(expected);
      await engine.settle(engine.acme.subscriptions.changePlan(of.subscriptionId, change));
      expect(await lastLines()).to.eql(expected);
    });

    it('puts the current date on used credit, even if later days are already billed (invoicing §10 rule 7)', async () => {
      await begin('2024-01-05T00:00:00Z', 1);
      await engine.acme.invoices.addCredits({ accountId, autoCommit: true, items: [{ amount: '200' }] });
      await subscribe('solo-now');
      await engine.acme.generateInvoice({ accountId, targetDate: '2024-03-01' });
      const expected = [
        'CBA_ADJ 2024-01-05..2024-01-05 -14.35',
        'RECURRING 2024-01-05..2024-02-01 4.35',
        'RECURRING 2024-02-01..2024-03-01 5',
        'RECURRING 2024-03-01..2024-04-01 5',
      ];
      expect(await action({ dryRunAction: 'START_BILLING', planName: 'kit-monthly' })).to.eql(expected);
      await subscribe('kit-monthly');
      expect(await lastLines()).to.eql(expected);
    });

    it('replaces the whole subscription for a CHANGE on its start date', async () => {
      await begin('2024-08-01T00:00:00Z', 1);
      const of = await subscribe('solo-now');
      engine.clock.set('2024-08-11T00:00:00Z');
      expect(
        await action({ dryRunAction: 'CHANGE', ...of, planName: 'team-now', effectiveDate: '2024-08-01' }),
      ).to.eql(['RECURRING 2024-08-01..2024-09-01 29.95', 'REPAIR_ADJ 2024-08-01..2024-09-01 -19.95']);
    });

    it('uses the start of the subscription if the requested time is earlier on the same day', async () => {
      await begin('2024-08-01T12:00:00Z', 1);
      engine.clock.set('2024-08-02T15:00:00Z');
      const of = await subscribe('solo-now');
      const onStart = '2024-08-02';
      expect(await action({ dryRunAction: 'STOP_BILLING', ...of, effectiveDate: onStart })).to.eql([
        'CBA_ADJ 2024-08-02..2024-08-02 19.31',
        'REPAIR_ADJ 2024-08-02..2024-09-01 -19.31',
      ]);
      expect(
        await action({ dryRunAction: 'CHANGE', ...of, planName: 'team-now', effectiveDate: onStart }),
      ).to.eql(['RECURRING 2024-08-02..2024-09-01 28.98', 'REPAIR_ADJ 2024-08-02..2024-09-01 -19.31']);
    });

    it('ends billing by policy and by date for STOP_BILLING', async () => {
      await begin('2024-05-01T00:00:00Z', 1);
      const of = await subscribe('solo-now');
      engine.clock.set('2024-05-11T00:00:00Z');
      const stop = { dryRunAction: 'STOP_BILLING', ...of } as const;
      const repaired = ['CBA_ADJ 2024-05-11..2024-05-11 13.51', 'REPAIR_ADJ 2024-05-11..2024-06-01 -13.51'];
      const before = await rowCounts();
      expect(await action(stop), 'END_OF_TERM by the rules').to.equal(null);
      expect(await action({ ...stop, targetDate: parseLocalDate('2024-07-01') })).to.equal(null);
      expect(await action({ ...stop, billingPolicy: 'IMMEDIATE' })).to.eql(repaired);
      expect(await action({ ...stop, effectiveDate: '2024-05-21', targetDate: '2024-05-21' })).to.eql([
        'CBA_ADJ 2024-05-21..2024-05-21 7.08',
        'REPAIR_ADJ 2024-05-21..2024-06-01 -7.08',
      ]);
      expect(await rowCounts()).to.eql(before);
      await engine.acme.subscriptions.cancel(of.subscriptionId, { billingPolicy: 'IMMEDIATE' });
      await engine.settle();
      expect(await lastLines()).to.eql(repaired);
    });

    it('ignores a STOP_BILLING of an uncharged add-on once its date has passed', async () => {
      await begin('2024-01-05T08:00:00Z', 1);
      const of = await subscribe('team-now');
      await engine.runTo('2024-01-16T09:00:00Z');
      await subscribe('archive-monthly', { bundleId: of.bundleId });
      await engine.runTo('2024-01-29T09:00:00Z');
      const found = await foresee({
        dryRunType: 'SUBSCRIPTION_ACTION',
        dryRunAction: 'STOP_BILLING',
        ...of,
        effectiveDate: '2024-01-31',
        targetDate: '2024-02-19',
      });
      expect(found?.targetDate).to.equal('2024-01-31');
    });

    it('uses the catalog version at the end of the requested day or, by default, the current version (catalog §6.1)', async () => {
      await begin('2024-01-10T06:00:00Z', 1, pricedCatalog({ effectiveDate: '2024-01-01', price: '10.00' }));
      const later = { effectiveDate: '2024-01-10T12:00:00Z', price: '31.00' };
      await engine.acme.uploadCatalog(pricedCatalog(later));
      const start = { dryRunAction: 'START_BILLING', planName: 'heat-monthly' } as const;
      expect(await action(start)).to.eql(['RECURRING 2024-01-10..2024-02-01 7.1']);
      const dated = { ...start, effectiveDate: '2024-01-10' };
      expect(await action(dated)).to.eql(['RECURRING 2024-01-10..2024-02-01 22']);
      expect(await action({ ...start, effectiveDate: '2024-01-09' })).to.eql([
        'RECURRING 2024-01-09..2024-02-01 7.42',
      ]);
    });

    it('bills a START_BILLING in the past in one run, like the actual creation', async () => {
      await begin('2024-02-20T00:00:00Z', 1);
      const effectiveDate = '2024-01-10';
      const start = { dryRunAction: 'START_BILLING', planName: 'pro-monthly', effectiveDate } as const;
      const expected = ['FIXED 2024-01-10..2024-02-09 0', 'RECURRING 2024-02-09..2024-03-01 181'];
      expect(await action(start)).to.eql(expected);
      const request = { billingDate: effectiveDate, entitlementDate: effectiveDate };
      await engine.subscribe({ accountId, planName: 'pro-monthly' }, request);
      expect(await lastLines()).to.eql(expected);
    });

    it('starts an add-on, and ends the add-on with its base', async () => {
      await begin('2024-01-01T00:00:00Z', 1);
      const of = await subscribe('team-now');
      const add = {
        dryRunAction: 'START_BILLING',
        planName: 'support-monthly',
        bundleId: of.bundleId,
      } as const;
      const expected = ['RECURRING 2024-01-01..2024-02-01 15'];
      expect(await action(add)).to.eql(expected);
      await engine.subscribe({ accountId, planName: 'support-monthly', bundleId: of.bundleId });
      expect(await lastLines()).to.eql(expected);
      engine.clock.set('2024-01-11T00:00:00Z');
      const dryRunAnswer = await action({ dryRunAction: 'STOP_BILLING', ...of, billingPolicy: 'IMMEDIATE' });
      expect(dryRunAnswer).to.deep.include('REPAIR_ADJ 2024-01-11..2024-02-01 -10.16');
      await engine.acme.subscriptions.cancel(of.subscriptionId, { billingPolicy: 'IMMEDIATE' });
      await engine.settle();
      expect(await lastLines()).to.eql(dryRunAnswer);
    });

    it('assumes a bill cycle day for an account without one, but does not store it', async () => {
      await begin('2024-01-10T00:00:00Z');
      expect(await action({ dryRunAction: 'START_BILLING', planName: 'solo-now' })).to.eql([
        'RECURRING 2024-01-10..2024-02-10 19.95',
      ]);
      expect((await engine.acme.getAccount(accountId)).billCycleDayLocal).to.equal(0);
    });
  });

  describe('of a future run (invoicing §11 rule 1)', () => {
    const off = SystemTag.AUTO_INVOICING_OFF;
    const account = () => ({ type: 'ACCOUNT', id: accountId }) as const;
    const january = 'RECURRING 2024-01-01..2024-02-01 19.95';
    const february = 'RECURRING 2024-02-01..2024-03-01 19.95';
    const march = 'RECURRING 2024-03-01..2024-04-01 19.95';

    async function expectUpcoming(lines: readonly string[], targetDate: string, of = {}): Promise<void> {
      const found = await foresee({ dryRunType: 'UPCOMING_INVOICE', ...of });
      expect(found && [...itemLines(found)].sort()).to.eql(lines);
      expect(found?.targetDate && found.targetDate).to.equal(targetDate);
    }

    it('returns the immediate invoice of an action even if the account is already billed far ahead', async () => {
      await begin('2024-04-01T00:00:00Z', 1);
      const of = await subscribe('solo-now');
      await engine.acme.generateInvoice({ accountId, targetDate: '2024-05-01' });
      await engine.acme.subscriptions.changeQuantity(of.subscriptionId, {
        quantity: 2,
        effectiveFromDate: '2024-05-01',
      });
      await engine.runTo('2024-04-11T00:00:00Z');
      const change = { planName: 'team-now', billingPolicy: 'IMMEDIATE' } as const;
      const dryRunAnswer = await action({ dryRunAction: 'CHANGE', ...of, ...change });
      expect(dryRunAnswer).to.deep.include('RECURRING 2024-04-11..2024-05-01 19.97');
      expect(await action({ dryRunAction: 'CHANGE', ...of, ...change, targetDate: '2024-04-11' })).to.eql(
        dryRunAnswer,
      );
      await engine.settle(engine.acme.subscriptions.changePlan(of.subscriptionId, change));
      expect(await lastLines()).to.eql(dryRunAnswer);
    });

    it('returns the invoice on the date of a future action if there is no target date', async () => {
      await begin('2024-01-01T00:00:00Z', 1);
      const of = await subscribe('solo-now');
      await engine.runTo('2024-01-11T00:00:00Z');
      const change = { planName: 'team-now', billingPolicy: 'END_OF_TERM' } as const;
      const dryRunAnswer = await action({ dryRunAction: 'CHANGE', ...of, ...change });
      expect(dryRunAnswer).to.eql(['RECURRING 2024-02-01..2024-03-01 29.95']);
      await engine.acme.subscriptions.changePlan(of.subscriptionId, change);
      await engine.runTo('2024-02-01T00:00:00Z');
      expect(await lastLines()).to.eql(dryRunAnswer);
    });

    it('returns the first invoice of an action in the past if there is no target date', async () => {
      await begin('2024-03-20T00:00:00Z', 1);
      const start = { dryRunAction: 'START_BILLING', planName: 'solo-now' } as const;
      const effectiveDate = '2024-01-01';
      expect(await action({ ...start, effectiveDate })).to.eql([january]);
      const targetDate = '2024-03-20';
      expect(await action({ ...start, effectiveDate, targetDate })).to.eql([march]);
      const request = { billingDate: effectiveDate, entitlementDate: effectiveDate };
      await engine.subscribe({ accountId, planName: 'solo-now' }, request);
      expect((await invoices()).map(itemLines)).to.eql([[january], [february], [march]]);
    });

    it('returns the invoice of an action that bills ahead, even on the due date', async () => {
      await begin('2024-04-01T00:00:00Z', 1);
      const of = await subscribe('solo-now');
      await engine.acme.generateInvoice({ accountId, targetDate: '2024-05-01' });
      await engine.runTo('2024-04-11T00:00:00Z');
      const change = {
        dryRunAction: 'CHANGE',
        ...of,
        planName: 'team-now',
        billingPolicy: 'IMMEDIATE',
      } as const;
      const dryRunAnswer = await action(change);
      expect(dryRunAnswer).to.deep.include('RECURRING 2024-04-11..2024-05-01 19.97');
      for (const targetDate of ['2024-04-30', '2024-05-01', '2024-05-02'])
        expect(await action({ ...change, targetDate: parseLocalDate(targetDate) }), targetDate).to.eql(
          dryRunAnswer,
        );
    });

    it('includes days that a void left unbilled in the invoice of the next due date', async () => {
      await begin('2024-01-01T00:00:00Z', 1);
      accountId = (await engine.acme.createAccount({ currency: 'USD', billCycleDayLocal: 1 })).id;
      const of = await subscribe('solo-now');
      await engine.runTo('2024-01-15T00:00:00Z');
      const [invoice] = await invoices();
      if (!invoice) throw new Error('nothing was billed');
      await engine.acme.invoices.void(invoice.id);
      const both = [january, february];
      for (const only of [{}, of, { bundleId: of.bundleId }]) await expectUpcoming(both, '2024-02-01', only);
      expect(await foreseen({ targetDate: parseLocalDate('2024-02-01') })).to.eql(both);
      expect(await foreseen({}), 'a run requested now').to.eql([january]);
      await engine.runTo('2024-02-01T00:00:00Z');
      expect(await lastLines()).to.eql(both);
    });

    it('returns the days held back by AUTO_INVOICING_OFF as one invoice dated today', async () => {
      await begin('2024-01-01T00:00:00Z', 1);
      const of = await subscribe('solo-now');
      await engine.acme.tags.add(account(), [off]);
      await engine.runTo('2024-02-01T00:00:00Z');
      await engine.runTo('2024-03-10T00:00:00Z');
      const both = [february, march];
      for (const only of [{}, of]) await expectUpcoming(both, '2024-03-10', only);
      expect(await foreseen({})).to.eql(both);
      expect(await foreseen({ targetDate: parseLocalDate('2024-04-01') })).to.eql([
        ...both,
        'RECURRING 2024-04-01..2024-05-01 19.95',
      ]);
      await engine.acme.tags.remove(account(), [off]);
      await engine.settle(expectUpcoming(both, '2024-03-10'));
      expect(await lastLines()).to.eql(both);
      await engine.acme.tags.add(account(), [off]);
      await expectUpcoming(['RECURRING 2024-04-01..2024-05-01 19.95'], '2024-04-01');
    });

    it('returns the days missed by a parked account as the invoice of the run that unparks the account', async () => {
      await begin('2024-01-01T00:00:00Z', 1);
      await subscribe('solo-now');
      await engine.acme.generateInvoice({ accountId, targetDate: '2026-12-01' }).catch(() => undefined);
      await engine.runTo('2024-02-01T00:00:00Z');
      await engine.runTo('2024-03-10T00:00:00Z');
      const both = [february, march];
      await expectUpcoming(both, '2024-03-10');
      expect(await foreseen({})).to.eql(both);
      await engine.acme.generateInvoice({ accountId });
      expect(await lastLines()).to.eql(both);
    });

    it('puts the current date on the invoice of a late run', async () => {
      await begin('2024-01-01T00:00:00Z', 1);
      await subscribe('solo-now');
      engine.clock.set('2024-03-10T00:00:00Z');
      await expectUpcoming([february], '2024-03-10');
      expect(await foreseen({})).to.eql([march]);
      await engine.settle();
      expect((await invoices()).map(itemLines)).to.eql([[january], [february], [march]]);
    });
  });

  describe('of an account with reused drafts or a paying parent (invoicing §11)', () => {
    const { AUTO_INVOICING_DRAFT: draft, AUTO_INVOICING_REUSE_DRAFT: reuse } = SystemTag;
    const tag = (...tags: readonly Uuid[]) => engine.acme.tags.add({ type: 'ACCOUNT', id: accountId }, tags);

    it('adds the items of later steps to the draft that the first step creates', async () => {
      await begin('2024-01-01T00:00:00Z', 1);
      await tag(draft, reuse);
      const start = { dryRunAction: 'START_BILLING', planName: 'solo-now' } as const;
      const dryRunAnswer = await action({ ...start, targetDate: '2024-02-01' });
      expect(dryRunAnswer).to.eql([
        'RECURRING 2024-01-01..2024-02-01 19.95',
        'RECURRING 2024-02-01..2024-03-01 19.95',
      ]);
      await subscribe('solo-now');
      await engine.runTo('2024-02-01T00:00:00Z');
      expect(await lastLines()).to.eql(dryRunAnswer);
    });

    it('commits the oldest remaining draft in each step', async () => {
      await begin('2024-01-01T00:00:00Z', 1);
      await tag(reuse);
      for (const amount of ['3', '4'])
        await engine.acme.invoices.addCharges({ accountId, items: [{ amount: amount }] });
      const start = { dryRunAction: 'START_BILLING', planName: 'solo-now' } as const;
      const later = { ...start, targetDate: '2024-02-01' };
      expect(await action(start)).to.eql([
        'EXTERNAL_CHARGE 2024-01-01 3',
        'RECURRING 2024-01-01..2024-02-01 19.95',
      ]);
      const dryRunAnswer = await action(later);
      expect(dryRunAnswer).to.eql(['EXTERNAL_CHARGE 2024-01-01 4', 'RECURRING 2024-02-01..2024-03-01 19.95']);
      await subscribe('solo-now');
      await engine.runTo('2024-02-01T00:00:00Z');
      expect(await lastLines()).to.eql(dryRunAnswer);
    });

    it('uses the credit of a child for future bills while the debt of the parent is open', async () => {
      await begin('2024-01-01T00:00:00Z', 1);
      const parent = accountId;
      const family = { parentAccountId: parent, isPaymentDelegatedToParent: true };
      accountId = (await engine.acme.createAccount({ currency: 'USD', billCycleDayLocal: 1, ...family })).id;
      const of = await subscribe('solo-now');
      const next = { ...of, dryRunAction: 'CHANGE', planName: 'team-now' } as const;
      const targetDate = '2024-02-01';
      const whole = 'RECURRING 2024-02-01..2024-03-01 29.95';
      const today = { ...next, billingPolicy: 'START_OF_TERM', targetDate } as const;
      expect(await action(today), 'the credit of today is used today').to.eql([whole]);
      await engine.runTo('2024-01-11T00:00:00Z');
      const stop = { ...of, dryRunAction: 'STOP_BILLING', billingPolicy: 'IMMEDIATE' } as const;
      const other = await subscribe('kit-monthly');
      const dryRunAnswer = await action(stop);
      await engine.acme.subscriptions.cancel(of.subscriptionId, { billingPolicy: 'IMMEDIATE' });
      await engine.settle();
      expect(await lastLines()).to.eql(dryRunAnswer);
      const later = await foreseen({ targetDate });
      await engine.runTo('2024-02-01T00:00:00Z');
      expect(await lastLines(), other.bundleId).to.eql(later);
      expect(later?.[0]).to.match(/^CBA_ADJ 2024-02-01..2024-02-01 -/);
    });

    it('applies a price change of an add-on on the date of the change', async () => {
      await begin('2024-01-01T00:00:00Z', 1);
      const { bundleId } = await subscribe('team-now');
      await subscribe('archive-monthly', { bundleId });
      const of = await subscribe('archive-monthly', { bundleId });
      const priceOverrides = [{ phaseType: 'EVERGREEN', recurringPrice: '4' }] as const;
      const change = { planName: 'archive-monthly', billingPolicy: 'IMMEDIATE', priceOverrides } as const;
      const dryRunAnswer = await foresee({
        dryRunType: 'SUBSCRIPTION_ACTION',
        dryRunAction: 'CHANGE',
        ...of,
        ...change,
        targetDate: '2024-01-31',
      });
      await engine.acme.subscriptions.changePlan(of.subscriptionId, change);
      await engine.runTo('2024-01-31T00:00:00Z');
      expect(await lastLines()).to.eql(dryRunAnswer && [...itemLines(dryRunAnswer)].sort());
      expect(await lastLines()).to.contain('RECURRING 2024-01-31..2024-02-01 0.13');
    });
  });

  describe('with only a subscription and a quantity (invoicing §11 rule 2)', () => {
    it('derives the bundle and account from the subscription, and multiplies prices by the quantity', async () => {
      await begin('2024-05-01T00:00:00Z', 1);
      const { subscriptionId } = await subscribe('solo-now');
      const change = {
        dryRunType: 'SUBSCRIPTION_ACTION',
        dryRunAction: 'CHANGE',
        planName: 'team-now',
        billingPolicy: 'IMMEDIATE',
        subscriptionId,
        quantity: 3,
      } as const;
      const found = await engine.acme.invoices.dryRun({ ...change, explain: true });
      const { planName, billingPolicy, quantity } = change;
      await engine.settle(
        engine.acme.subscriptions.changePlan(subscriptionId, { planName, billingPolicy, quantity }),
      );
      expect(found && [...itemLines(found)].sort()).to.eql(await lastLines());
      const texts = found?.items.map(({ explanation }) => explanation?.text ?? '');
      expect(
        texts?.every((text) => text !== ''),
        String(texts),
      ).to.equal(true);
      const start = { dryRunType: 'SUBSCRIPTION_ACTION', dryRunAction: 'START_BILLING' } as const;
      const begun = await foreseen({ ...start, planName: 'solo-now', quantity: 2 });
      expect(begun).to.eql(['RECURRING 2024-05-01..2024-06-01 39.9']);
    });
  });

  describe('with invalid requests', () => {
    const expectRefused = (request: Request, error: ErrorName) =>
      expectCode(foresee({ dryRunType: 'SUBSCRIPTION_ACTION', ...request }), error, JSON.stringify(request));

    it('rejects missing or superfluous values', async () => {
      await begin('2024-05-01T00:00:00Z', 1);
      const of = await subscribe('solo-now');
      const { bundleId } = of;
      const product = { productName: 'Pro', productCategory: 'BASE', billingPeriod: 'MONTHLY' } as const;
      const bad: readonly Request[] = [
        {},
        { dryRunAction: 'START_BILLING' },
        { dryRunAction: 'START_BILLING', ...product, productCategory: null },
        { dryRunAction: 'START_BILLING', ...product, billingPeriod: null },
        { dryRunAction: 'START_BILLING', ...product, planName: 'pro-monthly' },
        { dryRunAction: 'START_BILLING', planName: 'pro-monthly', priceListName: 'DEFAULT' },
        { dryRunAction: 'START_BILLING', ...product, productCategory: 'ADD_ON' },
        { dryRunAction: 'START_BILLING', ...product, productCategory: 'STANDALONE' },
        {
          dryRunAction: 'START_BILLING',
          planName: 'pro-monthly',
          priceOverrides: [{ phaseType: 'EVERGREEN' }],
        },
        { dryRunAction: 'CHANGE', planName: 'pro-monthly', bundleId },
        { dryRunAction: 'CHANGE', ...of },
        { dryRunAction: 'CHANGE', ...of, ...product, productCategory: 'STANDALONE' },
        { dryRunAction: 'STOP_BILLING', bundleId },
      ];
      for (const request of bad) await expectRefused(request, 'MISSING_OR_INVALID_FIELD');
      await expectRefused(
        { dryRunAction: 'STOP_BILLING', ...of, billingPolicy: 'ILLEGAL' },
        'INVALID_PARAMETER',
      );
    });

    it('rejects unknown members and misspelled values, and names the valid members and values', async () => {
      await begin('2024-05-01T00:00:00Z', 1);
      const rejected = (request: object) => messageOf(engine.acme.invoices.dryRun(request));
      expect(await rejected({ accountId, dryRunTyp: 'UPCOMING_INVOICE' })).to.match(
        /^dryRunTyp is not a valid member\. Use .*dryRunType/,
      );
      expect(await rejected({ accountId, dryRunType: 'UPCOMMING' })).to.equal(
        'dryRunType must be TARGET_DATE, UPCOMING_INVOICE or SUBSCRIPTION_ACTION, not "UPCOMMING"',
      );
      expect(await rejected({ accountId, billingPolicy: 'NOW' })).to.equal(
        'billingPolicy NOW is not one of IMMEDIATE, END_OF_TERM and START_OF_TERM',
      );
      expect(await rejected({})).to.equal('accountId or subscriptionId needs to be set');
    });

    it('rejects ids of other accounts', async () => {
      await begin('2024-05-01T00:00:00Z', 1);
      const of = await subscribe('solo-now');
      const other = await subscribe('team-now');
      const stranger = await engine.payingAccount({ currency: 'USD' });
      const foreign = await engine.acme.createSubscription({ accountId: stranger.id, planName: 'solo-now' });
      const cases: readonly (readonly [object, ErrorName])[] = [
        [{ ...of, subscriptionId: unknownId }, 'SUBSCRIPTION_INVALID_SUBSCRIPTION_ID'],
        [{ ...of, bundleId: unknownId }, 'SUBSCRIPTION_GET_INVALID_BUNDLE_ID'],
        [{ ...of, bundleId: other.bundleId }, 'SUBSCRIPTION_CREATE_INVALID_ENTITLEMENT_SPECIFIER'],
        [foreign, 'SUBSCRIPTION_CREATE_INVALID_ENTITLEMENT_SPECIFIER'],
      ];
      for (const [ids, code] of cases) {
        await expectRefused({ dryRunAction: 'STOP_BILLING', ...ids }, code);
        await expectCode(foresee({ dryRunType: 'UPCOMING_INVOICE', ...ids }), code);
      }
      const { subscriptionId } = foreign;
      await expectCode(
        foresee({ dryRunType: 'UPCOMING_INVOICE', subscriptionId }),
        'SUBSCRIPTION_CREATE_INVALID_ENTITLEMENT_SPECIFIER',
      );
      await expectRefused(
        { dryRunAction: 'START_BILLING', planName: 'solo-now', bundleId: foreign.bundleId },
        'SUBSCRIPTION_CREATE_INVALID_ENTITLEMENT_SPECIFIER',
      );
      await expectRefused(
        { dryRunAction: 'START_BILLING', planName: 'solo-now', bundleId: of.bundleId },
        'SUBSCRIPTION_CREATE_BP_EXISTS',
      );
    });

    it('rejects everything that the actual operation rejects', async () => {
      await begin('2024-05-01T00:00:00Z', 1);
      const of = await subscribe('solo-now');
      await expectRefused(
        { dryRunAction: 'START_BILLING', planName: 'no-such-plan' },
        'CATALOG_NO_SUCH_PLAN',
      );
      await expectRefused(
        { dryRunAction: 'CHANGE', ...of, planName: 'kit-monthly' },
        'SUBSCRIPTION_CHANGE_INVALID',
      );
      await engine.acme.subscriptions.cancel(of.subscriptionId, {
        billingPolicy: 'END_OF_TERM',
        entitlementPolicy: 'IMMEDIATE',
      });
      await expectRefused(
        { dryRunAction: 'CHANGE', ...of, planName: 'team-now', billingPolicy: 'IMMEDIATE' },
        'SUBSCRIPTION_CHANGE_FUTURE_CANCELLED',
      );
      await expectRefused({ dryRunAction: 'STOP_BILLING', ...of }, 'SUBSCRIPTION_CANCEL_BAD_STATE');
      await expectRefused(
        { dryRunAction: 'START_BILLING', planName: 'solo-now', targetDate: '2099-01-01' },
        'INVOICE_TARGET_DATE_TOO_FAR_IN_THE_FUTURE',
      );
    });
  });

  it('sends as many SQL statements for twelve subscriptions over a year as for one subscription over a month', async () => {
    await begin('2023-01-01T00:00:00Z', 1);
    const of = await subscribe('solo-now');
    const requests: readonly Request[] = [
      {},
      { dryRunType: 'UPCOMING_INVOICE' },
      { dryRunType: 'UPCOMING_INVOICE', ...of },
      { dryRunType: 'SUBSCRIPTION_ACTION', dryRunAction: 'START_BILLING', planName: 'team-now' },
      {
        dryRunType: 'SUBSCRIPTION_ACTION',
        dryRunAction: 'CHANGE',
        ...of,
        planName: 'team-now',
        billingPolicy: 'IMMEDIATE',
      },
      { dryRunType: 'SUBSCRIPTION_ACTION', dryRunAction: 'STOP_BILLING', ...of, billingPolicy: 'IMMEDIATE' },
    ];
    const count = async (): Promise<readonly number[]> => {
      const counts: number[] = [];
      for (const request of requests) {
        const statements = await engine.statementsOf(() => foresee(request));
        expect(statements.filter((text) => /^\s*(insert|update|delete)|for update/i.test(text))).to.eql([]);
        counts.push(statements.filter((text) => /select/i.test(text)).length);
      }
      return counts;
    };
    await count();
    const few = await count();
    for (let more = 0; more < 11; more += 1) await subscribe(more % 2 === 0 ? 'solo-now' : 'kit-monthly');
    await engine.runTo('2024-01-15T00:00:00Z');
    expect(await count()).to.eql(few);
    expect(Math.max(...few)).to.be.lessThan(25);
  });

  it('simulates every invoice before a distant date, and returns the last invoice', async () => {
    await begin('2014-01-02T00:00:00Z', 1);
    await subscribe('pro-monthly');
    const found = await foresee({
      dryRunType: 'SUBSCRIPTION_ACTION',
      dryRunAction: 'START_BILLING',
      planName: 'solo-now',
      targetDate: '2014-04-01',
    });
    expect(found && [...itemLines(found)].sort()).to.eql([
      'RECURRING 2014-04-01..2014-05-01 19.95',
      'RECURRING 2014-04-01..2014-05-01 249.95',
    ]);
    expect(found && formatDecimal(found.balance)).to.equal('269.9');
  });
});
