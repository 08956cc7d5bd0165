import type { CreateSubscriptionRequest, HostInput, Uuid } from '../../lib/index.ts';
import { ErrorCode } from '../../lib/index.ts';
import { catalogXml, lists, phase, plan } from '../support/catalogs/catalog-document.ts';
import { eachDatabaseByTurns } from '../support/databases.ts';
import type { ErrorName, TestEngine } from '../support/index.ts';
import { expect, expectCode, itemLines, newEvents, openEngine } from '../support/index.ts';

type Dates = { readonly [K in 'entitlementDate' | 'billingDate']?: string };

eachDatabaseByTurns.describe('add-ons', (open) => {
  let engine: TestEngine;
  let accountId: Uuid;

  async function begin(now: string, options: { billCycleDayLocal?: number; catalog?: string } = {}) {
    const { catalog, ...account } = options;
    engine = await openEngine(open, catalog === undefined ? { now } : { now, catalog });
    accountId = (await engine.acme.createAccount({ currency: 'USD', ...account })).id;
  }

  type Request = Omit<HostInput<CreateSubscriptionRequest>, 'accountId'>;

  async function create(request: Request, dates: Dates = {}): Promise<{ id: Uuid; bundleId: Uuid }> {
    const { subscriptionId, bundleId } = await engine.subscribe({ accountId, ...request }, dates);
    return { id: subscriptionId, bundleId };
  }

  const addOn = async (bundleId: Uuid, planName: string, dates: Dates = {}) =>
    (await create({ bundleId, planName }, dates)).id;

  /** Returns the events, one line each: `STOP_BILLING 2024-06-30`. */
  async function rowsOf(subscriptionId: Uuid): Promise<readonly string[]> {
    const { events } = await engine.acme.getSubscription(subscriptionId);
    return events.map((event) => `${event.eventType} ${event.effective.at.toISOString().slice(0, 10)}`);
  }

  const together = (...planNames: readonly string[]) =>
    engine.acme.subscriptions.createWithAddOns(planNames.map((planName) => ({ accountId, planName })));

  const linesOf = (): Promise<readonly string[]> => engine.linesOf(accountId);

  describe('alignment and ends', () => {
    it('start in the phase that their create alignment determines (subscriptions W5 "Create alignment")', async () => {
      await begin('2023-08-01');
      const { bundleId } = await create({ planName: 'pro-monthly' });
      await engine.runTo('2023-08-15');
      const phaseOf = async (id: Uuid) => (await rowsOf(id)).filter((row) => row.startsWith('PHASE'));
      const backup = await addOn(bundleId, 'backup-monthly');
      expect((await engine.acme.getSubscription(backup)).phaseType).to.equal('TRIAL');
      expect(await phaseOf(backup)).to.eql(['PHASE 2023-08-31']);
      const archive = await addOn(bundleId, 'archive-monthly');
      expect((await engine.acme.getSubscription(archive)).phaseType).to.equal('TRIAL');
      expect(await phaseOf(archive)).to.eql(['PHASE 2023-09-14']);
      await engine.runTo('2023-09-20');
      const further = await addOn(bundleId, 'backup-monthly');
      expect((await engine.acme.getSubscription(further)).phaseType).to.equal('EVERGREEN');
      expect(await phaseOf(further)).to.eql([]);
    });

    it('inherit the future end of their base until the base is uncanceled (subscriptions W11)', async () => {
      await begin('2024-04-01', { billCycleDayLocal: 1 });
      const base = await create({ planName: 'solo-monthly' });
      const backup = await addOn(base.bundleId, 'backup-monthly');
      await engine.runTo('2024-05-10');
      expect(await rowsOf(backup)).to.eql([
        'START_ENTITLEMENT 2024-04-01',
        'START_BILLING 2024-04-01',
        'PHASE 2024-05-01',
      ]);
      const options = { entitlementPolicy: 'END_OF_TERM', billingPolicy: 'END_OF_TERM' } as const;
      await engine.acme.subscriptions.cancel(base.id, options);
      expect(await engine.endsOf(backup)).to.equal('ACTIVE 2024-06-01 2024-06-01');
      const stops = ['STOP_ENTITLEMENT 2024-06-01', 'STOP_BILLING 2024-06-01'];
      expect((await rowsOf(backup)).slice(3)).to.eql(stops);
      await expectCode(engine.acme.subscriptions.uncancel(backup), 'ENTITLEMENT_UNCANCEL_BAD_STATE');
      await engine.acme.subscriptions.uncancel(base.id);
      expect(await engine.endsOf(backup)).to.equal('ACTIVE - -');
      await engine.runTo('2024-06-02');
      expect(await engine.endsOf(backup)).to.equal('ACTIVE - -');
      expect((await linesOf()).filter((line) => line.includes('13'))).to.eql([
        'RECURRING 2024-05-01..2024-06-01 13',
        'RECURRING 2024-06-01..2024-07-01 13',
      ]);
    });

    it('are canceled immediately when a plan change of the base drops them (subscriptions W12)', async () => {
      await begin('2024-08-01');
      const base = await create({ planName: 'pro-monthly' });
      const support = await addOn(base.bundleId, 'support-monthly');
      const dates = { entitlementDate: '2024-09-10', billingDate: '2024-09-10' };
      const backup = await addOn(base.bundleId, 'backup-monthly', dates);
      await engine.runTo('2024-09-05');
      await engine.acme.subscriptions.changePlan(base.id, { planName: 'elite-monthly' });
      expect(await engine.endsOf(support)).to.equal('CANCELLED 2024-09-05 2024-09-05');
      expect(await engine.endsOf(backup)).to.equal('CANCELLED 2024-09-05 2024-09-10');
      await engine.runTo('2024-10-31');
      expect(await linesOf(), 'support to the change, backup never').to.eql([
        'FIXED 2024-08-01..2024-08-31 0',
        'RECURRING 2024-08-01..2024-08-31 14.52',
        'RECURRING 2024-08-31..2024-09-30 249.95',
        'RECURRING 2024-08-31..2024-09-30 15',
        'RECURRING 2024-09-05..2024-09-30 483.83',
        'REPAIR_ADJ 2024-09-05..2024-09-30 -208.29',
        'REPAIR_ADJ 2024-09-05..2024-09-30 -12.5',
        'RECURRING 2024-09-30..2024-10-31 599.95',
        'RECURRING 2024-10-31..2024-11-30 599.95',
      ]);
      expect(await engine.endsOf(backup)).to.equal('CANCELLED 2024-09-05 2024-09-10');
    });

    describe('in plan changes (subscriptions W6 "Change alignment")', () => {
      type Row = readonly [string, { list?: string; phaseType?: 'EVERGREEN' }, readonly string[]];
      const table: readonly Row[] = [
        ['START_OF_BUNDLE', {}, ['CHANGE 2023-08-15', 'PHASE 2023-08-31']],
        ['START_OF_SUBSCRIPTION', {}, ['CHANGE 2023-08-15', 'PHASE 2023-09-04']],
        ['CHANGE_OF_PLAN', {}, ['CHANGE 2023-08-15', 'PHASE 2023-09-14']],
        ['CHANGE_OF_PLAN', { phaseType: 'EVERGREEN' }, ['CHANGE 2023-08-15']],
        ['CHANGE_OF_PRICELIST', {}, ['CHANGE 2023-08-15', 'PHASE 2023-09-04']],
        ['CHANGE_OF_PRICELIST', { list: 'other' }, ['CHANGE 2023-08-15', 'PHASE 2023-09-14']],
      ];
      for (const [alignment, { list = 'DEFAULT', ...request }, rows] of table)
        it(`follow ${alignment} in a change to price list ${list}${request.phaseType ? `, phase ${request.phaseType}` : ''}`, async () => {
          await begin('2023-08-01', { catalog: alignedBy(alignment) });
          const base = await create({ planName: 'base' });
          await engine.runTo('2023-08-05');
          const changed = await addOn(base.bundleId, 'extra');
          await engine.runTo('2023-08-15');
          await engine.acme.subscriptions.changePlan(changed, {
            planName: list === 'DEFAULT' ? 'more' : 'more-other',
            billingPolicy: 'IMMEDIATE',
            ...request,
          });
          const { events } = await engine.acme.getSubscription(changed);
          const later = events.filter(({ eventType }) => eventType === 'CHANGE' || eventType === 'PHASE');
          expect(later.map(({ eventType, effective }) => `${eventType} ${effective.date}`)).to.eql(rows);
        });
    });

    it('expire with the fixed term of their base, even if their own term is longer (subscriptions W18 "Fixed term")', async () => {
      await begin('2023-01-01');
      const base = await create({ planName: 'term-3m' });
      const support = await addOn(base.bundleId, 'support-6m');
      expect((await rowsOf(base.id)).slice(2)).to.eql(['STOP_BILLING 2023-04-01']);
      expect((await rowsOf(support)).slice(2)).to.eql(['STOP_BILLING 2023-04-01']);
      await engine.runTo('2023-02-10');
      const requestedDate = '2023-05-01';
      await expectCode(
        engine.acme.subscriptions.cancel(base.id, { requestedDate, useRequestedDateForBilling: true }),
        'SUBSCRIPTION_CANCEL_BAD_STATE',
      );
      await engine.runTo('2023-04-01');
      expect(await engine.endsOf(base.id)).to.equal('EXPIRED - -');
      expect(await engine.endsOf(support)).to.equal('EXPIRED - -');
      await engine.runTo('2023-08-01');
      expect((await linesOf()).filter((line) => line.endsWith(' 12'))).to.have.length(3);
    });
  });

  describe('in invalid requests', () => {
    const table: Readonly<Record<string, readonly [code: ErrorName, attempt: () => Promise<unknown>]>> = {
      'an add-on without a bundle': [
        'SUBSCRIPTION_CREATE_NO_BP',
        () => create({ planName: 'backup-monthly' }),
      ],
      'an add-on for an unknown bundle key': [
        'SUBSCRIPTION_CREATE_NO_BP',
        () => create({ planName: 'backup-monthly', bundleExternalKey: 'nobody' }),
      ],
      'an add-on for the key of a bundle that has ended': [
        'SUBSCRIPTION_CREATE_NO_BP',
        async () => {
          const ended = await create({ planName: 'solo-now', bundleExternalKey: 'over' });
          await engine.acme.subscriptions.cancel(ended.id, { billingPolicy: 'IMMEDIATE' });
          await create({ planName: 'backup-monthly', bundleExternalKey: 'over' });
        },
      ],
      'an add-on in a bundle of standalone subscriptions': [
        'SUBSCRIPTION_GET_NO_SUCH_BASE_SUBSCRIPTION',
        async () => addOn((await create({ planName: 'kit-monthly' })).bundleId, 'backup-monthly'),
      ],
      'an add-on for a base whose service has ended': [
        'SUBSCRIPTION_GET_NO_SUCH_BASE_SUBSCRIPTION',
        async () => {
          const { id, bundleId } = await create({ planName: 'solo-now' });
          const options = { entitlementPolicy: 'IMMEDIATE', billingPolicy: 'END_OF_TERM' } as const;
          await engine.acme.subscriptions.cancel(id, options);
          await addOn(bundleId, 'backup-monthly');
        },
      ],
      'an add-on for a base whose service starts later': [
        'SUBSCRIPTION_GET_NO_SUCH_BASE_SUBSCRIPTION',
        async () => {
          const later = await create({ planName: 'solo-now' }, { entitlementDate: '2024-06-02' });
          await addOn(later.bundleId, 'backup-monthly');
        },
      ],
      'an add-on for a base whose billing has ended': [
        'SUBSCRIPTION_CREATE_AO_BP_NON_ACTIVE',
        async () => {
          const { id, bundleId } = await create({ planName: 'solo-now' });
          const options = { entitlementPolicy: 'END_OF_TERM', billingPolicy: 'IMMEDIATE' } as const;
          await engine.acme.subscriptions.cancel(id, options);
          await addOn(bundleId, 'backup-monthly');
        },
      ],
      'an add-on after the end of its base': [
        'SUBSCRIPTION_CREATE_AO_BP_NON_ACTIVE',
        async () =>
          addOn((await create({ planName: 'term-3m' })).bundleId, 'backup-monthly', {
            billingDate: '2025-01-01',
          }),
      ],
      'an add-on that the product of the base includes': [
        'SUBSCRIPTION_CREATE_AO_ALREADY_INCLUDED',
        async () => addOn((await create({ planName: 'elite-monthly' })).bundleId, 'support-monthly'),
      ],
      'an add-on that the product of the base does not offer': [
        'SUBSCRIPTION_CREATE_AO_NOT_AVAILABLE',
        async () => addOn((await create({ planName: 'elite-monthly' })).bundleId, 'backup-monthly'),
      ],
      'an add-on that the plan of the base at its date does not offer': [
        'SUBSCRIPTION_CREATE_AO_NOT_AVAILABLE',
        async () => {
          const { id, bundleId } = await create({ planName: 'solo-now' });
          const requestedDate = '2024-07-01';
          await engine.acme.subscriptions.changePlan(id, { planName: 'elite-monthly', requestedDate });
          await addOn(bundleId, 'backup-monthly', { billingDate: '2024-07-01' });
        },
      ],
      'an add-on beyond the limit of its plan': [
        'SUBSCRIPTION_CREATE_AO_MAX_PLAN_ALLOWED_BY_BUNDLE',
        async () => {
          const { bundleId } = await create({ planName: 'solo-now' });
          const more = { bundleId, planName: 'archive-monthly' };
          const priceOverrides = [{ phaseType: 'EVERGREEN', recurringPrice: '5' }] as const;
          await create({ ...more, priceOverrides });
          await addOn(bundleId, 'archive-monthly', { billingDate: '2024-07-01' });
          await create({ ...more, priceOverrides: [{ phaseType: 'EVERGREEN', recurringPrice: '6' }] });
        },
      ],
      'add-ons beyond the limit of their plan in one call': [
        'SUBSCRIPTION_CREATE_AO_MAX_PLAN_ALLOWED_BY_BUNDLE',
        () => together('solo-now', 'archive-monthly', 'archive-monthly', 'archive-monthly'),
      ],
      'an add-on that its base in the same call does not offer': [
        'SUBSCRIPTION_CREATE_AO_NOT_AVAILABLE',
        () => together('backup-monthly', 'elite-monthly'),
      ],
      'an add-on that its base in the same call includes': [
        'SUBSCRIPTION_CREATE_AO_ALREADY_INCLUDED',
        () => together('support-monthly', 'elite-monthly'),
      ],
      'two bases in one call': [
        'SUBSCRIPTION_CREATE_INVALID_ENTITLEMENT_SPECIFIER',
        () => together('solo-now', 'team-now'),
      ],
      'standalone subscriptions with a base': [
        'SUBSCRIPTION_CREATE_INVALID_ENTITLEMENT_SPECIFIER',
        () => together('solo-now', 'kit-monthly'),
      ],
      'a base for a bundle that has one': [
        'SUBSCRIPTION_CREATE_BP_EXISTS',
        async () => {
          const { bundleId } = await create({ planName: 'solo-now' });
          await engine.acme.subscriptions.createWithAddOns([{ accountId, bundleId, planName: 'team-now' }]);
        },
      ],
      'a bundle that a later group names with another key': [
        'SUBSCRIPTION_CREATE_INVALID_ENTITLEMENT_SPECIFIER',
        async () => {
          const { bundleId } = await create({ planName: 'solo-now', bundleExternalKey: 'its own' });
          await engine.acme.subscriptions.createBundles([
            [{ accountId, bundleId, planName: 'backup-monthly', bundleExternalKey: 'its own' }],
            [{ accountId, bundleId, planName: 'backup-monthly', bundleExternalKey: 'another' }],
          ]);
        },
      ],
      'an unknown bundle with the key of another group': [
        'SUBSCRIPTION_GET_INVALID_BUNDLE_ID',
        async () => {
          await engine.acme.subscriptions.createBundles([
            [{ accountId, planName: 'solo-now', bundleExternalKey: 'new' }],
            [{ accountId, bundleId: accountId, planName: 'backup-monthly', bundleExternalKey: 'new' }],
          ]);
        },
      ],
      'an ended bundle whose key another group takes': [
        'SUBSCRIPTION_CREATE_BP_EXISTS',
        async () => {
          const { id, bundleId } = await create({ planName: 'solo-now', bundleExternalKey: 'again' });
          await engine.acme.subscriptions.cancel(id, { billingPolicy: 'IMMEDIATE' });
          await engine.acme.subscriptions.createBundles([
            [{ accountId, planName: 'team-now', bundleExternalKey: 'again' }],
            [{ accountId, bundleId, planName: 'backup-monthly' }],
          ]);
        },
      ],
      'a subscription key in use': [
        'SUBSCRIPTION_EXTERNAL_KEY_EXISTS',
        async () => {
          await create({ planName: 'solo-now', externalKey: 'used' });
          await engine.acme.subscriptions.createBundles([
            [{ accountId, planName: 'solo-now' }],
            [{ accountId, planName: 'team-now', externalKey: 'used' }],
          ]);
        },
      ],
    };
    for (const [name, [code, attempt]] of Object.entries(table))
      it(`are not created if the request contains ${name}`, async () => {
        await begin('2024-06-01', { billCycleDayLocal: 1 });
        const stored = async () =>
          (await engine.acme.subscriptions.bundlesOfAccount(accountId)).flatMap(
            ({ subscriptions }) => subscriptions,
          );
        let before: number | undefined;
        const counted = attempt().catch(async (error) => {
          before = (await stored()).length;
          throw error;
        });
        await expectCode(counted, code);
        const kept = (await stored()).map(({ planName }) => planName);
        expect(kept, 'what was made before is all there is').to.have.length(before ?? 0);
        expect(kept.filter((planName) => planName === 'team-now')).to.eql([]);
      });
  });

  describe('created in the past beside a base that has changed since', () => {
    /**
     * Creates a base that offers support and backup; from the 10th, it includes support and no longer offers backup.
     */
    async function beginChanged(): Promise<Uuid> {
      await begin('2024-06-01', { billCycleDayLocal: 1 });
      const { id, bundleId } = await create({ planName: 'solo-now' });
      await engine.runTo('2024-06-10');
      await engine.acme.subscriptions.changePlan(id, { planName: 'elite-monthly' });
      await engine.runTo('2024-06-20');
      return bundleId;
    }
    const from = (date: string) => ({ entitlementDate: date, billingDate: date });

    it('end on the past day on which their base left the plan that offered them, and are billed up to that day', async () => {
      const bundleId = await beginChanged();
      const events = newEvents(engine.database);
      await events();
      const support = await addOn(bundleId, 'support-monthly', from('2024-06-05'));
      const types = await events();
      expect(types.filter((type) => type === 'SUBSCRIPTION_CANCEL' || type === 'ENTITLEMENT_CANCEL')).to.eql([
        'SUBSCRIPTION_CANCEL',
        'ENTITLEMENT_CANCEL',
      ]);
      expect(await engine.endsOf(support)).to.equal('CANCELLED 2024-06-10 2024-06-10');
      expect((await linesOf()).filter((line) => line.startsWith('RECURRING 2024-06-05'))).to.eql([
        // 5 of the 30 days of the period 2024-06-01..2024-07-01 (invoicing §5.4 rule 5).
        'RECURRING 2024-06-05..2024-06-10 2.5',
      ]);
      const { events: rows } = await engine.acme.getSubscription(support);
      const [bundle] = await engine.acme.subscriptions.bundlesOfAccount(accountId);
      const ofBase = new Set(bundle?.subscriptions[0]?.events.map(({ eventId }) => eventId));
      expect([ofBase.size, rows.length].every((count) => count > 2)).to.equal(true);
      expect(
        rows.filter(({ eventId }) => ofBase.has(eventId)),
        'ends of its own',
      ).to.eql([]);
      await engine.runTo('2024-08-02');
      const lines = await linesOf();
      expect(lines.filter((line) => / 599\.95$/.test(line))).to.have.length(2);
      expect(lines.filter((line) => / 15$/.test(line))).to.eql([]);
      expect(await engine.acme.invoices.verifyCoverage(accountId)).to.eql([]);
    });

    it('are rejected if they start in the past, on or after the day their base left the plan that offered them', async () => {
      const bundleId = await beginChanged();
      const late = (planName: string, date: string) => addOn(bundleId, planName, from(date));
      await expectCode(late('support-monthly', '2024-06-10'), 'SUBSCRIPTION_CREATE_AO_ALREADY_INCLUDED');
      await expectCode(late('backup-monthly', '2024-06-12'), 'SUBSCRIPTION_CREATE_AO_NOT_AVAILABLE');
      const archive = await addOn(bundleId, 'archive-monthly', from('2024-06-05'));
      expect(await engine.endsOf(archive), 'offered before and after').to.equal('ACTIVE - -');
    });

    it('cannot change on a past date to a plan that the base no longer offers (subscriptions §7 rule 7)', async () => {
      const archive = await addOn(await beginChanged(), 'archive-monthly', from('2024-06-05'));
      const change = { planName: 'backup-monthly', requestedDate: '2024-06-06' };
      const changed = engine.acme.subscriptions.changePlan(archive, change);
      await expectCode(changed, 'SUBSCRIPTION_CREATE_AO_NOT_AVAILABLE');
      expect(await engine.endsOf(archive)).to.equal('ACTIVE - -');
    });

    it('expire with the fixed term of their base, even if both are created after the term has ended', async () => {
      await begin('2024-06-01', { billCycleDayLocal: 1 });
      const made = await engine.acme.subscriptions.createWithAddOns(
        ['term-3m', 'support-monthly'].map((planName) => ({ accountId, planName })),
        from('2024-01-01'),
      );
      await engine.settle();
      const [, support] = made.subscriptionIds as [Uuid, Uuid];
      expect(await engine.endsOf(support)).to.equal('EXPIRED - -');
      await engine.runTo('2024-08-01');
      expect((await linesOf()).filter((line) => / 15$/.test(line))).to.eql([
        'RECURRING 2024-01-01..2024-02-01 15',
        'RECURRING 2024-02-01..2024-03-01 15',
        'RECURRING 2024-03-01..2024-04-01 15',
      ]);
    });
  });

  describe('created together with other subscriptions', () => {
    it('have the same dates, bundle and invoice as their base, and are listed after the base', async () => {
      await begin('2024-06-01', { billCycleDayLocal: 1 });
      const made = await engine.settle(together('support-monthly', 'solo-now', 'archive-monthly'));
      const [bundle] = await engine.acme.subscriptions.bundlesOfAccount(accountId);
      expect(bundle?.bundleId).to.equal(made.bundleId);
      const views = await Promise.all(made.subscriptionIds.map((id) => engine.acme.getSubscription(id)));
      expect(views.map(({ planName, productCategory }) => `${planName} ${productCategory}`)).to.eql([
        'support-monthly ADD_ON',
        'solo-now BASE',
        'archive-monthly ADD_ON',
      ]);
      expect(bundle?.subscriptions.map(({ planName }) => planName)).to.eql([
        'solo-now',
        'support-monthly',
        'archive-monthly',
      ]);
      const invoices = await engine.invoicesOf(accountId);
      expect(invoices).to.have.length(1);
      expect(invoices.flatMap(itemLines).toSorted()).to.eql([
        'FIXED 2024-06-01..2024-07-01 0',
        'RECURRING 2024-06-01..2024-07-01 15',
        'RECURRING 2024-06-01..2024-07-01 19.95',
      ]);
    });

    it('have their own quantity, prices, bill cycle day and key', async () => {
      await begin('2024-06-01', { billCycleDayLocal: 1 });
      const { subscriptionIds } = await engine.acme.subscriptions.createWithAddOns([
        { accountId, planName: 'solo-now', bundleExternalKey: 'desk' },
        {
          accountId,
          planName: 'support-monthly',
          externalKey: 'desk-support',
          quantity: 3,
          billCycleDayLocal: 15,
          priceOverrides: [{ phaseType: 'EVERGREEN', recurringPrice: '10' }],
        },
      ]);
      await engine.settle();
      const view = await engine.acme.getSubscription(subscriptionIds[1] as Uuid);
      expect(view).to.include({
        externalKey: 'desk-support',
        bundleExternalKey: 'desk',
        planName: 'support-monthly-1',
        quantity: 3,
        billCycleDayLocal: 15,
      });
      expect(await linesOf()).to.include('RECURRING 2024-06-01..2024-06-15 13.55');
    });

    it('can start in the future with their bundle, but never before their base', async () => {
      await begin('2024-06-01');
      const dates = { entitlementDate: '2024-06-01', billingDate: '2024-06-20' };
      const base = await create({ planName: 'solo-now' }, dates);
      const support = await addOn(base.bundleId, 'support-monthly', { billingDate: '2024-06-05' });
      const { billingStart } = await engine.acme.getSubscription(support);
      expect(billingStart?.date).to.equal('2024-06-20');
    });

    it('can be created in several bundles by one call, with one bundle per key', async () => {
      await begin('2024-06-01');
      const request = (planName: string, more = {}) => ({ accountId, planName, ...more });
      const made = await engine.acme.subscriptions.createBundles([
        [request('solo-now', { bundleExternalKey: 'one' })],
        [request('kit-monthly'), request('kit-monthly')],
        [request('archive-monthly', { bundleExternalKey: 'one' })],
      ]);
      const [first, second, third] = made.map(({ bundleId }) => bundleId);
      expect(third).to.equal(first);
      expect(second).not.to.equal(first);
      expect(made.map(({ subscriptionIds }) => subscriptionIds.length)).to.eql([1, 2, 1]);
    });

    it('cause events for each subscription, but only one invoice run per call', async () => {
      await begin('2024-06-01');
      const events = newEvents(engine.database);
      await events();
      await together('solo-now', 'support-monthly');
      expect(await events()).to.eql([
        'SUBSCRIPTION_CREATION',
        'SUBSCRIPTION_CREATION',
        'ENTITLEMENT_CREATION',
        'SUBSCRIPTION_CREATION',
        'SUBSCRIPTION_CREATION',
        'ENTITLEMENT_CREATION',
      ]);
      await engine.settle();
      const runs = (await events()).filter((type) => ['INVOICE_CREATION', 'NULL_INVOICE'].includes(type));
      expect(runs).to.eql(['INVOICE_CREATION']);
    });

    it('count their fixed term from their own start, regardless of the age of the bundle', async () => {
      await begin('2024-06-01');
      const { bundleId } = await together('solo-now');
      await engine.runTo('2024-07-15');
      expect((await rowsOf(await addOn(bundleId, 'support-6m'))).at(-1)).to.equal('STOP_BILLING 2025-01-15');
    });

    it('are accepted only up to the limit of their plan, even in simultaneous calls', async () => {
      await begin('2024-06-01');
      const { bundleId } = await together('solo-now', 'archive-monthly');
      const more = () => engine.acme.createSubscription({ accountId, bundleId, planName: 'archive-monthly' });
      const outcomes = await Promise.allSettled([more(), more(), more()]);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
      const reasons = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason.code] : []));
      expect(new Set(reasons)).to.eql(new Set([ErrorCode.SUBSCRIPTION_CREATE_AO_MAX_PLAN_ALLOWED_BY_BUNDLE]));
      const [bundle] = await engine.acme.subscriptions.bundlesOfAccount(accountId);
      expect(bundle?.subscriptions).to.have.length(3);
    });

    it('no longer count toward the limit of their plan once they have ended', async () => {
      await begin('2024-06-01');
      const { bundleId, subscriptionIds } = await together('solo-now', 'archive-monthly', 'archive-monthly');
      await engine.acme.subscriptions.cancel(subscriptionIds[2] as Uuid, {});
      await addOn(bundleId, 'archive-monthly');
    });
  });

  describe('in plan changes', () => {
    it('can change only to plans that the base offers, within the limit of each plan', async () => {
      await begin('2024-06-01', { billCycleDayLocal: 1 });
      const { subscriptionIds } = await together('elite-monthly', 'archive-monthly');
      const archive = subscriptionIds[1] as Uuid;
      const change = (id: Uuid, planName: string) =>
        engine.acme.subscriptions.changePlan(id, { planName, billingPolicy: 'IMMEDIATE' });
      await expectCode(change(archive, 'backup-monthly'), 'SUBSCRIPTION_CREATE_AO_NOT_AVAILABLE');
      await expectCode(change(archive, 'support-monthly'), 'SUBSCRIPTION_CREATE_AO_ALREADY_INCLUDED');
      await expectCode(change(archive, 'solo-now'), 'SUBSCRIPTION_CHANGE_INVALID');
      const full = await together('solo-now', 'archive-monthly', 'archive-monthly', 'backup-monthly');
      const over = change(full.subscriptionIds[3] as Uuid, 'archive-monthly');
      await expectCode(over, 'SUBSCRIPTION_CREATE_AO_MAX_PLAN_ALLOWED_BY_BUNDLE');
      const changeOfPlan = { planName: 'archive-monthly', quantity: 2, billingPolicy: 'IMMEDIATE' } as const;
      await engine.acme.subscriptions.changePlan(full.subscriptionIds[1] as Uuid, changeOfPlan);
    });
  });
});

