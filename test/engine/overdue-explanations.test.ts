import { type NewOverdueDefinition, SystemTag, type Uuid } from '../../lib/index.ts';
import { catalogXml, lists, plan, product, TRIAL } from '../support/catalogs/catalog-document.ts';
import { anyDatabase, engineBeforeEach, expect, expectCode } from '../support/index.ts';
import { afterDays, exampleConfigs } from '../support/overdue/stage-configs.ts';
import type { OverduePreview } from '../support/plain-views.ts';

const CLEAR = '__KILLBILL__CLEAR__OVERDUE_STATE__';
const DECLINE = { CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR' } as const;

/** Plan P of overdue §12. */
const catalog = catalogXml({
  effectiveDate: '2012-01-01T00:00:00Z',
  catalogName: 'Dunning',
  products: product('P'),
  plans: plan('p-monthly', 'P', { price: '249.95', initialPhases: TRIAL }),
  priceLists: lists({ DEFAULT: ['p-monthly'] }),
});

anyDatabase.describe('overdue previews and explanations', (open) => {
  let accountId: Uuid;

  const engine = engineBeforeEach(open, {
    now: '2012-05-01T00:03:42Z',
    catalog,
    configuration: { 'org.service.payment.retry.days': '8,8,8' },
  });
  const { acme } = engine;

  async function begin(config: NewOverdueDefinition): Promise<void> {
    await acme.overdue.upload(config);
    accountId = (await engine.payingAccount({ currency: 'USD' })).id;
    engine.gateway.configure(DECLINE);
    await engine.settle(acme.createSubscription({ accountId, planName: 'p-monthly' }));
  }

  async function walkTo(day: string): Promise<void> {
    const end = Date.parse(`${day}T00:03:42Z`);
    while (engine.clock.now() < end) {
      engine.clock.advance({ days: 1 });
      await engine.settle();
    }
  }

  const nameNow = async () => (await acme.overdue.ofAccount(accountId)).name;
  const stepsOf = ({ steps }: OverduePreview) => steps.map(({ date, state }) => `${date} ${state.name}`);

  it('show the configured state, and the clear state before the first evaluation (overdue §10)', async () => {
    await begin({
      overdueStates: [
        afterDays('OD2', 8, { isDisableEntitlement: true, externalMessage: 'Bitte zahlen!' }),
        afterDays('OD1', 3, { isBlockChanges: true }),
      ],
    });
    const clear = {
      name: CLEAR,
      externalMessage: '',
      daysBetweenPaymentRetries: [8, 8, 8],
      isDisableEntitlementAndChangesBlocked: false,
      isBlockChanges: false,
      isClearState: true,
      reevaluationIntervalDays: null,
    };
    const of = () => acme.overdue.ofAccount(accountId);
    expect(await of()).to.eql(clear);
    await walkTo('2012-06-03');
    expect(await of()).to.eql({
      ...clear,
      name: 'OD1',
      isBlockChanges: true,
      isClearState: false,
      reevaluationIntervalDays: 5,
    });
    await walkTo('2012-06-08');
    expect(await of()).to.eql({
      ...clear,
      name: 'OD2',
      externalMessage: 'Bitte zahlen!',
      isDisableEntitlementAndChangesBlocked: true,
      isClearState: false,
    });
  });

  it('show the stored flags of a state that the configuration no longer contains (overdue §2.1)', async () => {
    await begin(exampleConfigs.B);
    await walkTo('2012-06-06');
    await acme.overdue.upload({ overdueStates: [afterDays('OTHER', 90)] });
    expect(await acme.overdue.ofAccount(accountId)).to.eql({
      name: 'OD1',
      externalMessage: '',
      daysBetweenPaymentRetries: [8, 8, 8],
      isDisableEntitlementAndChangesBlocked: false,
      isBlockChanges: true,
      isClearState: false,
      reevaluationIntervalDays: null,
    });
  });

  it('predict no overdue state on any future day for an account without debt', async () => {
    await begin(exampleConfigs.C);
    const preview = await acme.overdue.preview(accountId, '2013-05-01');
    expect(preview.state.name).to.equal(CLEAR);
    expect(preview.steps).to.eql([]);
    expect(preview.reasons.map(({ state, holds }) => [state, holds])).to.eql([
      ['CANCELLATION', false],
      ['BLOCKED', false],
      ['WARNING', false],
    ]);
  });

  it('predict the state on each day, assuming that nothing is paid or invoiced', async () => {
    await begin(exampleConfigs.C);
    await walkTo('2012-05-31');
    const days = ['05-31', '06-04', '06-05', '06-06', '06-07', '06-10', '06-11'].map((day) => `2012-${day}`);
    const foreseen = await Promise.all(
      days.map(async (day) => (await acme.overdue.preview(accountId, day)).state.name),
    );
    const last = await acme.overdue.preview(accountId, '2012-06-20');
    expect(stepsOf(last)).to.eql(['2012-06-05 WARNING', '2012-06-07 BLOCKED', '2012-06-11 CANCELLATION']);
    for (const [index, day] of days.entries()) {
      await walkTo(day);
      expect(await nameNow(), day).to.equal(foreseen[index]);
    }
    expect(stepsOf(await acme.overdue.preview(accountId, '2012-06-20'))).to.eql([]);
  });

  it('give a reason for each condition on the requested day, and store nothing', async () => {
    await begin(exampleConfigs.C);
    await walkTo('2012-06-01');
    const { state, reasons } = await acme.overdue.preview(accountId, '2012-06-08');
    expect(state.name).to.equal('BLOCKED');
    expect(reasons.map(({ holds, text }) => [holds, text])).to.eql([
      [
        false,
        'CANCELLATION does not hold on 2012-06-08: unpaid since 2012-05-31, 8 days of 11 (on 2012-06-11).',
      ],
      [true, 'BLOCKED holds on 2012-06-08: unpaid since 2012-05-31, 8 days of 7.'],
      [true, 'WARNING holds on 2012-06-08: unpaid since 2012-05-31, 8 days of 5.'],
    ]);
    expect(await nameNow()).to.equal(CLEAR);
    expect(await acme.blocking.ofAccount(accountId, { services: ['overdue-service'] })).to.eql([]);
  });

  it('reject past days, days more than a hundred years ahead, and accounts of other tenants', async () => {
    await begin(exampleConfigs.C);
    const { overdue } = acme;
    await expectCode(overdue.preview(accountId, '2012-04-30'), 'INVALID_PARAMETER');
    await expectCode(overdue.preview(accountId, '2113-01-01'), 'INVALID_PARAMETER');
    expect((await overdue.preview(accountId, '2012-05-01')).state.name).to.equal(CLEAR);
    const nobody = '11111111-1111-4111-8111-111111111111';
    for (const call of [
      overdue.ofAccount(nobody),
      overdue.preview(nobody, '2012-06-01'),
      overdue.explain(nobody),
    ])
      await expectCode(call, 'ACCOUNT_DOES_NOT_EXIST_FOR_ID');
  });

  it('contain the matching rule, the amounts, the dates, the invoices and the next check', async () => {
    await begin(exampleConfigs.A);
    await walkTo('2012-07-05');
    const explained = await acme.explainOverdue(accountId);
    const { invoices, reasons, since, nextCheck, unpaidTotal, ...rest } = explained;
    expect(rest.state.name).to.equal('OD1');
    expect(rest).to.deep.include({
      matched: 'OD1',
      exemptBy: null,
      payingAccountId: accountId,
      currency: 'USD',
      unpaidCount: 2,
      lastPaymentResponse: 'OTHER',
      controlTags: [],
    });
    expect(unpaidTotal.toString()).to.equal('499.9');
    expect(since?.toISOString()).to.equal('2012-06-30T00:03:42.000Z');
    expect(nextCheck?.toISOString()).to.equal('2012-07-10T00:03:42.000Z');
    expect(JSON.parse(JSON.stringify(explained))).to.deep.include({
      date: '2012-07-05',
      unpaidSince: '2012-05-31',
      since: '2012-06-30T00:03:42.000Z',
      nextCheck: '2012-07-10T00:03:42.000Z',
    });
    expect(invoices.map(({ unpaidSince, balance }) => `${unpaidSince} ${balance}`).sort()).to.eql([
      '2012-05-31 249.95',
      '2012-06-30 249.95',
    ]);
    expect(reasons.map(({ state, holds }) => `${state} ${holds}`)).to.eql([
      'OD3 false',
      'OD2 false',
      'OD1 true',
    ]);
    expect(explained.text).to.equal(
      'The account has been in OD1 since 2012-06-30. ' +
        'OD3 does not hold on 2012-07-05: unpaid since 2012-05-31, 35 days of 50 (on 2012-07-20). ' +
        'OD2 does not hold on 2012-07-05: unpaid since 2012-05-31, 35 days of 40 (on 2012-07-10). ' +
        'OD1 holds on 2012-07-05: unpaid since 2012-05-31, 35 days of 30. ' +
        'The next check is on 2012-07-10.',
    );
  });

  it('reflect later changes to the configuration, and keep the start of a state if only its flags change', async () => {
    await begin(exampleConfigs.B);
    await walkTo('2012-06-06');
    await acme.overdue.upload({
      overdueStates: [afterDays('OD2', 6), afterDays('OD1', 5, { isDisableEntitlement: true })],
    });
    const changed = await acme.overdue.explain(accountId);
    expect([changed.state.name, changed.matched]).to.eql(['OD1', 'OD2']);
    expect(changed.text).to.contain('It will move to OD2 at the next check.');
    await acme.overdue.upload({
      overdueStates: [afterDays('OD1', 5, { isDisableEntitlement: true, autoReevaluationIntervalDays: 1 })],
    });
    await walkTo('2012-06-12');
    expect((await acme.overdue.ofAccount(accountId)).isDisableEntitlementAndChangesBlocked).to.equal(true);
    const { since } = await acme.overdue.explain(accountId);
    expect(since?.toISOString()).to.equal('2012-06-05T00:03:42.000Z');
  });

  it('show an exempt account in its current state, and report the exemption', async () => {
    await begin(exampleConfigs.B);
    await walkTo('2012-06-01');
    const account = { id: accountId, type: 'ACCOUNT' } as const;
    await engine.settle(acme.tags.add(account, [SystemTag.OVERDUE_ENFORCEMENT_OFF]));
    const preview = await acme.overdue.preview(accountId, '2012-07-01');
    expect([preview.isExempt, preview.state.name, preview.steps.length]).to.eql([true, CLEAR, 0]);
    const explained = await acme.overdue.explain(accountId);
    expect(explained).to.deep.include({
      exemptBy: accountId,
      nextCheck: null,
      controlTags: ['OVERDUE_ENFORCEMENT_OFF'],
    });
    expect(explained.text).to.contain('because it has the tag OVERDUE_ENFORCEMENT_OFF');
  });

  it('attribute the state of a child to the debt of its paying parent', async () => {
    await begin(exampleConfigs.B);
    const parent = accountId;
    const child = await acme.createAccount({
      currency: 'USD',
      parentAccountId: parent,
      isPaymentDelegatedToParent: true,
    });
    await walkTo('2012-06-06');
    accountId = child.id;
    const explained = await acme.overdue.explain(child.id);
    expect([explained.state.name, explained.matched]).to.eql(['OD1', 'OD1']);
    expect(explained.payingAccountId).to.equal(parent);
    expect(explained.text).to.contain('The debt of the parent that pays for it counts.');
    await engine.settle(acme.tags.add({ id: parent, type: 'ACCOUNT' }, [SystemTag.OVERDUE_ENFORCEMENT_OFF]));
    expect((await acme.overdue.explain(child.id)).exemptBy).to.equal(parent);
    expect((await acme.overdue.explain(child.id)).text).to.contain('because the parent that pays for it has');
  });

  it('report that no account can be overdue if there is no configuration', async () => {
    await begin(exampleConfigs.B);
    await acme.keyValues.delete('OVERDUE_CONFIG');
    const explained = await acme.overdue.explain(accountId);
    expect(explained.reasons).to.eql([]);
    expect(explained.text).to.equal(
      'The account is not overdue. The configuration has no state that an account can enter.',
    );
  });
});
