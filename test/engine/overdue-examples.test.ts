import { anyDatabase, expect, expectCode, type TestEngine } from '../support/index.ts';
import { Debtor, EIGHT_RETRIES, openStory } from '../support/overdue/debtor.ts';
import { CONFIG_A } from '../support/overdue/overdue-documents.ts';

/** Example 1, whose last stage is where its other parts begin. */
const ALL_STAGES = [
  '05-28 published TRIAL_ENDING',
  '05-31 invoice 2 of 05-31: RECURRING 05-31..06-30 249.95',
  '05-31 invoice 2 owes 249.95',
  '05-31 invoice 2, try 1: PURCHASE PAYMENT_FAILURE 249.95',
  '05-31 account owes 249.95, has 0',
  '05-31 check 06-30T00:03:42',
  '05-31 published INVOICE_CREATION INVOICE_PAYMENT_FAILED PAYMENT_FAILED SUBSCRIPTION_PHASE',
  '06-08 invoice 2, try 2: PURCHASE PAYMENT_FAILURE 249.95',
  '06-08 published INVOICE_PAYMENT_FAILED PAYMENT_FAILED',
  '06-16 invoice 2, try 3: PURCHASE PAYMENT_FAILURE 249.95',
  '06-16 published INVOICE_PAYMENT_FAILED PAYMENT_FAILED',
  '06-24 invoice 2, try 4: PURCHASE PAYMENT_FAILURE 249.95',
  '06-24 published INVOICE_PAYMENT_FAILED PAYMENT_FAILED',
  '06-30 invoice 3 of 06-30: RECURRING 06-30..07-31 249.95',
  '06-30 invoice 3 owes 249.95',
  '06-30 invoice 3, try 1: PURCHASE PAYMENT_FAILURE 249.95',
  '06-30 OD1 from 06-30T00:03:42 blocks changes',
  '06-30 state OD1',
  '06-30 pro-monthly SERVICE_STATE_CHANGE 06-30T00:03:42 by OD1',
  '06-30 account owes 499.9, has 0',
  '06-30 check 07-10T00:03:42',
  '06-30 published BLOCKING_STATE INVOICE_CREATION INVOICE_PAYMENT_FAILED OVERDUE_CHANGE PAYMENT_FAILED',
  '07-02 invoice 2, try 5: PURCHASE PAYMENT_FAILURE 249.95',
  '07-02 published INVOICE_PAYMENT_FAILED PAYMENT_FAILED',
  '07-08 invoice 3, try 2: PURCHASE PAYMENT_FAILURE 249.95',
  '07-08 published INVOICE_PAYMENT_FAILED PAYMENT_FAILED',
  '07-10 invoice 2, try 6: PURCHASE PAYMENT_FAILURE 249.95',
  '07-10 OD2 from 07-10T00:03:42 blocks changes, service, billing',
  '07-10 state OD2',
  '07-10 tags AUTO_INVOICING_OFF',
  '07-10 pro-monthly BLOCKED',
  '07-10 pro-monthly PAUSE_ENTITLEMENT 07-10T00:03:42 by OD2',
  '07-10 pro-monthly PAUSE_BILLING 07-10T00:03:42 by OD2',
  '07-10 check 07-20T00:03:42',
  '07-10 published BLOCKING_STATE INVOICE_PAYMENT_FAILED OVERDUE_CHANGE PAYMENT_FAILED TAG_CREATION',
  '07-16 invoice 3, try 3: PURCHASE PAYMENT_FAILURE 249.95',
  '07-16 published INVOICE_PAYMENT_FAILED PAYMENT_FAILED',
  '07-18 invoice 2, try 7: PURCHASE PAYMENT_FAILURE 249.95',
  '07-18 published INVOICE_PAYMENT_FAILED PAYMENT_FAILED',
  '07-20 OD3 from 07-20T00:03:42 blocks changes, service, billing',
  '07-20 state OD3',
  '07-20 pro-monthly SERVICE_STATE_CHANGE 07-20T00:03:42 by OD3',
  '07-20 no check',
  '07-20 published BLOCKING_STATE OVERDUE_CHANGE',
];