/**
 * Returns a catalog with a base and add-on plans TRIAL 30 DAYS and EVERGREEN on two lists, with this change alignment.
 */
function alignedBy(alignment: string): string {
  const trialled = (name: string) =>
    plan(name, 'X', { initialPhases: phase('TRIAL', { number: 30, fixed: '0' }) });
  return catalogXml({
    products:
      '<product name="P"><category>BASE</category><available><addonProduct>X</addonProduct></available></product>' +
      '<product name="X"><category>ADD_ON</category></product>',
    rules: `<changePolicy><changePolicyCase><policy>IMMEDIATE</policy></changePolicyCase></changePolicy>
      <changeAlignment><changeAlignmentCase><alignment>${alignment}</alignment></changeAlignmentCase></changeAlignment>
      <cancelPolicy><cancelPolicyCase><policy>IMMEDIATE</policy></cancelPolicyCase></cancelPolicy>
      <createAlignment><createAlignmentCase><alignment>START_OF_BUNDLE</alignment></createAlignmentCase></createAlignment>
      <billingAlignment><billingAlignmentCase><alignment>ACCOUNT</alignment></billingAlignmentCase></billingAlignment>`,
    plans: [plan('base', 'P'), ...['extra', 'more', 'more-other'].map(trialled)].join(''),
    priceLists: lists({ DEFAULT: ['base', 'extra', 'more'], other: ['more-other'] }),
  });
}
