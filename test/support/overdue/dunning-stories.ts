import { SystemTag } from '../../../lib/index.ts';
import type { TestDatabase } from '../databases.ts';
import type { AccountFacts } from './account-facts.ts';
import { Chronicle } from './debtor.ts';
import { overdueXml, type StateParts } from './overdue-documents.ts';

export interface StoryPlayer {
  readonly database: TestDatabase;
  upload(config: string): Promise<void>;
  account(parts: AccountParts): Promise<string>;
  subscribe(accountId: string, planName: string): Promise<void>;
  tag(accountId: string, definitionId: string): Promise<void>;
  untag(accountId: string, definitionId: string): Promise<void>;
  /** Pays all unpaid invoices with the card. */
  payAll(accountId: string): Promise<void>;
  cards(are: 'declined' | 'taken'): Promise<void>;
  runTo(when: string): Promise<void>;
  read(accountId: string): Promise<AccountFacts>;
  close(): Promise<void>;
}

export interface AccountParts {
  readonly hasCard: boolean;
  readonly payerId?: string;
}

/** A story of a customer who does not pay until the end, with the expected lines. */
export interface DunningStory {
  readonly title: string;
  readonly play: (player: StoryPlayer) => Promise<readonly string[]>;
  readonly expected: readonly string[];
}

export const OD1: StateParts = {
  name: 'OD1',
  time: 10,
  blocksChanges: true,
  every: 10,
  message: 'Please pay',
};
export const LATER_STATES: readonly StateParts[] = [
  { name: 'CANCELLED', time: 40, disables: true, policy: 'IMMEDIATE' },
  { name: 'OD3', time: 30, disables: true, every: 10 },
  { name: 'OD2', time: 20, disables: true, every: 10, message: 'Service suspended' },
];
export const CONFIG = overdueXml({ initial: 10, states: [...LATER_STATES, OD1] });

export const PLAN = 'pro-monthly';
export const LAST_DAY = '2012-07-15';
export const PAYS_AT = `${LAST_DAY}T10:00:00Z`;

/** Chronicle of an account from the day after its sign-up. */
export function chronicleOf(player: StoryPlayer, accountId: string): Chronicle {
  const { database, runTo, read } = player;
  return new Chronicle({ database, accountId: accountId as never, runTo, read: () => read(accountId) });
}

export async function signUp(player: StoryPlayer): Promise<string> {
  await player.upload(CONFIG);
  const accountId = await player.account({ hasCard: true });
  await player.subscribe(accountId, PLAN);
  return accountId;
}

export const failedCard: DunningStory = {
  title: 'a failed card, three retries, OD1 to OD3, cancellation, then payment of all',
  play: async (player) => {
    const accountId = await signUp(player);
    const chronicle = chronicleOf(player, accountId);
    await chronicle.news();
    await player.cards('declined');
    const lines = [...(await chronicle.days('2012-05-02', LAST_DAY))];
    await player.cards('taken');
    await player.runTo(PAYS_AT);
    await player.payAll(accountId);
    lines.push(...(await chronicle.news()).map((line) => `payment: ${line}`));
    return [...lines, ...(await chronicle.days('2012-07-16', '2012-08-31'))];
  },
  expected: [
    '05-28 published TRIAL_ENDING',
    '05-31 invoice 2 of 05-31: RECURRING 05-31..06-30 249.95',
    '05-31 invoice 2 owes 249.95',
    '05-31 invoice 2, try 1: PURCHASE PAYMENT_FAILURE 249.95',
    '05-31 account owes 249.95, has 0',
    '05-31 check 06-10T00:03:42',
    '05-31 published INVOICE_CREATION INVOICE_PAYMENT_FAILED PAYMENT_FAILED SUBSCRIPTION_PHASE',
    '06-08 invoice 2, try 2: PURCHASE PAYMENT_FAILURE 249.95',
    '06-08 published INVOICE_PAYMENT_FAILED PAYMENT_FAILED',
    '06-10 OD1 from 06-10T00:03:42 blocks changes',
    '06-10 state OD1',
    '06-10 pro-monthly SERVICE_STATE_CHANGE 06-10T00:03:42 by OD1',
    '06-10 check 06-20T00:03:42',
    '06-10 published BLOCKING_STATE OVERDUE_CHANGE',
    '06-16 invoice 2, try 3: PURCHASE PAYMENT_FAILURE 249.95',
    '06-16 published INVOICE_PAYMENT_FAILED PAYMENT_FAILED',
    '06-20 OD2 from 06-20T00:03:42 blocks changes, service, billing',
    '06-20 state OD2',
    '06-20 tags AUTO_INVOICING_OFF',
    '06-20 pro-monthly BLOCKED',
    '06-20 pro-monthly PAUSE_ENTITLEMENT 06-20T00:03:42 by OD2',
    '06-20 pro-monthly PAUSE_BILLING 06-20T00:03:42 by OD2',
    '06-20 check 06-30T00:03:42',
    '06-20 published BLOCKING_STATE OVERDUE_CHANGE TAG_CREATION',
    '06-24 invoice 2, try 4: PURCHASE PAYMENT_FAILURE 249.95',
    '06-24 published INVOICE_PAYMENT_FAILED PAYMENT_FAILED',
    '06-30 OD3 from 06-30T00:03:42 blocks changes, service, billing',
    '06-30 state OD3',
    '06-30 pro-monthly SERVICE_STATE_CHANGE 06-30T00:03:42 by OD3',
    '06-30 check 07-10T00:03:42',
    '06-30 published BLOCKING_STATE OVERDUE_CHANGE',
    '07-10 CANCELLED from 07-10T00:03:42 blocks changes, service, billing',
    '07-10 state CANCELLED',
    '07-10 pro-monthly CANCELLED, service ends 07-10, billing ends 07-10',
    '07-10 pro-monthly SERVICE_STATE_CHANGE 07-10T00:03:42 by CANCELLED',
    '07-10 no check',
    '07-10 published BLOCKING_STATE ENTITLEMENT_CANCEL OVERDUE_CHANGE SUBSCRIPTION_CANCEL SUBSCRIPTION_CANCEL',
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
    'payment: published BLOCKING_STATE INVOICE_CREATION INVOICE_PAYMENT_SUCCESS OVERDUE_CHANGE PAYMENT_SUCCESS TAG_DELETION',
  ],
};