anyDatabase.describe('overdue stages', (open) => {
  let engine: TestEngine;
  let debtor: Debtor;

  async function begin(hasCard = true): Promise<void> {
    engine = await openStory(open, CONFIG_A, { retryDays: EIGHT_RETRIES });
    debtor = await Debtor.sign(engine, { hasCard });
    Debtor.decline(engine);
  }

  it('follow one another while every payment is declined (overdue §12 example 1)', async () => {
    await begin();
    const lines = [...(await debtor.chronicle.days('2012-05-02', '2012-06-30'))];
    const change = engine.acme.subscriptions.changePlan(debtor.subscriptionId ?? '', {
      planName: 'elite-monthly',
    });
    await expectCode(change, 'BLOCKING_BLOCKED_ACTION');
    lines.push(...(await debtor.chronicle.days('2012-07-01', '2012-07-20')));
    expect(lines).to.eql(ALL_STAGES);
  });

  it('end with a repair credit if the debt is paid before the paid-through date (overdue §12 example 2)', async () => {
    await begin();
    await debtor.chronicle.days('2012-05-02', '2012-07-20');
    Debtor.accept(engine);
    await engine.runTo('2012-07-20T10:00:00Z');
    await debtor.pay(1, { isExternal: false });
    expect(await debtor.chronicle.news(), 'one of the two is paid').to.eql([
      'invoice 3 owes 0',
      'invoice 3, try 4: PURCHASE SUCCESS 249.95',
      'account owes 249.95, has 0',
      'published INVOICE_PAYMENT_SUCCESS PAYMENT_SUCCESS',
    ]);
    await debtor.pay(0, { isExternal: false });
    expect(await debtor.chronicle.news()).to.eql([
      'invoice 2 owes 0',
      'invoice 4 of 07-20: REPAIR_ADJ 07-10..07-20 -80.63',
      'invoice 4 of 07-20: CBA_ADJ 07-20..07-20 80.63',
      'invoice 4 owes 0',
      'invoice 2, try 8: PURCHASE SUCCESS 249.95',
      'clear from 07-20T10:00:00 blocks nothing',
      'state clear',
      'no tags',
      'pro-monthly ACTIVE',
      'pro-monthly RESUME_ENTITLEMENT 07-20T10:00:00 by clear',
      'pro-monthly RESUME_BILLING 07-20T10:00:00 by clear',
      'account owes -80.63, has 80.63',
      'published BLOCKING_STATE INVOICE_CREATION INVOICE_PAYMENT_SUCCESS OVERDUE_CHANGE PAYMENT_SUCCESS TAG_DELETION',
    ]);
    expect(await debtor.chronicle.days('2012-07-21', '2012-08-31')).to.eql([
      '07-31 invoice 5 of 07-31: RECURRING 07-31..08-31 249.95',
      '07-31 invoice 5 of 07-31: CBA_ADJ 07-31..07-31 -80.63',
      '07-31 invoice 5 owes 0',
      '07-31 invoice 5, try 1: PURCHASE SUCCESS 169.32',
      '07-31 account owes 0, has 0',
      '07-31 published INVOICE_CREATION INVOICE_PAYMENT_SUCCESS PAYMENT_SUCCESS',
      '08-31 invoice 6 of 08-31: RECURRING 08-31..09-30 249.95',
      '08-31 invoice 6 owes 0',
      '08-31 invoice 6, try 1: PURCHASE SUCCESS 249.95',
      '08-31 published INVOICE_CREATION INVOICE_PAYMENT_SUCCESS PAYMENT_SUCCESS',
    ]);
  });

  it('end with a new charge and a repair if the debt is paid after the paid-through date (overdue §12 example 3)', async () => {
    await begin();
    await debtor.chronicle.days('2012-05-02', '2012-07-20');
    expect(await debtor.chronicle.days('2012-07-21', '2012-08-01'), 'no invoice on 07-31').to.eql([
      '07-24 invoice 3, try 4: PURCHASE PAYMENT_FAILURE 249.95',
      '07-24 published INVOICE_PAYMENT_FAILED PAYMENT_FAILED',
      '07-26 invoice 2, try 8: PURCHASE PAYMENT_FAILURE 249.95',
      '07-26 published INVOICE_PAYMENT_FAILED PAYMENT_FAILED',
      '08-01 invoice 3, try 5: PURCHASE PAYMENT_FAILURE 249.95',
      '08-01 published INVOICE_PAYMENT_FAILED PAYMENT_FAILED',
    ]);
    Debtor.accept(engine);
    await engine.runTo('2012-08-01T10:00:00Z');
    await debtor.payAll(false);
    expect(await debtor.chronicle.news()).to.eql([
      'invoice 2 owes 0',
      'invoice 3 owes 0',
      'invoice 4 of 08-01: REPAIR_ADJ 07-10..07-31 -169.32',
      'invoice 4 of 08-01: RECURRING 08-01..08-31 241.89',
      'invoice 4 owes 0',
      'invoice 2, try 9: PURCHASE SUCCESS 249.95',
      'invoice 3, try 6: PURCHASE SUCCESS 249.95',
      'invoice 4, try 1: PURCHASE SUCCESS 72.57',
      'clear from 08-01T10:00:00 blocks nothing',
      'state clear',
      'no tags',
      'pro-monthly ACTIVE',
      'pro-monthly RESUME_ENTITLEMENT 08-01T10:00:00 by clear',
      'pro-monthly RESUME_BILLING 08-01T10:00:00 by clear',
      'account owes 0, has 0',
      'published BLOCKING_STATE INVOICE_CREATION INVOICE_PAYMENT_SUCCESS INVOICE_PAYMENT_SUCCESS INVOICE_PAYMENT_SUCCESS OVERDUE_CHANGE PAYMENT_SUCCESS PAYMENT_SUCCESS PAYMENT_SUCCESS TAG_DELETION',
    ]);
    expect(await debtor.chronicle.days('2012-08-02', '2012-08-31')).to.eql([
      '08-31 invoice 5 of 08-31: RECURRING 08-31..09-30 249.95',
      '08-31 invoice 5 owes 0',
      '08-31 invoice 5, try 1: PURCHASE SUCCESS 249.95',
      '08-31 published INVOICE_CREATION INVOICE_PAYMENT_SUCCESS PAYMENT_SUCCESS',
    ]);
  });

  it('end when the oldest invoice is paid, and restart when the next invoice is overdue (overdue §12 example 4)', async () => {
    await begin();
    await debtor.chronicle.days('2012-05-02', '2012-07-20');
    await engine.runTo('2012-07-20T10:00:00Z');
    await debtor.pay(0);
    expect(await debtor.chronicle.news()).to.eql([
      'invoice 2 owes 0',
      'invoice 3 of 06-30: CBA_ADJ 07-20..07-20 -80.63',
      'invoice 3 owes 169.32',
      'invoice 4 of 07-20: REPAIR_ADJ 07-10..07-20 -80.63',
      'invoice 4 of 07-20: CBA_ADJ 07-20..07-20 80.63',
      'invoice 4 owes 0',
      'invoice 2, try 8: PURCHASE SUCCESS 249.95',
      'clear from 07-20T10:00:00 blocks nothing',
      'state clear',
      'no tags',
      'pro-monthly ACTIVE',
      'pro-monthly RESUME_ENTITLEMENT 07-20T10:00:00 by clear',
      'pro-monthly RESUME_BILLING 07-20T10:00:00 by clear',
      'account owes 169.32, has 0',
      'check 07-30T00:03:42',
      'published BLOCKING_STATE INVOICE_ADJUSTMENT INVOICE_CREATION INVOICE_PAYMENT_SUCCESS OVERDUE_CHANGE PAYMENT_SUCCESS TAG_DELETION',
    ]);
    expect(await debtor.chronicle.days('2012-07-21', '2012-07-30')).to.eql([
      '07-24 invoice 3, try 4: PURCHASE PAYMENT_FAILURE 169.32',
      '07-24 published INVOICE_PAYMENT_FAILED PAYMENT_FAILED',
      '07-30 OD1 from 07-30T00:03:42 blocks changes',
      '07-30 state OD1',
      '07-30 pro-monthly SERVICE_STATE_CHANGE 07-30T00:03:42 by OD1',
      '07-30 check 08-09T00:03:42',
      '07-30 published BLOCKING_STATE OVERDUE_CHANGE',
    ]);
  });

  it('begin on the same dates if the account has no payment method (overdue §12 example 5)', async () => {
    await begin(false);
    const withoutTries = ALL_STAGES.filter(
      (line) => !line.includes('try') && !line.endsWith('published INVOICE_PAYMENT_FAILED PAYMENT_FAILED'),
    );
    expect(await debtor.chronicle.days('2012-05-02', '2012-07-20')).to.eql(
      withoutTries.map((line) =>
        line.startsWith('07-10 published')
          ? '07-10 published BLOCKING_STATE OVERDUE_CHANGE TAG_CREATION'
          : line.replace(' PAYMENT_FAILED', ''),
      ),
    );
  });
});
