import { type NewOverdueDefinition, SystemTag, type Uuid } from '../../lib/index.ts';
import { eachDatabaseByTurns, engineBeforeEach, expect, openEngine, rowsOf } from '../support/index.ts';
import { BEGINS } from '../support/overdue/debtor.ts';
import { dunningStories, type StoryPlayer } from '../support/overdue/dunning-stories.ts';
import { libraryPlayer } from '../support/overdue/library-player.ts';
import { afterDays } from '../support/overdue/stage-configs.ts';

const CLEAR = '__KILLBILL__CLEAR__OVERDUE_STATE__';
const config: NewOverdueDefinition = {
  overdueStates: [
    afterDays('DISABLED', 20, { isDisableEntitlement: true }),
    afterDays('WARNED', 10, { isBlockChanges: true }),
  ],
};

eachDatabaseByTurns.describe('overdue accounts', (open) => {
  let accountId: Uuid;

  /** An account that has owed 19.95 since 2024-01-01. */
  const engine = engineBeforeEach(open, { now: '2024-01-01T00:00:00Z' });
  const { acme } = engine;
  beforeEach(async () => {
    await acme.overdue.upload(config);
    accountId = (await acme.createAccount({ currency: 'USD' })).id;
    await engine.subscribe({ accountId, planName: 'solo-now' });
  });

  async function states(): Promise<readonly string[]> {
    const found = await acme.blocking.ofAccount(accountId, { services: ['overdue-service'] });
    return found.map(({ stateName }) => stateName);
  }

  const checks = async () =>
    rowsOf(engine.database, `select topic from bw_queue_entries where unique_key like 'overdue-check:%'`);

  async function pay(): Promise<void> {
    for (const { id } of await acme.invoices.ofAccount({ accountId }))
      await acme.invoicePayments.pay({ invoiceId: id, isExternal: true });
    await engine.settle();
  }

  const tags = async () =>
    (await acme.tags.ofAccount(accountId)).map(({ tagDefinitionName }) => tagDefinitionName);

  const items = async () => await engine.linesOf(accountId);

  const BILLED = ['RECURRING 2024-01-01..2024-02-01 19.95'];

  it('keep the AUTO_INVOICING_OFF tag that an overdue state added, even after they are closed and have paid (overdue §2.3)', async () => {
    await engine.runTo('2024-01-11T00:00:00Z');
    await engine.runTo('2024-01-21T00:00:00Z');
    expect([await states(), await tags()]).to.eql([['WARNED', 'DISABLED'], ['AUTO_INVOICING_OFF']]);
    await acme.accounts.close(accountId);
    await pay();
    expect([(await states()).at(-1), await tags()]).to.eql([CLEAR, ['AUTO_INVOICING_OFF']]);
    await engine.runTo('2024-04-01T00:00:00Z');
    expect(await items()).to.eql(BILLED);
    expect(await Array.fromAsync(engine.billing.checks.breaches(null))).to.eql([]);
  });

  it('are billed again once their debt is paid, if they are not closed', async () => {
    await engine.runTo('2024-01-21T00:00:00Z');
    await pay();
    expect(await tags()).to.eql([]);
    await engine.runTo('2024-02-01T00:00:00Z');
    expect((await items()).length).to.be.greaterThan(BILLED.length);
  });

  it('still enter the next overdue state after they are closed, unless their planned work is removed', async () => {
    await acme.accounts.close(accountId);
    expect(await checks()).to.have.length(1);
    await engine.runTo('2024-01-11T00:00:00Z');
    expect(await states()).to.eql(['WARNED']);
    await acme.accounts.close(accountId, { removeFutureNotifications: true });
    expect(await checks()).to.eql([]);
    await engine.runTo('2024-02-01T00:00:00Z');
    expect(await states()).to.eql(['WARNED']);
    expect(await Array.fromAsync(engine.billing.checks.breaches(null))).to.eql([]);
  });

  for (const flag of ['writeOffUnpaidInvoices', 'itemAdjustUnpaidInvoices'] as const)
    it(`become clear without a check if they are closed with ${flag}`, async () => {
      await engine.runTo('2024-01-11T00:00:00Z');
      await acme.accounts.close(accountId, {
        [flag]: true,
        cancelAllSubscriptions: true,
        removeFutureNotifications: true,
      });
      await engine.settle();
      expect(await states()).to.eql(['WARNED', CLEAR]);
      expect(await checks()).to.eql([]);
      expect(await items()).to.include.members(BILLED);
    });

  it('are checked before they are closed if a check is already due', async () => {
    engine.clock.set('2024-01-21T06:00:00Z');
    await acme.accounts.close(accountId);
    expect(await states()).to.eql(['DISABLED']);
    expect(await tags()).to.eql(['AUTO_INVOICING_OFF']);
  });

  it('are closed without waiting for a check that has to follow later work of the same day', async () => {
    const { id } = await engine.payingAccount({ currency: 'USD' });
    engine.gateway.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR' });
    await acme.tags.add({ type: 'ACCOUNT', id }, [SystemTag.AUTO_PAY_OFF]);
    await acme.invoices.addCharges({ accountId: id, items: [{ amount: '50' }], autoCommit: true });
    await engine.settle();
    await engine.runTo('2024-01-03T12:00:00Z');
    await engine.settle(acme.tags.remove({ type: 'ACCOUNT', id }, [SystemTag.AUTO_PAY_OFF]));
    await engine.runTo('2024-01-11T06:00:00Z');
    const states = () => acme.blocking.ofAccount(id, { services: ['overdue-service'] });
    expect(await states(), 'a retry of the payment is due at 12:00').to.eql([]);
    await acme.accounts.close(id);
    await engine.runTo('2024-01-11T12:00:00Z');
    expect((await states()).map(({ stateName }) => stateName)).to.eql(['WARNED']);
  });

  it('show their overdue states on the timeline (overdue §9.1)', async () => {
    await engine.runTo('2024-01-11T00:00:00Z');
    await engine.runTo('2024-01-21T00:00:00Z');
    const { bundles } = await acme.accounts.timeline(accountId);
    const stateLines = bundles
      .flatMap(({ subscriptions }) => subscriptions)
      .flatMap(({ events }) => events)
      .filter(({ serviceName }) => serviceName === 'overdue-service')
      .map(({ eventType, serviceStateName }) => `${eventType} ${serviceStateName}`);
    expect(stateLines).to.eql([
      'SERVICE_STATE_CHANGE WARNED',
      'PAUSE_ENTITLEMENT DISABLED',
      'PAUSE_BILLING DISABLED',
    ]);
  });

  it('include overdue data and the planned check in the export (accounts §16)', async () => {
    await engine.runTo('2024-01-11T00:00:00Z');
    const text = (await Array.fromAsync(await acme.accounts.export(accountId))).join('');
    const lines = text.split('\n');
    const at = lines.findIndex((line) => line.startsWith('-- overdue_accounts '));
    expect(lines[at]).to.match(/\|account_id\|account_record_id\|is_invoicing_off_owned\|state_name$/);
    expect(lines[at + 1]).to.match(new RegExp(`\\|${accountId}\\|\\d+\\|false\\|WARNED$`));
    expect(text).to.contain('overdue-check:');
    expect(text).to.contain('|WARNED|');
  });

  it('remain overdue when they are anonymized', async () => {
    await engine.runTo('2024-01-11T00:00:00Z');
    await engine.settle(acme.anonymizeAccount(accountId));
    await engine.runTo('2024-01-21T00:00:00Z');
    expect(await states()).to.eql(['WARNED', 'DISABLED']);
  });
});

eachDatabaseByTurns.describe('dunning from the first failed payment to full payment', (open) => {
  let player: StoryPlayer;
  beforeEach(async () => {
    player = libraryPlayer(await openEngine(open, { now: BEGINS }));
  });

  for (const { title, play, expected } of dunningStories)
    it(`matches the story "${title}"`, async () => {
      expect(await play(player)).to.eql(expected);
    });
});