const withoutTries = (lines: readonly string[]): readonly string[] =>
  lines.filter(
    (line) =>
      !/^\d\S+ invoice 2, try/.test(line) &&
      !line.endsWith('published INVOICE_PAYMENT_FAILED PAYMENT_FAILED'),
  );

export const heldBack: DunningStory = {
  title: 'unpaid invoices with AUTO_PAY_OFF, which age as usual and are paid when the tag is removed',
  play: async (player) => {
    const accountId = await signUp(player);
    await player.tag(accountId, SystemTag.AUTO_PAY_OFF);
    const chronicle = chronicleOf(player, accountId);
    await chronicle.news();
    const lines = [...(await chronicle.days('2012-05-02', LAST_DAY))];
    await player.runTo(PAYS_AT);
    await player.untag(accountId, SystemTag.AUTO_PAY_OFF);
    lines.push(...(await chronicle.news()).map((line) => `payment: ${line}`));
    return [...lines, ...(await chronicle.days('2012-07-16', '2012-08-31'))];
  },
  expected: withoutTries(failedCard.expected).map((line) =>
    line
      .replace(
        '05-31 published INVOICE_CREATION INVOICE_PAYMENT_FAILED PAYMENT_FAILED',
        '05-31 published INVOICE_CREATION',
      )
      .replace('06-20 tags AUTO_INVOICING_OFF', '06-20 tags AUTO_INVOICING_OFF, AUTO_PAY_OFF')
      .replace('try 5', 'try 1')
      .replace('PAYMENT_SUCCESS TAG_DELETION', 'PAYMENT_SUCCESS TAG_DELETION TAG_DELETION'),
  ),
};

/** Its first state also blocks the service. */
const STRICTER = overdueXml({ initial: 10, states: [...LATER_STATES, { ...OD1, disables: true }] });
/** Has other states. */
const OTHER = overdueXml({
  initial: 10,
  states: [
    { name: 'STOPPED', time: 25, disables: true },
    { name: 'LATE', time: 10, blocksChanges: true },
  ],
});

