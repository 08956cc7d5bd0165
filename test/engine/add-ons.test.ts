import { expect } from 'chai';
import {
  type CreateSubscriptionOptions,
  type CreateSubscriptionRequest,
  ErrorCode,
  formatInstant,
  formatLocalDate,
  parseWireMoment,
  type Uuid,
} from '../../lib/index.ts';
import { eachDatabase } from '../support/databases.ts';
import { itemLines, openEngine, type TestEngine } from '../support/engine.ts';
import { codeOf } from '../support/errors.ts';

type Dates = { readonly [K in 'entitlementDate' | 'billingDate']?: string };

eachDatabase((_kind, open) => {
  describe('add-ons', () => {
    let engine: TestEngine;
    let accountId: Uuid;

    afterEach(() => engine.close());

    async function begin(now: string, options: { billCycleDayLocal?: number; catalog?: string } = {}) {
      const { catalog, ...account } = options;
      engine = await openEngine(open, catalog === undefined ? { now } : { now, catalog });
      accountId = (await engine.acme.createAccount({ currency: 'USD', ...account })).id;
    }

    type Request = Omit<CreateSubscriptionRequest, 'accountId'>;

    /** Creates a base, or an add-on of the bundle. */
    async function create(request: Request, dates: Dates = {}): Promise<{ id: Uuid; bundleId: Uuid }> {
      const { subscriptionId, bundleId } = await engine.acme.createSubscription(
        { accountId, ...request },
        dated(dates),
      );
      await engine.settle();
      return { id: subscriptionId, bundleId };
    }

    async function addOn(bundleId: Uuid, planName: string, dates: Dates = {}): Promise<Uuid> {
      return (await create({ bundleId, planName }, dates)).id;
    }

    /** State, end of service and end of billing: `ACTIVE 2024-06-20 2024-06-30`. */
    async function endsOf(subscriptionId: Uuid): Promise<string> {
      const { state, cancelled, billingEnd } = await engine.acme.getSubscription(subscriptionId);
      const date = (end: typeof cancelled) => (end === null ? '-' : formatLocalDate(end.date));
      return `${state} ${date(cancelled)} ${date(billingEnd)}`;
    }

    /** `STOP_BILLING 2024-06-30`, one text per row. */
    async function rowsOf(subscriptionId: Uuid): Promise<readonly string[]> {
      const { events } = await engine.acme.getSubscription(subscriptionId);
      return events.map((event) => `${event.eventType} ${formatInstant(event.effective.at).slice(0, 10)}`);
    }

    async function linesOf(): Promise<readonly string[]> {
      const invoices = await engine.acme.invoices.ofAccount({
        accountId,
        withItems: true,
        includeVoided: true,
      });
      return invoices.flatMap(itemLines);
    }

    describe('worked examples', () => {
      it('subscriptions W5 Create alignment', async () => {
        await begin('2023-08-01');
        const { bundleId } = await create({ planName: 'pro-monthly' });
        await engine.runTo('2023-08-15');
        const phaseOf = async (id: Uuid) => (await rowsOf(id)).filter((row) => row.startsWith('PHASE'));
        const backup = await addOn(bundleId, 'backup-monthly');
        expect((await engine.acme.getSubscription(backup)).phaseType).to.equal('TRIAL');
        expect(await phaseOf(backup)).to.deep.equal(['PHASE 2023-08-31']);
        const archive = await addOn(bundleId, 'archive-monthly');
        expect((await engine.acme.getSubscription(archive)).phaseType).to.equal('TRIAL');
        expect(await phaseOf(archive)).to.deep.equal(['PHASE 2023-09-14']);
        await engine.runTo('2023-09-20');
        const further = await addOn(bundleId, 'backup-monthly');
        expect((await engine.acme.getSubscription(further)).phaseType).to.equal('EVERGREEN');
        expect(await phaseOf(further)).to.deep.equal([]);
      });

      it('subscriptions W11 Base cancelled in the future, then uncancelled', async () => {
        await begin('2024-04-01', { billCycleDayLocal: 1 });
        const base = await create({ planName: 'solo-monthly' });
        const backup = await addOn(base.bundleId, 'backup-monthly');
        await engine.runTo('2024-05-10');
        expect(await rowsOf(backup)).to.deep.equal([
          'START_ENTITLEMENT 2024-04-01',
          'START_BILLING 2024-04-01',
          'PHASE 2024-05-01',
        ]);
        await engine.acme.subscriptions.cancel(base.id, {
          entitlementPolicy: 'END_OF_TERM',
          billingPolicy: 'END_OF_TERM',
        });
        expect(await endsOf(backup)).to.equal('ACTIVE 2024-06-01 2024-06-01');
        expect((await rowsOf(backup)).slice(3)).to.deep.equal([
          'STOP_ENTITLEMENT 2024-06-01',
          'STOP_BILLING 2024-06-01',
        ]);
        expect(await codeOf(engine.acme.subscriptions.uncancel(backup))).to.equal(
          ErrorCode.ENTITLEMENT_UNCANCEL_BAD_STATE,
        );
        await engine.acme.subscriptions.uncancel(base.id);
        expect(await endsOf(backup)).to.equal('ACTIVE - -');
        await engine.runTo('2024-06-02');
        expect(await endsOf(backup)).to.equal('ACTIVE - -');
        expect((await linesOf()).filter((line) => line.includes('13'))).to.deep.equal([
          'RECURRING 2024-05-01..2024-06-01 13',
          'RECURRING 2024-06-01..2024-07-01 13',
        ]);
      });

      it('subscriptions W12 Base change drops add-ons', async () => {
        await begin('2024-08-01');
        const base = await create({ planName: 'pro-monthly' });
        const support = await addOn(base.bundleId, 'support-monthly');
        const dates = { entitlementDate: '2024-09-10', billingDate: '2024-09-10' };
        const backup = await addOn(base.bundleId, 'backup-monthly', dates);
        await engine.runTo('2024-09-05');
        await engine.acme.subscriptions.changePlan(base.id, { planName: 'elite-monthly' });
        expect(await endsOf(support)).to.equal('CANCELLED 2024-09-05 2024-09-05');
        expect(await endsOf(backup)).to.equal('CANCELLED 2024-09-05 2024-09-10');
        await engine.runTo('2024-10-31');
        const added = (await linesOf()).filter((line) => / -?1[035]/.test(line));
        expect(
          added.filter((line) => line.includes('13')),
          'backup is never billed',
        ).to.deep.equal([]);
        expect(await endsOf(backup)).to.equal('CANCELLED 2024-09-05 2024-09-10');
      });

      it('subscriptions W18 Fixed term', async () => {
        await begin('2023-01-01');
        const base = await create({ planName: 'term-3m' });
        const support = await addOn(base.bundleId, 'support-6m');
        expect((await rowsOf(base.id)).slice(2)).to.deep.equal(['STOP_BILLING 2023-04-01']);
        expect((await rowsOf(support)).slice(2)).to.deep.equal(['STOP_BILLING 2023-04-01']);
        await engine.runTo('2023-02-10');
        const requestedDate = parseWireMoment('2023-05-01');
        expect(
          await codeOf(
            engine.acme.subscriptions.cancel(base.id, { requestedDate, useRequestedDateForBilling: true }),
          ),
        ).to.equal(ErrorCode.SUBSCRIPTION_CANCEL_BAD_STATE);
        await engine.runTo('2023-04-01');
        expect(await endsOf(base.id)).to.equal('EXPIRED - -');
        expect(await endsOf(support)).to.equal('EXPIRED - -');
        await engine.runTo('2023-08-01');
        expect((await linesOf()).filter((line) => line.endsWith(' 12'))).to.have.length(3);
      });
    });
  });
});

function dated({ entitlementDate, billingDate }: Dates): CreateSubscriptionOptions {
  return {
    entitlementDate: entitlementDate === undefined ? null : parseWireMoment(entitlementDate),
    billingDate: billingDate === undefined ? null : parseWireMoment(billingDate),
  };
}
