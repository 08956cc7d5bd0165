import { type NewOverdueDefinition, SystemTag } from '../../lib/index.ts';
import { eachDatabaseByTurns, engineBeforeEach, expect, rowsOf } from '../support/index.ts';
import { afterDays } from '../support/overdue/stage-configs.ts';
import type { Account } from '../support/plain-views.ts';

/** Overdue states; the first one is entered after this many days. */
const states = (days: number): NewOverdueDefinition => ({
  overdueStates: [
    afterDays('BLOCKED', 30, { isDisableEntitlement: true }),
    afterDays('DISABLED', days, { isDisableEntitlement: true }),
  ],
});

const NO_CHECK = `delete from bw_queue_entries where unique_key like 'overdue-check:%'`;

/** Impossible states: the damage, the invariant that finds it, and the expected message. */
const damages = [
  ['OVERDUE', `update bw_tags set is_active = false`, 'the account does not have the tag'],
  [
    'OVERDUE',
    `update bw_blocking_states set is_block_billing = false where service = 'overdue-service'`,
    'its state DISABLED does not block billing',
  ],
  [
    'OVERDUE',
    `update bw_blocking_states set is_active = false where service = 'overdue-service'`,
    'its state clear does not block billing',
  ],
  ['QUEUED', NO_CHECK, 'overdue check on 2024-02-01'],
] as const;

eachDatabaseByTurns.describe('overdue consistency check', (open) => {
  let account: Account;

  const engine = engineBeforeEach(open, { now: '2024-01-01T00:00:00Z', catalog: null });
  const { acme } = engine;
  beforeEach(async () => {
    const { acme, clock } = engine;
    await acme.overdue.upload(states(10));
    clock.set('2024-01-02T00:00:00Z');
    account = await acme.createAccount({ currency: 'USD' });
    await engine.settle(charge(account));
    await engine.runTo('2024-01-12T00:00:00Z');
    expect(await entered()).to.eql(['DISABLED']);
  });

  async function charge({ id: accountId }: Account): Promise<void> {
    await engine.charge(accountId, '50');
  }

  async function entered(): Promise<readonly string[]> {
    const ofOverdue = `select state_name as name from bw_blocking_states where service = 'overdue-service'`;
    return (await rowsOf(engine.database, `${ofOverdue} order by record_id`)).map(({ name }) => String(name));
  }

  const breaches = () => Array.fromAsync(engine.billing.checks.breaches(null));
  const found = async () => (await breaches()).map(({ invariant, message }) => `${invariant} ${message}`);

  it('finds nothing for an account in an overdue state, after the last state or after clearing', async () => {
    expect(await found()).to.eql([]);
    await engine.runTo('2024-02-02T00:00:00Z');
    expect(await found()).to.eql([]);
    const [invoice] = await acme.invoices.ofAccount({ accountId: account.id });
    await engine.settle(acme.invoicePayments.pay({ invoiceId: invoice?.id ?? '', isExternal: true }));
    expect((await entered()).at(-1)).to.contain('CLEAR');
    expect(await found()).to.eql([]);
  });

  for (const [invariant, damage, words] of damages)
    it(`reports ${invariant} after ${damage}`, async () => {
      await rowsOf(engine.database, damage);
      const ownBreaches = (await breaches()).filter((breach) => breach.invariant === invariant);
      expect(ownBreaches.map(({ message }) => message).join('\n')).to.contain(words);
      expect(ownBreaches.map(({ accountId }) => accountId)).to.eql([account.id]);
    });

  it('reports an account that has paid but is still blocked and has no planned check', async () => {
    const [invoice] = await acme.invoices.ofAccount({ accountId: account.id });
    await acme.invoicePayments.pay({ invoiceId: invoice?.id ?? '', isExternal: true });
    expect(await found(), 'to be looked at').to.eql([]);
    await rowsOf(engine.database, `delete from bw_queue_entries where topic like 'overdue-service:%'`);
    expect(await found()).to.eql([
      'QUEUED The queue has no entry to change the overdue state from DISABLED to clear',
    ]);
  });

  it('reports an account with debt and no planned check, even before the account is overdue', async () => {
    const other = await acme.createAccount({ currency: 'USD' });
    await charge(other);
    expect(await found(), 'to be looked at').to.eql([]);
    await engine.settle();
    await rowsOf(engine.database, NO_CHECK);
    expect((await breaches()).map(({ accountId }) => accountId)).to.have.members([account.id, other.id]);
  });

  it('reports a child whose parent has a debt, once the parent has been evaluated', async () => {
    const parent = await acme.createAccount({ currency: 'USD' });
    const child = await acme.createAccount({
      currency: 'USD',
      parentAccountId: parent.id,
      isPaymentDelegatedToParent: true,
    });
    await engine.settle();
    await charge(parent);
    expect(await found()).to.eql([]);
    await engine.settle();
    expect(await found()).to.eql([]);
    await rowsOf(engine.database, NO_CHECK);
    expect((await breaches()).map(({ accountId }) => accountId)).to.include.members([parent.id, child.id]);
  });

  const excuses: Readonly<Record<string, () => Promise<unknown>>> = {
    'that is exempt': () =>
      acme.tags.add({ type: 'ACCOUNT', id: account.id }, [SystemTag.OVERDUE_ENFORCEMENT_OFF]),
    'that is closed': () => acme.accounts.close(account.id, { removeFutureNotifications: true }),
    'that was not evaluated with the current configuration': () => acme.overdue.upload(states(9)),
  };
  for (const [which, excuse] of Object.entries(excuses))
    it(`ignores an account ${which}`, async () => {
      await rowsOf(engine.database, NO_CHECK);
      expect(await found()).to.have.length(1);
      await engine.settle(excuse());
      expect(await found()).to.eql([]);
    });
});