export const changedConfig: DunningStory = {
  title: 'configuration changes, which apply to accounts at their next evaluation',
  play: async (player) => {
    const accountId = await signUp(player);
    const chronicle = chronicleOf(player, accountId);
    await chronicle.news();
    await player.cards('declined');
    const lines = [...(await chronicle.days('2012-05-02', '2012-06-12'))];
    await player.upload(STRICTER);
    lines.push(...(await chronicle.days('2012-06-13', '2012-06-18')));
    await player.upload(OTHER);
    lines.push(...(await chronicle.news()), ...(await chronicle.days('2012-06-19', LAST_DAY)));
    await player.cards('taken');
    await player.runTo(PAYS_AT);
    await player.payAll(accountId);
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
    '06-16 published BLOCKING_STATE INVOICE_PAYMENT_FAILED PAYMENT_FAILED TAG_CREATION',
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
    '06-20 published BLOCKING_STATE INVOICE_ADJUSTMENT INVOICE_CREATION OVERDUE_CHANGE TAG_DELETION',
    '06-24 invoice 2, try 4: PURCHASE PAYMENT_FAILURE 216.62',
    '06-24 published INVOICE_PAYMENT_FAILED PAYMENT_FAILED',
    '06-25 STOPPED from 06-25T00:03:42 blocks changes, service, billing',
    '06-25 state STOPPED',
    '06-25 tags AUTO_INVOICING_OFF',
    '06-25 pro-monthly BLOCKED',
    '06-25 pro-monthly PAUSE_ENTITLEMENT 06-25T00:03:42 by STOPPED',
    '06-25 pro-monthly PAUSE_BILLING 06-25T00:03:42 by STOPPED',
    '06-25 no check',
    '06-25 published BLOCKING_STATE OVERDUE_CHANGE TAG_CREATION',
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
    'payment: published BLOCKING_STATE INVOICE_CREATION INVOICE_PAYMENT_SUCCESS INVOICE_PAYMENT_SUCCESS OVERDUE_CHANGE PAYMENT_SUCCESS PAYMENT_SUCCESS TAG_DELETION',
    '07-31 invoice 5 of 07-31: RECURRING 07-31..08-31 249.95',
    '07-31 invoice 5 owes 0',
    '07-31 invoice 5, try 1: PURCHASE SUCCESS 249.95',
    '07-31 published INVOICE_CREATION INVOICE_PAYMENT_SUCCESS PAYMENT_SUCCESS',
  ],
};

