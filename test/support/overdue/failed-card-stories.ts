import { SystemTag } from '../../../lib/index.ts';
import { chronicleOf, type DunningStory, LAST_DAY, PAYS_AT, signUp } from './dunning-story.ts';

export const failedCard: DunningStory = {
  title: 'a failed card, three retries, OD1 to OD3, cancellation, then payment of all',
  play: async (teller) => {
    const accountId = await signUp(teller);
    const chronicle = chronicleOf(teller, accountId);
    await chronicle.news();
    await teller.cards('declined');
    const lines = [...(await chronicle.days('2012-05-02', LAST_DAY))];
    await teller.cards('taken');
    await teller.runTo(PAYS_AT);
    await teller.payAll(accountId);
    lines.push(...(await chronicle.news()).map((line) => `payment: ${line}`));
    return [...lines, ...(await chronicle.days('2012-07-16', '2012-08-31'))];
  },
  expected: [
    '05-31 invoice 2 of 05-31: RECURRING 05-31..06-30 249.95',
    '05-31 invoice 2 owes 249.95',
    '05-31 invoice 2, try 1: PURCHASE PAYMENT_FAILURE 249.95',
    '05-31 account owes 249.95, has 0',
    '05-31 check 06-10T00:03:42',
    '05-31 told INVOICE_CREATION INVOICE_PAYMENT_FAILED PAYMENT_FAILED SUBSCRIPTION_PHASE',
    '06-08 invoice 2, try 2: PURCHASE PAYMENT_FAILURE 249.95',
    '06-08 told INVOICE_PAYMENT_FAILED PAYMENT_FAILED',
    '06-10 OD1 from 06-10T00:03:42 blocks changes',
    '06-10 state OD1',
    '06-10 pro-monthly SERVICE_STATE_CHANGE 06-10T00:03:42 by OD1',
    '06-10 check 06-20T00:03:42',
    '06-10 told BLOCKING_STATE OVERDUE_CHANGE',
    '06-16 invoice 2, try 3: PURCHASE PAYMENT_FAILURE 249.95',
    '06-16 told INVOICE_PAYMENT_FAILED PAYMENT_FAILED',
    '06-20 OD2 from 06-20T00:03:42 blocks changes, service, billing',
    '06-20 state OD2',
    '06-20 tags AUTO_INVOICING_OFF',
    '06-20 pro-monthly BLOCKED',
    '06-20 pro-monthly PAUSE_ENTITLEMENT 06-20T00:03:42 by OD2',
    '06-20 pro-monthly PAUSE_BILLING 06-20T00:03:42 by OD2',
    '06-20 check 06-30T00:03:42',
    '06-20 told BLOCKING_STATE OVERDUE_CHANGE TAG_CREATION',
    '06-24 invoice 2, try 4: PURCHASE PAYMENT_FAILURE 249.95',
    '06-24 told INVOICE_PAYMENT_FAILED PAYMENT_FAILED',
    '06-30 OD3 from 06-30T00:03:42 blocks changes, service, billing',
    '06-30 state OD3',
    '06-30 pro-monthly SERVICE_STATE_CHANGE 06-30T00:03:42 by OD3',
    '06-30 check 07-10T00:03:42',
    '06-30 told BLOCKING_STATE OVERDUE_CHANGE',
    '07-10 CANCELLED from 07-10T00:03:42 blocks changes, service, billing',
    '07-10 state CANCELLED',
    '07-10 pro-monthly CANCELLED, service ends 07-10, billing ends 07-10',
    '07-10 pro-monthly SERVICE_STATE_CHANGE 07-10T00:03:42 by CANCELLED',
    '07-10 no check',
    '07-10 told BLOCKING_STATE ENTITLEMENT_CANCEL OVERDUE_CHANGE SUBSCRIPTION_CANCEL SUBSCRIPTION_CANCEL',
    'payment: invoice 2 owes 0',
    'payment: invoice 3 of 07-15: REPAIR_ADJ 06-20..06-30 -83.32',
    'payment: invoice 3 of 07-15: CBA_ADJ 07-15..07-15 83.32',
    'payment: invoice 3 owes 0',
    'payment: invoice 2, try 5: PURCHASE SUCCESS 249.95',
    'payment: clear from 07-15T10:00:00 blocks nothing',
    'payment: state clear',
    'payment: no tags',
    'payment: pro-monthly SERVICE_STATE_CHANGE 07-15T10:00:00 by clear',
    'payment: account owes -83.32, has 83.32',
    'payment: told BLOCKING_STATE INVOICE_CREATION INVOICE_PAYMENT_SUCCESS OVERDUE_CHANGE PAYMENT_SUCCESS TAG_DELETION',
  ],
};

const withoutTries = (lines: readonly string[]): readonly string[] =>
  lines.filter(
    (line) =>
      !/^\d\S+ invoice 2, try/.test(line) && !line.endsWith('told INVOICE_PAYMENT_FAILED PAYMENT_FAILED'),
  );

export const heldBack: DunningStory = {
  title: 'with AUTO_PAY_OFF: what is not tried ages all the same, and is paid when the tag is taken away',
  play: async (teller) => {
    const accountId = await signUp(teller);
    await teller.tag(accountId, SystemTag.AUTO_PAY_OFF);
    const chronicle = chronicleOf(teller, accountId);
    await chronicle.news();
    const lines = [...(await chronicle.days('2012-05-02', LAST_DAY))];
    await teller.runTo(PAYS_AT);
    await teller.untag(accountId, SystemTag.AUTO_PAY_OFF);
    lines.push(...(await chronicle.news()).map((line) => `payment: ${line}`));
    return [...lines, ...(await chronicle.days('2012-07-16', '2012-08-31'))];
  },
  expected: withoutTries(failedCard.expected).map((line) =>
    line
      .replace(
        '05-31 told INVOICE_CREATION INVOICE_PAYMENT_FAILED PAYMENT_FAILED',
        '05-31 told INVOICE_CREATION',
      )
      .replace('06-20 tags AUTO_INVOICING_OFF', '06-20 tags AUTO_INVOICING_OFF, AUTO_PAY_OFF')
      .replace('try 5', 'try 1')
      .replace('PAYMENT_SUCCESS TAG_DELETION', 'PAYMENT_SUCCESS TAG_DELETION TAG_DELETION'),
  ),
};
