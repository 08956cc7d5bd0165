import {
  chronicleOf,
  type DunningStory,
  LAST_DAY,
  LATER_STATES,
  OD1,
  PAYS_AT,
  signUp,
} from './dunning-story.ts';
import { failedCard } from './failed-card-stories.ts';
import { overdueXml } from './overdue-documents.ts';

/** Its first state shuts the service off too. */
const STRICTER = overdueXml({ initial: 10, states: [...LATER_STATES, { ...OD1, disables: true }] });
/** Knows none of the former states. */
const OTHER = overdueXml({
  initial: 10,
  states: [
    { name: 'STOPPED', time: 25, disables: true },
    { name: 'LATE', time: 10, blocksChanges: true },
  ],
});

export const changedConfig: DunningStory = {
  title: 'across changes of the configuration: accounts meet it when they are looked at next',
  play: async (teller) => {
    const accountId = await signUp(teller);
    const chronicle = chronicleOf(teller, accountId);
    await chronicle.news();
    await teller.cards('declined');
    const lines = [...(await chronicle.days('2012-05-02', '2012-06-12'))];
    await teller.upload(STRICTER);
    lines.push(...(await chronicle.days('2012-06-13', '2012-06-18')));
    await teller.upload(OTHER);
    lines.push(...(await chronicle.news()), ...(await chronicle.days('2012-06-19', LAST_DAY)));
    await teller.cards('taken');
    await teller.runTo(PAYS_AT);
    await teller.payAll(accountId);
    lines.push(...(await chronicle.news()).map((line) => `payment: ${line}`));
    return [...lines, ...(await chronicle.days('2012-07-16', '2012-07-31'))];
  },
  expected: [
    ...failedCard.expected.slice(
      0,
      failedCard.expected.findIndex((line) => line.startsWith('06-16')),
    ),
    '06-16 invoice 2, try 3: PURCHASE PAYMENT_FAILURE 249.95',
    '06-16 OD1 from 06-16T00:03:42 blocks changes, service, billing',
    '06-16 tags AUTO_INVOICING_OFF',
    '06-16 pro-monthly BLOCKED',
    '06-16 pro-monthly PAUSE_ENTITLEMENT 06-16T00:03:42 by OD1',
    '06-16 pro-monthly PAUSE_BILLING 06-16T00:03:42 by OD1',
    '06-16 told BLOCKING_STATE INVOICE_PAYMENT_FAILED PAYMENT_FAILED TAG_CREATION',
    '06-20 invoice 2 of 05-31: CBA_ADJ 06-20..06-20 -33.33',
    '06-20 invoice 2 owes 216.62',
    '06-20 invoice 3 of 06-20: REPAIR_ADJ 06-16..06-20 -33.33',
    '06-20 invoice 3 of 06-20: CBA_ADJ 06-20..06-20 33.33',
    '06-20 invoice 3 owes 0',
    '06-20 LATE from 06-20T00:03:42 blocks changes',
    '06-20 state LATE',
    '06-20 no tags',
    '06-20 pro-monthly ACTIVE',
    '06-20 pro-monthly RESUME_ENTITLEMENT 06-20T00:03:42 by LATE',
    '06-20 pro-monthly RESUME_BILLING 06-20T00:03:42 by LATE',
    '06-20 account owes 216.62, has 0',
    '06-20 check 06-25T00:03:42',
    '06-20 told BLOCKING_STATE INVOICE_ADJUSTMENT INVOICE_CREATION OVERDUE_CHANGE TAG_DELETION',
    '06-24 invoice 2, try 4: PURCHASE PAYMENT_FAILURE 216.62',
    '06-24 told INVOICE_PAYMENT_FAILED PAYMENT_FAILED',
    '06-25 STOPPED from 06-25T00:03:42 blocks changes, service, billing',
    '06-25 state STOPPED',
    '06-25 tags AUTO_INVOICING_OFF',
    '06-25 pro-monthly BLOCKED',
    '06-25 pro-monthly PAUSE_ENTITLEMENT 06-25T00:03:42 by STOPPED',
    '06-25 pro-monthly PAUSE_BILLING 06-25T00:03:42 by STOPPED',
    '06-25 no check',
    '06-25 told BLOCKING_STATE OVERDUE_CHANGE TAG_CREATION',
    'payment: invoice 2 owes 0',
    'payment: invoice 4 of 07-15: REPAIR_ADJ 06-25..06-30 -41.66',
    'payment: invoice 4 of 07-15: RECURRING 07-15..07-31 129.01',
    'payment: invoice 4 owes 0',
    'payment: invoice 2, try 5: PURCHASE SUCCESS 216.62',
    'payment: invoice 4, try 1: PURCHASE SUCCESS 87.35',
    'payment: clear from 07-15T10:00:00 blocks nothing',
    'payment: state clear',
    'payment: no tags',
    'payment: pro-monthly ACTIVE',
    'payment: pro-monthly RESUME_ENTITLEMENT 07-15T10:00:00 by clear',
    'payment: pro-monthly RESUME_BILLING 07-15T10:00:00 by clear',
    'payment: account owes 0, has 0',
    'payment: told BLOCKING_STATE INVOICE_CREATION INVOICE_PAYMENT_SUCCESS INVOICE_PAYMENT_SUCCESS OVERDUE_CHANGE PAYMENT_SUCCESS PAYMENT_SUCCESS TAG_DELETION',
    '07-31 invoice 5 of 07-31: RECURRING 07-31..08-31 249.95',
    '07-31 invoice 5 owes 0',
    '07-31 invoice 5, try 1: PURCHASE SUCCESS 249.95',
    '07-31 told INVOICE_CREATION INVOICE_PAYMENT_SUCCESS PAYMENT_SUCCESS',
  ],
};