export const parentPays: DunningStory = {
  title: 'a paying parent and its child, which pass through every state until the child is canceled',
  play: async (player) => {
    await player.upload(CONFIG);
    const parentId = await player.account({ hasCard: true });
    const childId = await player.account({ hasCard: false, payerId: parentId });
    await player.subscribe(childId, PLAN);
    const [parent, child] = [chronicleOf(player, parentId), chronicleOf(player, childId)];
    await parent.news();
    await child.news();
    await player.cards('declined');
    const lines: string[] = [];
    const note = async (when: string): Promise<void> => {
      lines.push(...(await parent.news()).map((line) => `${when} parent: ${line}`));
      lines.push(...(await child.news()).map((line) => `${when} child: ${line}`));
    };
    for (let at = Date.parse('2012-05-02'); at <= Date.parse(LAST_DAY); at += 86_400_000) {
      const day = new Date(at).toISOString().slice(0, 10);
      await player.runTo(`${day}T00:03:42Z`);
      await note(day.slice(5));
    }
    await player.cards('taken');
    await player.runTo(PAYS_AT);
    await player.payAll(parentId);
    await note('payment');
    return lines;
  },
  expected: [
    // The child's free trial.
    '05-02 parent: invoice 1 owes 0',
    '05-02 parent: published INVOICE_CREATION',
    '05-28 child: published TRIAL_ENDING',
    '05-31 parent: invoice 2 of 05-31: PARENT_SUMMARY .. 249.95',
    '05-31 parent: invoice 2 DRAFT owes 0',
    '05-31 child: invoice 2 of 05-31: RECURRING 05-31..06-30 249.95',
    '05-31 child: invoice 2 owes 0',
    '05-31 child: published INVOICE_CREATION SUBSCRIPTION_PHASE',
    '06-01 parent: invoice 2 owes 249.95',
    '06-01 parent: invoice 2, try 1: PURCHASE PAYMENT_FAILURE 249.95',
    '06-01 parent: account owes 249.95, has 0',
    '06-01 parent: check 06-11T00:03:42',
    '06-01 parent: published INVOICE_CREATION INVOICE_PAYMENT_FAILED PAYMENT_FAILED',
    '06-01 child: invoice 2 owes 249.95',
    '06-01 child: account owes 249.95, has 0',
    '06-01 child: check 06-11T00:03:42',
    '06-09 parent: invoice 2, try 2: PURCHASE PAYMENT_FAILURE 249.95',
    '06-09 parent: published INVOICE_PAYMENT_FAILED PAYMENT_FAILED',
    '06-11 parent: OD1 from 06-11T00:03:42 blocks changes',
    '06-11 parent: state OD1',
    '06-11 parent: check 06-21T00:03:42',
    '06-11 parent: published BLOCKING_STATE OVERDUE_CHANGE',
    '06-11 child: OD1 from 06-11T00:03:42 blocks changes',
    '06-11 child: state OD1',
    '06-11 child: pro-monthly SERVICE_STATE_CHANGE 06-11T00:03:42 by OD1',
    '06-11 child: check 06-21T00:03:42',
    '06-11 child: published BLOCKING_STATE OVERDUE_CHANGE',
    '06-17 parent: invoice 2, try 3: PURCHASE PAYMENT_FAILURE 249.95',
    '06-17 parent: published INVOICE_PAYMENT_FAILED PAYMENT_FAILED',
    '06-21 parent: OD2 from 06-21T00:03:42 blocks changes, service, billing',
    '06-21 parent: state OD2',
    '06-21 parent: tags AUTO_INVOICING_OFF',
    '06-21 parent: check 07-01T00:03:42',
    '06-21 parent: published BLOCKING_STATE OVERDUE_CHANGE TAG_CREATION',
    '06-21 child: OD2 from 06-21T00:03:42 blocks changes, service, billing',
    '06-21 child: state OD2',
    '06-21 child: tags AUTO_INVOICING_OFF',
    '06-21 child: pro-monthly BLOCKED',
    '06-21 child: pro-monthly PAUSE_ENTITLEMENT 06-21T00:03:42 by OD2',
    '06-21 child: pro-monthly PAUSE_BILLING 06-21T00:03:42 by OD2',
    '06-21 child: check 07-01T00:03:42',
    '06-21 child: published BLOCKING_STATE OVERDUE_CHANGE TAG_CREATION',
    '06-25 parent: invoice 2, try 4: PURCHASE PAYMENT_FAILURE 249.95',
    '06-25 parent: published INVOICE_PAYMENT_FAILED PAYMENT_FAILED',
    '07-01 parent: OD3 from 07-01T00:03:42 blocks changes, service, billing',
    '07-01 parent: state OD3',
    '07-01 parent: check 07-11T00:03:42',
    '07-01 parent: published BLOCKING_STATE OVERDUE_CHANGE',
    '07-01 child: OD3 from 07-01T00:03:42 blocks changes, service, billing',
    '07-01 child: state OD3',
    '07-01 child: pro-monthly SERVICE_STATE_CHANGE 07-01T00:03:42 by OD3',
    '07-01 child: check 07-11T00:03:42',
    '07-01 child: published BLOCKING_STATE OVERDUE_CHANGE',
    '07-11 parent: CANCELLED from 07-11T00:03:42 blocks changes, service, billing',
    '07-11 parent: state CANCELLED',
    '07-11 parent: no check',
    '07-11 parent: published BLOCKING_STATE OVERDUE_CHANGE',
    '07-11 child: CANCELLED from 07-11T00:03:42 blocks changes, service, billing',
    '07-11 child: state CANCELLED',
    '07-11 child: pro-monthly CANCELLED, service ends 07-11, billing ends 07-11',
    '07-11 child: pro-monthly SERVICE_STATE_CHANGE 07-11T00:03:42 by CANCELLED',
    '07-11 child: no check',
    '07-11 child: published BLOCKING_STATE ENTITLEMENT_CANCEL OVERDUE_CHANGE SUBSCRIPTION_CANCEL SUBSCRIPTION_CANCEL',
    'payment parent: invoice 2 owes 0',
    'payment parent: invoice 2, try 5: PURCHASE SUCCESS 249.95',
    'payment parent: clear from 07-15T10:00:00 blocks nothing',
    'payment parent: state clear',
    'payment parent: no tags',
    'payment parent: account owes 0, has 0',
    'payment parent: published BLOCKING_STATE INVOICE_PAYMENT_SUCCESS OVERDUE_CHANGE PAYMENT_SUCCESS TAG_DELETION',
    'payment child: invoice 2 owes 0',
    'payment child: invoice 3 of 07-15: REPAIR_ADJ 06-21..06-30 -74.99',
    'payment child: invoice 3 of 07-15: CBA_ADJ 07-15..07-15 74.99',
    'payment child: invoice 3 owes 0',
    'payment child: clear from 07-15T10:00:00 blocks nothing',
    'payment child: state clear',
    'payment child: no tags',
    'payment child: pro-monthly SERVICE_STATE_CHANGE 07-15T10:00:00 by clear',
    'payment child: account owes -74.99, has 74.99',
    'payment child: published BLOCKING_STATE INVOICE_CREATION OVERDUE_CHANGE TAG_DELETION',
  ],
};

export const dunningStories: readonly DunningStory[] = [failedCard, heldBack, parentPays, changedConfig];
