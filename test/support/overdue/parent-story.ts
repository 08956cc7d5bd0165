import { CONFIG, chronicleOf, type DunningStory, LAST_DAY, PAYS_AT, PLAN } from './dunning-story.ts';

export const parentPays: DunningStory = {
  title: 'with a parent that pays: both go through every state, and the child is cancelled',
  play: async (teller) => {
    await teller.upload(CONFIG);
    const parentId = await teller.account({ hasCard: true });
    const childId = await teller.account({ hasCard: false, payerId: parentId });
    await teller.subscribe(childId, PLAN);
    const [parent, child] = [chronicleOf(teller, parentId), chronicleOf(teller, childId)];
    await parent.news();
    await child.news();
    await teller.cards('declined');
    const lines: string[] = [];
    const note = async (when: string): Promise<void> => {
      lines.push(...(await parent.news()).map((line) => `${when} parent: ${line}`));
      lines.push(...(await child.news()).map((line) => `${when} child: ${line}`));
    };
    for (let at = Date.parse('2012-05-02'); at <= Date.parse(LAST_DAY); at += 86_400_000) {
      const day = new Date(at).toISOString().slice(0, 10);
      await teller.runTo(`${day}T00:03:42Z`);
      await note(day.slice(5));
    }
    await teller.cards('taken');
    await teller.runTo(PAYS_AT);
    await teller.payAll(parentId);
    await note('payment');
    return lines;
  },
  expected: [
    // What the child's trial costs: nothing.
    '05-02 parent: invoice 1 owes 0',
    '05-02 parent: told INVOICE_CREATION',
    '05-31 parent: invoice 2 of 05-31: PARENT_SUMMARY .. 249.95',
    '05-31 parent: invoice 2 DRAFT owes 0',
    '05-31 child: invoice 2 of 05-31: RECURRING 05-31..06-30 249.95',
    '05-31 child: invoice 2 owes 0',
    '05-31 child: told INVOICE_CREATION SUBSCRIPTION_PHASE',
    '06-01 parent: invoice 2 owes 249.95',
    '06-01 parent: invoice 2, try 1: PURCHASE PAYMENT_FAILURE 249.95',
    '06-01 parent: account owes 249.95, has 0',
    '06-01 parent: check 06-11T00:03:42',
    '06-01 parent: told INVOICE_CREATION INVOICE_PAYMENT_FAILED PAYMENT_FAILED',
    '06-01 child: invoice 2 owes 249.95',
    '06-01 child: account owes 249.95, has 0',
    '06-01 child: check 06-11T00:03:42',
    '06-09 parent: invoice 2, try 2: PURCHASE PAYMENT_FAILURE 249.95',
    '06-09 parent: told INVOICE_PAYMENT_FAILED PAYMENT_FAILED',
    '06-11 parent: OD1 from 06-11T00:03:42 blocks changes',
    '06-11 parent: state OD1',
    '06-11 parent: check 06-21T00:03:42',
    '06-11 parent: told BLOCKING_STATE OVERDUE_CHANGE',
    '06-11 child: OD1 from 06-11T00:03:42 blocks changes',
    '06-11 child: state OD1',
    '06-11 child: pro-monthly SERVICE_STATE_CHANGE 06-11T00:03:42 by OD1',
    '06-11 child: check 06-21T00:03:42',
    '06-11 child: told BLOCKING_STATE OVERDUE_CHANGE',
    '06-17 parent: invoice 2, try 3: PURCHASE PAYMENT_FAILURE 249.95',
    '06-17 parent: told INVOICE_PAYMENT_FAILED PAYMENT_FAILED',
    '06-21 parent: OD2 from 06-21T00:03:42 blocks changes, service, billing',
    '06-21 parent: state OD2',
    '06-21 parent: tags AUTO_INVOICING_OFF',
    '06-21 parent: check 07-01T00:03:42',
    '06-21 parent: told BLOCKING_STATE OVERDUE_CHANGE TAG_CREATION',
    '06-21 child: OD2 from 06-21T00:03:42 blocks changes, service, billing',
    '06-21 child: state OD2',
    '06-21 child: tags AUTO_INVOICING_OFF',
    '06-21 child: pro-monthly BLOCKED',
    '06-21 child: pro-monthly PAUSE_ENTITLEMENT 06-21T00:03:42 by OD2',
    '06-21 child: pro-monthly PAUSE_BILLING 06-21T00:03:42 by OD2',
    '06-21 child: check 07-01T00:03:42',
    '06-21 child: told BLOCKING_STATE OVERDUE_CHANGE TAG_CREATION',
    '06-25 parent: invoice 2, try 4: PURCHASE PAYMENT_FAILURE 249.95',
    '06-25 parent: told INVOICE_PAYMENT_FAILED PAYMENT_FAILED',
    '07-01 parent: OD3 from 07-01T00:03:42 blocks changes, service, billing',
    '07-01 parent: state OD3',
    '07-01 parent: check 07-11T00:03:42',
    '07-01 parent: told BLOCKING_STATE OVERDUE_CHANGE',
    '07-01 child: OD3 from 07-01T00:03:42 blocks changes, service, billing',
    '07-01 child: state OD3',
    '07-01 child: pro-monthly SERVICE_STATE_CHANGE 07-01T00:03:42 by OD3',
    '07-01 child: check 07-11T00:03:42',
    '07-01 child: told BLOCKING_STATE OVERDUE_CHANGE',
    '07-11 parent: CANCELLED from 07-11T00:03:42 blocks changes, service, billing',
    '07-11 parent: state CANCELLED',
    '07-11 parent: no check',
    '07-11 parent: told BLOCKING_STATE OVERDUE_CHANGE',
    '07-11 child: CANCELLED from 07-11T00:03:42 blocks changes, service, billing',
    '07-11 child: state CANCELLED',
    '07-11 child: pro-monthly CANCELLED, service ends 07-11, billing ends 07-11',
    '07-11 child: pro-monthly SERVICE_STATE_CHANGE 07-11T00:03:42 by CANCELLED',
    '07-11 child: no check',
    '07-11 child: told BLOCKING_STATE ENTITLEMENT_CANCEL OVERDUE_CHANGE SUBSCRIPTION_CANCEL SUBSCRIPTION_CANCEL',
    'payment parent: invoice 2 owes 0',
    'payment parent: invoice 2, try 5: PURCHASE SUCCESS 249.95',
    'payment parent: clear from 07-15T10:00:00 blocks nothing',
    'payment parent: state clear',
    'payment parent: no tags',
    'payment parent: account owes 0, has 0',
    'payment parent: told BLOCKING_STATE INVOICE_PAYMENT_SUCCESS OVERDUE_CHANGE PAYMENT_SUCCESS TAG_DELETION',
    'payment child: invoice 2 owes 0',
    'payment child: invoice 3 of 07-15: REPAIR_ADJ 06-21..06-30 -74.99',
    'payment child: invoice 3 of 07-15: CBA_ADJ 07-15..07-15 74.99',
    'payment child: invoice 3 owes 0',
    'payment child: clear from 07-15T10:00:00 blocks nothing',
    'payment child: state clear',
    'payment child: no tags',
    'payment child: pro-monthly SERVICE_STATE_CHANGE 07-15T10:00:00 by clear',
    'payment child: account owes -74.99, has 74.99',
    'payment child: told BLOCKING_STATE INVOICE_CREATION OVERDUE_CHANGE TAG_DELETION',
  ],
};
