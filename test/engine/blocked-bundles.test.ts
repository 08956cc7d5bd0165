import type { BlockedRef, Uuid } from '../../lib/index.ts';
import { expectExplained } from '../support/explained-amount.ts';
import { eachDatabaseByTurns, engineBeforeEach, expect, itemLines } from '../support/index.ts';
import { chargedDays, pausesInRows, statesAllowedBy } from '../support/lives/bundle-steps.ts';
import type { SubscriptionView } from '../support/plain-views.ts';

eachDatabaseByTurns.describe('blocks of a bundle with add-ons', (open) => {
  let accountId: Uuid;
  let target: Uuid;
  let bundleId: Uuid;
  /** Subscription ids by plan, on the account where the bundle starts. */
  let ids: ReadonlyMap<string, Uuid>;

  /** Base and backup in EVERGREEN since 2024-01-31, archive in TRIAL until 2024-02-19; today is 2024-02-05. */
  const engine = engineBeforeEach(open, { now: '2024-01-01T08:00:00Z' });
  beforeEach(async () => {
    accountId = (await engine.payingAccount({ currency: 'USD', billCycleDayLocal: 1 })).id;
    target = (await engine.payingAccount({ currency: 'USD', billCycleDayLocal: 10 })).id;
    const base = await subscribe('pro-monthly');
    ({ bundleId } = base);
    const backup = await subscribe('backup-monthly', { bundleId });
    await engine.runTo('2024-01-20T08:00:00Z');
    const archive = await subscribe('archive-monthly', { bundleId });
    ids = new Map([
      ['pro-monthly', base.subscriptionId],
      ['backup-monthly', backup.subscriptionId],
      ['archive-monthly', archive.subscriptionId],
    ]);
    await engine.runTo('2024-02-05T08:00:00Z');
  });

  const subscribe = (planName: string, more: object = {}) =>
    engine.subscribe({ accountId, planName, ...more });

  const subscriptions = (id: Uuid) => engine.acme.bundles.get(id).then((bundle) => bundle.subscriptions);

  const states = async (id = bundleId) =>
    (await subscriptions(id)).map(({ planName, phaseType, state }) => `${planName} ${phaseType} ${state}`);

  const rowsOf = ({ events }: SubscriptionView): readonly string[] =>
    events.map(({ eventType, effective, serviceName }) => `${effective.date} ${eventType} ${serviceName}`);

  async function rows(planName: string, id = bundleId): Promise<readonly string[]> {
    const found = (await subscriptions(id)).find((one) => one.planName === planName);
    return found === undefined ? [] : rowsOf(found);
  }

  async function lines(planName: string, of = accountId): Promise<readonly string[]> {
    const invoices = await engine.acme.invoices.ofAccount({ accountId: of, withItems: true });
    const own = new Set(
      invoices.flatMap(({ items }) => items.filter((item) => item.planName === planName)).map(({ id }) => id),
    );
    return invoices.flatMap((invoice) =>
      itemLines({
        ...invoice,
        items: invoice.items.filter(
          ({ id, linkedItemId }) => own.has(id) || (linkedItemId !== null && own.has(linkedItemId)),
        ),
      }),
    );
  }

  /**
   * Expects what holds for any account: events match states and paused days, runs agree with the full history, and all
   * items are explained.
   */
  async function expectSound(): Promise<{ readonly pauses: number }> {
    const { acme, clock } = engine;
    const looked = { subscriptions: 0, items: 0 };
    let pauses = 0;
    for (const id of [accountId, target]) {
      expect(await acme.tags.ofAccount(id)).to.eql([]);
      expect(await acme.invoices.verifyCoverage(id)).to.eql([]);
      const invoices = await acme.invoices.ofAccount({ accountId: id, withItems: true });
      const charged = chargedDays(invoices);
      for (const bundle of await acme.subscriptions.bundlesOfAccount(id)) {
        for (const one of bundle.subscriptions) {
          expect(statesAllowedBy(one, clock.now())).to.include(one.state);
          looked.subscriptions += 1;
          for (const [from, until] of pausesInRows(one, clock.now())) {
            pauses += 1;
            const days = charged.get(one.subscriptionId) ?? [];
            expect(days.filter((date) => date >= from && date < until)).to.eql([]);
          }
        }
      }
      for (const item of invoices.flatMap(({ items }) => items)) {
        expectExplained(await acme.invoices.explain(item.id));
        looked.items += 1;
      }
    }
    for (const [what, count] of Object.entries(looked)) expect(count, what).to.be.greaterThan(0);
    return { pauses };
  }

  const of = (type: BlockedRef['type'], id: Uuid): BlockedRef => ({ type, id });
  const block = (on: BlockedRef, from: string, state: { readonly service: string }) =>
    engine.acme.blocking.add(on, {
      stateName: Object.keys(state).length === 1 ? 'CLEAR' : 'HELD',
      ...state,
      requestedDate: from,
    });
  const unbilled = { isBlockBilling: true };
  const unserved = { isBlockEntitlement: true };

  const all = (state: string, archivePhase = 'EVERGREEN'): readonly string[] => [
    `pro-monthly EVERGREEN ${state}`,
    `backup-monthly EVERGREEN ${state}`,
    `archive-monthly ${archivePhase} ${state}`,
  ];
  const PRO = ['FIXED 2024-01-01..2024-01-31 0', 'RECURRING 2024-01-31..2024-02-01 8.06'];
  const PRO_FEBRUARY = [...PRO, 'RECURRING 2024-02-01..2024-03-01 249.95'];
  const BACKUP = ['FIXED 2024-01-01..2024-01-31 0', 'RECURRING 2024-01-31..2024-02-29 13'];
  const ARCHIVE = ['FIXED 2024-01-20..2024-02-19 0'];

  it('stop billing of the base and its add-ons in their respective phases, even if a phase starts during the block', async () => {
    await engine.settle(engine.acme.blocking.pauseBundle(bundleId));
    expect(await states()).to.eql(all('BLOCKED', 'TRIAL'));
    await engine.runTo('2024-02-25T08:00:00Z');
    expect(await states(), 'phases go on').to.eql(all('BLOCKED'));
    expect(await expectSound()).to.eql({ pauses: 3 });
    await engine.settle(engine.acme.blocking.resumeBundle(bundleId));
    expect(await states()).to.eql(all('ACTIVE'));
    await engine.runTo('2024-03-02T08:00:00Z');
    expect(await lines('pro-monthly')).to.eql([
      ...PRO_FEBRUARY,
      'REPAIR_ADJ 2024-02-05..2024-03-01 -215.47',
      'RECURRING 2024-02-25..2024-03-01 43.09',
      'RECURRING 2024-03-01..2024-04-01 249.95',
    ]);
    expect(await lines('backup-monthly')).to.eql([
      ...BACKUP,
      'REPAIR_ADJ 2024-02-05..2024-02-29 -10.76',
      'RECURRING 2024-02-25..2024-02-29 1.68',
      'RECURRING 2024-02-29..2024-03-31 13',
    ]);
    expect(await lines('archive-monthly'), 'nothing of 02-19 to 02-25').to.eql([
      ...ARCHIVE,
      'RECURRING 2024-02-25..2024-02-29 1.29',
      'RECURRING 2024-02-29..2024-03-31 10',
    ]);
    expect(await rows('archive-monthly')).to.eql([
      '2024-01-20 START_ENTITLEMENT entitlement-service',
      '2024-01-20 START_BILLING billing-service',
      '2024-02-05 PAUSE_ENTITLEMENT entitlement-service',
      '2024-02-05 PAUSE_BILLING billing-service',
      '2024-02-19 PHASE entitlement+billing-service',
      '2024-02-25 RESUME_ENTITLEMENT entitlement-service',
      '2024-02-25 RESUME_BILLING billing-service',
    ]);
    await expectSound();
  });

  it('have no additional effect if they overlap on account, bundle and subscription, and are cleared separately', async () => {
    const backup = of('SUBSCRIPTION', ids.get('backup-monthly') as Uuid);
    const bundle = of('SUBSCRIPTION_BUNDLE', bundleId);
    const account = of('ACCOUNT', accountId);
    await block(account, '2024-02-10', { service: 'dunning', ...unbilled });
    await block(bundle, '2024-02-12', { service: 'fraud', ...unbilled, ...unserved });
    await block(backup, '2024-02-11', { service: 'support', ...unserved });
    await block(account, '2024-02-14', { service: 'dunning' });
    await block(backup, '2024-02-16', { service: 'support', ...unbilled });
    await block(bundle, '2024-02-17', { service: 'fraud' });
    await block(account, '2024-02-17', { service: 'fraud' });
    await block(backup, '2024-02-20', { service: 'support' });
    const blocked = async (): Promise<readonly string[]> =>
      (await states()).filter((each) => each.endsWith('BLOCKED')).map((each) => each.split('-')[0] ?? each);
    const cases: readonly (readonly [date: string, ...plans: string[]])[] = [
      ['2024-02-10'],
      ['2024-02-11', 'backup'],
      ['2024-02-12', 'pro', 'backup', 'archive'],
      ['2024-02-15', 'pro', 'backup', 'archive'],
      ['2024-02-17'],
      ['2024-02-20'],
      ['2024-03-05'],
    ];
    for (const [date, ...plans] of cases) {
      await engine.runTo(`${date}T08:00:00Z`);
      expect(await blocked(), date).to.eql(plans);
    }
    await expectSound();
    expect(await lines('pro-monthly')).to.eql([
      ...PRO_FEBRUARY,
      'REPAIR_ADJ 2024-02-10..2024-03-01 -172.38',
      'RECURRING 2024-02-17..2024-03-01 112.05',
      'RECURRING 2024-03-01..2024-04-01 249.95',
    ]);
    expect(await lines('backup-monthly'), 'blocked for longer by its own').to.eql([
      ...BACKUP,
      'REPAIR_ADJ 2024-02-10..2024-02-29 -8.52',
      'RECURRING 2024-02-20..2024-02-29 3.77',
      'RECURRING 2024-02-29..2024-03-31 13',
    ]);
    expect(await lines('archive-monthly')).to.eql([
      ...ARCHIVE,
      'RECURRING 2024-02-19..2024-02-29 3.23',
      'RECURRING 2024-02-29..2024-03-31 10',
    ]);
    expect((await rows('backup-monthly')).slice(3)).to.eql([
      '2024-02-10 PAUSE_BILLING dunning',
      '2024-02-11 PAUSE_ENTITLEMENT support',
      '2024-02-12 SERVICE_STATE_CHANGE fraud',
      '2024-02-14 SERVICE_STATE_CHANGE dunning',
      '2024-02-16 SERVICE_STATE_CHANGE support',
      '2024-02-17 RESUME_ENTITLEMENT fraud',
      '2024-02-17 SERVICE_STATE_CHANGE fraud',
      '2024-02-20 RESUME_BILLING support',
    ]);
    expect((await rows('pro-monthly')).slice(3)).to.eql([
      '2024-02-10 PAUSE_BILLING dunning',
      '2024-02-12 PAUSE_ENTITLEMENT fraud',
      '2024-02-14 SERVICE_STATE_CHANGE dunning',
      '2024-02-17 RESUME_ENTITLEMENT fraud',
      '2024-02-17 RESUME_BILLING fraud',
      '2024-02-17 SERVICE_STATE_CHANGE fraud',
    ]);
  });

  /** Expects the target account to be billed from the transfer on 2024-02-12 without any pause. */
  async function expectContinued(to: Uuid): Promise<void> {
    expect(await lines('pro-monthly', target)).to.eql(['RECURRING 2024-02-12..2024-03-10 232.71']);
    expect(await lines('backup-monthly', target)).to.eql(['RECURRING 2024-02-12..2024-03-12 13']);
    expect(await lines('archive-monthly', target)).to.eql([
      'FIXED 2024-02-12..2024-02-19 0',
      'RECURRING 2024-02-19..2024-03-12 7.59',
    ]);
    expect(await states(to)).to.eql(all('ACTIVE'));
    expect(await rows('pro-monthly', to)).to.eql([
      '2024-02-12 START_ENTITLEMENT entitlement-service',
      '2024-02-12 START_BILLING billing-service',
    ]);
  }

  for (const billingPolicy of ['IMMEDIATE', 'END_OF_TERM'] as const) {
    const isImmediate = billingPolicy === 'IMMEDIATE';

    it(`end when a paused bundle is transferred (${billingPolicy}), but continue on subscriptions that stay on the old bundle`, async () => {
      await engine.acme.blocking.pauseBundle(bundleId);
      await engine.runTo('2024-02-12T08:00:00Z');
      const to = await engine.acme.bundles.transfer(bundleId, { accountId: target, billingPolicy });
      await engine.settle();
      expect(await states()).to.eql(all('CANCELLED', 'TRIAL'));
      expect(await states(to)).to.eql(all('ACTIVE', 'TRIAL'));
      await engine.runTo('2024-03-05T08:00:00Z');
      await engine.settle(engine.acme.blocking.resumeBundle(bundleId));
      await expectContinued(to);
      expect(await lines('pro-monthly'), 'credited once').to.eql([
        ...PRO_FEBRUARY,
        'REPAIR_ADJ 2024-02-05..2024-03-01 -215.47',
      ]);
      expect(await lines('backup-monthly')).to.eql([...BACKUP, 'REPAIR_ADJ 2024-02-05..2024-02-29 -10.76']);
      expect(await lines('archive-monthly')).to.eql(ARCHIVE);
      expect((await rows('pro-monthly')).slice(3)).to.eql([
        '2024-02-05 PAUSE_ENTITLEMENT entitlement-service',
        '2024-02-05 PAUSE_BILLING billing-service',
        '2024-02-12 STOP_ENTITLEMENT entitlement-service',
        `${isImmediate ? '2024-02-12' : '2024-03-01'} STOP_BILLING billing-service`,
      ]);
      await expectSound();
    });

    it(`stay on the old bundle if they start after its transfer (${billingPolicy}), and apply until its billing ends`, async () => {
      await engine.acme.blocking.pauseBundle(bundleId, { requestedDate: '2024-02-20' });
      await engine.acme.blocking.resumeBundle(bundleId, { requestedDate: '2024-02-25' });
      await engine.runTo('2024-02-12T08:00:00Z');
      const to = await engine.acme.bundles.transfer(bundleId, { accountId: target, billingPolicy });
      await engine.runTo('2024-02-21T08:00:00Z');
      expect(await states(to)).to.eql(all('ACTIVE'));
      await expectSound();
      await engine.runTo('2024-03-05T08:00:00Z');
      await expectContinued(to);
      const repaired = isImmediate
        ? ['REPAIR_ADJ 2024-02-12..2024-03-01 -155.14']
        : ['REPAIR_ADJ 2024-02-20..2024-03-01 -86.19', 'RECURRING 2024-02-25..2024-03-01 43.09'];
      expect(await lines('pro-monthly')).to.eql([...PRO_FEBRUARY, ...repaired]);
      const followed = isImmediate
        ? ['REPAIR_ADJ 2024-02-12..2024-02-29 -7.62']
        : [
            'REPAIR_ADJ 2024-02-20..2024-02-29 -4.03',
            'RECURRING 2024-02-25..2024-02-29 1.68',
            // 1 of the 31 days of the period 2024-02-29..2024-03-31 (invoicing §5.4 rule 5).
            'RECURRING 2024-02-29..2024-03-01 0.42',
          ];
      expect(await lines('backup-monthly'), 'to the end of its base').to.eql([...BACKUP, ...followed]);
      const pause = ['2024-02-20 PAUSE_BILLING billing-service', '2024-02-25 RESUME_BILLING billing-service'];
      expect((await rows('pro-monthly')).slice(3)).to.eql([
        '2024-02-12 STOP_ENTITLEMENT entitlement-service',
        ...(isImmediate ? [] : pause),
        `${isImmediate ? '2024-02-12' : '2024-03-01'} STOP_BILLING billing-service`,
      ]);
      await expectSound();
    });
  }
});
