import { ErrorCode, SystemTag } from '../../lib/index.ts';
import { anyDatabase, expect, expectCode, itemLines, type TestEngine } from '../support/index.ts';
import { Debtor, openStory } from '../support/overdue/debtor.ts';
import { overdueXml, type StateParts } from '../support/overdue/overdue-documents.ts';
import { eventsOfAccount } from '../support/overdue/overdue-rows.ts';

/** One state per day, from mild to severe and back. */
const STATES: readonly StateParts[] = [
  { name: 'STOPPED', time: 3, disables: true },
  { name: 'OFF', time: 2, disables: true },
  { name: 'WARNED', time: 1, blocksChanges: true },
  { name: 'NOTED', time: 0 },
];
const CONFIG = overdueXml({ states: STATES });
const OD_DAYS = ['05-31', '06-01', '06-02', '06-03'] as const;

anyDatabase.describe('overdue effects and events (overdue §9)', (open) => {
  let engine: TestEngine;
  let debtor: Debtor;
  beforeEach(async () => {
    engine = await openStory(open, CONFIG);
    debtor = await Debtor.sign(engine, { hasCard: false });
  });

  const runTo = (day: string) => engine.runTo(`2012-${day}T00:03:42Z`);

  async function allowed(): Promise<readonly string[]> {
    const { subscriptions } = engine.acme;
    const { accountId, bundleId, subscriptionId } = debtor;
    const operations = {
      change: () =>
        subscriptions.changePlan(subscriptionId ?? '', {
          planName: 'elite-monthly',
          requestedDate: null,
          billingPolicy: 'IMMEDIATE',
        }),
      'add-on': () => subscriptions.create({ accountId, bundleId, planName: 'archive-monthly' }),
      base: () => subscriptions.create({ accountId, planName: 'solo-now' }),
    };
    const found: string[] = [];
    for (const [name, operation] of Object.entries(operations)) {
      const refusal = await operation().then(
        () => null,
        (error: { readonly code?: number }) => error.code ?? 0,
      );
      if (refusal === null) found.push(name);
      else expect([ErrorCode.BLOCKING_BLOCKED_ACTION], name).to.include(refusal);
    }
    await engine.settle();
    return found;
  }

  async function shown(): Promise<readonly string[]> {
    const { state, events } = await engine.acme.getSubscription(debtor.subscriptionId ?? '');
    const rows = events
      .filter(({ serviceName }) => serviceName === 'overdue-service')
      .map(({ eventType, serviceStateName }) => `${eventType} ${serviceStateName}`);
    return [state, ...rows];
  }

  it('pause and block subscriptions as each new state requires (overdue §9.1)', async () => {
    const rows: (readonly string[])[] = [];
    let known: readonly string[] = [];
    for (const day of OD_DAYS) {
      await runTo(day);
      const [state = '', ...events] = await shown();
      rows.push([await debtor.state(), state, ...events.slice(known.length)]);
      known = events;
      // Rejected changes leave nothing behind, so all of them can be tried in every state but the first.
      if (day !== '05-31') expect(await allowed(), day).to.eql([]);
    }
    expect(rows).to.eql([
      ['NOTED', 'ACTIVE', 'SERVICE_STATE_CHANGE NOTED'],
      ['WARNED', 'ACTIVE', 'SERVICE_STATE_CHANGE WARNED'],
      ['OFF', 'BLOCKED', 'PAUSE_ENTITLEMENT OFF', 'PAUSE_BILLING OFF'],
      ['STOPPED', 'BLOCKED', 'SERVICE_STATE_CHANGE STOPPED'],
    ]);
  });

  it('block no operation in a state without blocks (overdue §9.1)', async () => {
    await runTo('05-31');
    expect([await debtor.state(), await allowed()]).to.eql(['NOTED', ['change', 'add-on', 'base']]);
  });

  for (const [time, state, refused] of [
    [0, 'NOTED', []],
    [1, 'WARNED', ['change', 'add-on', 'base']],
  ] as const)
    it(`resume service and billing after a disabling state changes to ${state}, and allow the changes that ${state} permits (overdue §9.1)`, async () => {
      const milder = overdueXml({
        states: [
          { name: 'OFF', count: 2, disables: true },
          { name: state, time, ...(state === 'WARNED' ? { blocksChanges: true as const } : {}) },
        ],
      });
      await engine.acme.overdue.upload(milder);
      await runTo('05-31');
      await runTo('06-01');
      await debtor.charge('10');
      expect((await shown()).slice(-2)).to.eql(['PAUSE_ENTITLEMENT OFF', 'PAUSE_BILLING OFF']);
      await runTo('06-03');
      await debtor.pay(1);
      const [now, ...events] = await shown();
      expect([now, ...events.slice(-2)]).to.eql([
        'ACTIVE',
        `RESUME_ENTITLEMENT ${state}`,
        `RESUME_BILLING ${state}`,
      ]);
      const passed = await allowed();
      expect(['change', 'add-on', 'base'].filter((each) => !passed.includes(each))).to.eql(refused);
    });

  for (const [index, day] of OD_DAYS.entries())
    it(`allow cancellation in state ${STATES.at(-1 - index)?.name} (overdue §9.1)`, async () => {
      for (const each of OD_DAYS.slice(0, index + 1)) await runTo(each);
      await engine.acme.subscriptions.cancel(debtor.subscriptionId ?? '', {
        entitlementPolicy: 'IMMEDIATE',
        billingPolicy: 'IMMEDIATE',
      });
      await engine.settle();
      expect((await shown())[0], day).to.equal('CANCELLED');
    });

  it('suspend invoicing while billing is blocked, and bill the whole period in one later run (overdue §9.2)', async () => {
    await debtor.chronicle.days('2012-05-02', '2012-06-02');
    expect(await debtor.tags()).to.eql(['AUTO_INVOICING_OFF']);
    const before = (await debtor.invoices()).length;
    await debtor.chronicle.days('2012-06-03', '2012-07-05');
    expect(await debtor.invoices(), 'nothing on 06-30').to.have.length(before);
    await engine.runTo('2012-07-05T10:00:00Z');
    await debtor.payAll();
    const made = (await debtor.invoices()).slice(before);
    expect(made.map(itemLines)).to.eql([
      [
        // 28 of the 30 days from 05-31 to 06-30.
        'REPAIR_ADJ 2012-06-02..2012-06-30 -233.29',
        // 26 of the 31 days from 06-30 to 07-31.
        'RECURRING 2012-07-05..2012-07-31 209.64',
        'CBA_ADJ 2012-07-05..2012-07-05 23.65',
      ],
    ]);
  });

  it('allow charges, credits and payments while billing is blocked (overdue §9.2)', async () => {
    await debtor.chronicle.days('2012-05-02', '2012-06-02');
    const { accountId } = debtor;
    await debtor.charge('50');
    expect(await debtor.owed()).to.eql(['249.95', '50']);
    await engine.acme.invoices.addCredits({ accountId, items: [{ amount: '49.95' }], autoCommit: true });
    await engine.settle();
    expect(await debtor.owed()).to.eql(['200', '50']);
    await debtor.pay(1);
    expect([await debtor.owed(), await debtor.state()]).to.eql([['200'], 'OFF']);
  });

  it('publish one event for each change of state, and no event without a change (overdue §9.3)', async () => {
    const seen = new Set<number>();
    const fresh = async () => {
      const all = await eventsOfAccount(engine.database, debtor.accountId);
      const found = all.filter((_, index) => !seen.has(index));
      for (const index of all.keys()) seen.add(index);
      return found.filter(({ topic }) => !topic.startsWith('INVOICE_') && !topic.startsWith('PAYMENT_'));
    };
    const changes: unknown[] = [];
    const topics: string[][] = [];
    await fresh();
    for (const day of [...OD_DAYS, '06-04']) {
      await runTo(day);
      const found = await fresh();
      topics.push(found.map(({ topic }) => topic).toSorted());
      for (const { topic, payload } of found) if (topic === 'OVERDUE_CHANGE') changes.push(payload.metaData);
    }
    await debtor.payAll();
    const found = await fresh();
    topics.push(found.map(({ topic }) => topic).toSorted());
    for (const { topic, payload } of found)
      if (topic === 'OVERDUE_CHANGE') {
        changes.push(payload.metaData);
        expect(payload.accountId).to.equal(debtor.accountId);
      }
    expect(topics.map((each) => each.filter((topic) => !topic.startsWith('SUBSCRIPTION_')))).to.eql([
      ['BLOCKING_STATE', 'OVERDUE_CHANGE', 'TRIAL_ENDING'],
      ['BLOCKING_STATE', 'OVERDUE_CHANGE'],
      ['BLOCKING_STATE', 'OVERDUE_CHANGE', 'TAG_CREATION'],
      ['BLOCKING_STATE', 'OVERDUE_CHANGE'],
      [],
      ['BLOCKING_STATE', 'OVERDUE_CHANGE', 'TAG_DELETION'],
    ]);
    const clear = '__KILLBILL__CLEAR__OVERDUE_STATE__';
    const change = (previousState: string, nextState: string, billing?: 'BLOCKED' | 'UNBLOCKED') => ({
      previousState,
      nextState,
      isBlockedBilling: billing === 'BLOCKED',
      isUnblockedBilling: billing === 'UNBLOCKED',
    });
    expect(changes).to.eql([
      change(clear, 'NOTED'),
      change('NOTED', 'WARNED'),
      change('WARNED', 'OFF', 'BLOCKED'),
      change('OFF', 'STOPPED'),
      change('STOPPED', clear, 'UNBLOCKED'),
    ]);
  });

  describe('effects on tags (overdue §5.1 step 7)', () => {
    const OFF = SystemTag.AUTO_INVOICING_OFF;

    it('keep AUTO_INVOICING_OFF after the account is cleared if a user added the tag', async () => {
      await debtor.chronicle.days('2012-05-02', '2012-05-31');
      await debtor.tag(OFF);
      await runTo('06-03');
      expect(await debtor.state()).to.equal('STOPPED');
      await debtor.payAll();
      expect([await debtor.state(), await debtor.tags()]).to.eql(['clear', ['AUTO_INVOICING_OFF']]);
    });

    it('keep AUTO_INVOICING_OFF after the account is cleared if a user removed the tag and added it again', async () => {
      await debtor.chronicle.days('2012-05-02', '2012-06-02');
      await debtor.tag(OFF, 'off');
      await debtor.tag(OFF);
      await debtor.payAll();
      expect([await debtor.state(), await debtor.tags()]).to.eql(['clear', ['AUTO_INVOICING_OFF']]);
    });

    it('do not add AUTO_INVOICING_OFF again in the next disabling state if a user removed the tag', async () => {
      await debtor.chronicle.days('2012-05-02', '2012-06-02');
      await debtor.tag(OFF, 'off');
      await runTo('06-03');
      expect([await debtor.state(), await debtor.tags()]).to.eql(['STOPPED', []]);
    });
  });

  it('leave canceled subscriptions unchanged, and bring later cancellations forward (overdue §5.1 step 6)', async () => {
    await engine.acme.overdue.upload(overdueXml({ states: [{ name: 'OUT', time: 5, policy: 'IMMEDIATE' }] }));
    const { accountId } = debtor;
    const gone = await engine.acme.createSubscription({ accountId, planName: 'solo-monthly' });
    await runTo('05-20');
    await engine.settle(engine.acme.subscriptions.cancel(gone.subscriptionId));
    await runTo('05-31');
    await engine.subscribe({ accountId, planName: 'kit-monthly' });
    await engine.acme.subscriptions.cancel(debtor.subscriptionId ?? '', {
      entitlementPolicy: 'END_OF_TERM',
      billingPolicy: 'END_OF_TERM',
    });
    await engine.settle();
    await runTo('06-05');
    const lines = (await debtor.chronicle.news()).filter((line) => / CANCELLED,/.test(line));
    expect(lines.toSorted()).to.eql([
      'kit-monthly CANCELLED, service ends 06-05, billing ends 06-05',
      'pro-monthly CANCELLED, service ends 06-05, billing ends 06-05',
      'solo-monthly CANCELLED, service ends 05-20, billing ends 05-20',
    ]);
  });

  it('include cancellations that remain in effect after the account is cleared (overdue §7 rule 4)', async () => {
    await engine.acme.overdue.upload(
      overdueXml({ states: [{ name: 'GONE', time: 5, policy: 'IMMEDIATE', disables: true }] }),
    );
    await runTo('05-31');
    await runTo('06-05');
    await debtor.tag(SystemTag.OVERDUE_ENFORCEMENT_OFF);
    expect([await debtor.state(), await debtor.tags()]).to.eql(['clear', ['OVERDUE_ENFORCEMENT_OFF']]);
    expect((await shown())[0]).to.equal('CANCELLED');
  });

  it('include the rejection of new subscriptions (overdue §9.1)', async () => {
    await runTo('05-31');
    await runTo('06-01');
    const refused = engine.acme.createSubscription({ accountId: debtor.accountId, planName: 'solo-now' });
    await expectCode(refused, 'BLOCKING_BLOCKED_ACTION');
  });
});
