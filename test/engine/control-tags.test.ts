import { formatDecimal, SystemTag, type Uuid } from '../../lib/index.ts';
import { eachDatabaseByTurns } from '../support/databases.ts';
import { engineBeforeEach, expect, expectCode, itemLines, newEvents } from '../support/index.ts';

eachDatabaseByTurns.describe('control tags', (open) => {
  const engine = engineBeforeEach(open, { now: '2024-01-01T00:00:00Z' });

  const tag = (id: Uuid, ...tags: readonly Uuid[]) => engine.acme.tags.add({ type: 'ACCOUNT', id }, tags);
  const untag = (id: Uuid, ...tags: readonly Uuid[]): Promise<void> =>
    engine.acme.tags.remove({ type: 'ACCOUNT', id }, tags);

  async function subscriber(...tags: readonly Uuid[]): Promise<Uuid> {
    const { id } = await engine.payingAccount({ currency: 'USD' });
    await tag(id, ...tags);
    await engine.subscribe({ accountId: id, planName: 'solo-now' });
    return id;
  }

  const invoicesOf = (accountId: Uuid) => engine.acme.invoices.ofAccount({ accountId, withItems: true });

  const linesOf = async (id: Uuid) => (await invoicesOf(id)).map(itemLines);
  const balancesOf = async (id: Uuid) => (await invoicesOf(id)).map(({ balance }) => formatDecimal(balance));
  const charged = () => engine.ledger.all().map(({ amount }) => (amount ? formatDecimal(amount) : null));

  describe('for payments', () => {
    for (const name of ['AUTO_PAY_OFF', 'MANUAL_PAY'] as const)
      it(`hold back new payments (${name}), and release them oldest first when removed (payments §14 example 13)`, async () => {
        const id = await subscriber(SystemTag[name]);
        await engine.runTo('2024-02-01T00:00:00Z');
        expect(await balancesOf(id)).to.eql(['19.95', '19.95']);
        expect(charged()).to.eql([]);
        await engine.settle(untag(id, SystemTag[name]));
        expect(await balancesOf(id)).to.eql(['0', '0']);
        expect(charged()).to.eql(['19.95', '19.95']);
        const payments = await engine.acme.payments.invoicePaymentsOfAccount(id);
        const invoices = await invoicesOf(id);
        expect(payments.map(({ targetInvoiceId }) => targetInvoiceId)).to.eql(
          invoices.map((invoice) => invoice.id),
        );
      });

    it('of the types AUTO_PAY_OFF and MANUAL_PAY hold back payments until both are removed', async () => {
      const id = await subscriber(SystemTag.AUTO_PAY_OFF, SystemTag.MANUAL_PAY);
      await engine.settle(untag(id, SystemTag.AUTO_PAY_OFF));
      expect(await balancesOf(id)).to.eql(['19.95']);
      await untag(id, SystemTag.MANUAL_PAY);
      await engine.settle(tag(id, SystemTag.MANUAL_PAY));
      expect(await balancesOf(id)).to.eql(['19.95']);
      await engine.settle(untag(id, SystemTag.MANUAL_PAY));
      expect(await balancesOf(id)).to.eql(['0']);
      expect(charged()).to.eql(['19.95']);
    });

    it('release a payment only once if AUTO_PAY_OFF is removed twice before the first release', async () => {
      const id = await subscriber(SystemTag.AUTO_PAY_OFF);
      await untag(id, SystemTag.AUTO_PAY_OFF);
      await tag(id, SystemTag.AUTO_PAY_OFF);
      await engine.settle(untag(id, SystemTag.AUTO_PAY_OFF));
      await engine.runTo('2024-01-20T00:00:00Z');
      expect(await balancesOf(id)).to.eql(['0']);
      expect(charged()).to.eql(['19.95']);
    });

    it('hold back a retry that falls due while AUTO_PAY_OFF is set', async () => {
      engine.gateway.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR' });
      const id = await subscriber();
      await tag(id, SystemTag.AUTO_PAY_OFF);
      engine.gateway.configure({ CONFIGURE_ACTION: 'ACTION_CLEAR' });
      await engine.runTo('2024-01-12T00:00:00Z');
      expect(await balancesOf(id)).to.eql(['19.95']);
      await engine.settle(untag(id, SystemTag.AUTO_PAY_OFF));
      expect(await balancesOf(id)).to.eql(['0']);
      await engine.runTo('2024-01-30T00:00:00Z');
      expect(charged().filter((amount) => amount !== null)).to.have.length.lessThanOrEqual(2);
      expect(await balancesOf(id)).to.eql(['0']);
    });

    it('release no payment of an invoice that has been written off', async () => {
      const id = await subscriber(SystemTag.AUTO_PAY_OFF);
      const [invoice] = await invoicesOf(id);
      if (!invoice) throw new Error('no invoice');
      await engine.acme.tags.add({ type: 'INVOICE', id: invoice.id }, [SystemTag.WRITTEN_OFF]);
      await engine.settle(untag(id, SystemTag.AUTO_PAY_OFF));
      await engine.acme.tags.remove({ type: 'INVOICE', id: invoice.id }, [SystemTag.WRITTEN_OFF]);
      await tag(id, SystemTag.AUTO_PAY_OFF);
      await engine.settle(untag(id, SystemTag.AUTO_PAY_OFF));
      expect(charged()).to.eql([]);
      expect(await balancesOf(id)).to.eql(['19.95']);
    });

    it('cannot be removed if they hold back payments and the account has no default payment method', async () => {
      const { id } = await engine.acme.createAccount({ currency: 'USD' });
      await tag(id, SystemTag.AUTO_PAY_OFF, SystemTag.MANUAL_PAY);
      await expectCode(untag(id, SystemTag.MANUAL_PAY, SystemTag.AUTO_PAY_OFF), 3951);
      expect(await engine.acme.tags.ofObject({ type: 'ACCOUNT', id })).to.have.length(2);
    });
  });

  describe('for invoice runs', () => {
    it('of type AUTO_INVOICING_OFF stop automatic runs until they are removed, and then let one run bill all missed days', async () => {
      const id = await subscriber(SystemTag.AUTO_INVOICING_OFF);
      await engine.runTo('2024-03-15T00:00:00Z');
      expect(await linesOf(id)).to.eql([]);
      await engine.settle(untag(id, SystemTag.AUTO_INVOICING_OFF));
      expect(await linesOf(id)).to.eql([
        [
          'RECURRING 2024-01-01..2024-02-01 19.95',
          'RECURRING 2024-02-01..2024-03-01 19.95',
          'RECURRING 2024-03-01..2024-04-01 19.95',
        ],
      ]);
      await engine.runTo('2024-04-01T00:00:00Z');
      expect(await linesOf(id)).to.have.length(2);
    });

    it('stop automatic invoice runs without preventing an explicit run or a dry run (R23)', async () => {
      const id = await subscriber(SystemTag.AUTO_INVOICING_OFF);
      const dry = await engine.acme.invoices.dryRun({ accountId: id });
      expect(dry && itemLines(dry)).to.eql(['RECURRING 2024-01-01..2024-02-01 19.95']);
      await engine.acme.generateInvoice({ accountId: id });
      expect(await linesOf(id)).to.have.length(1);
      await engine.runTo('2024-02-02T00:00:00Z');
      expect(await linesOf(id)).to.have.length(1);
    });

    it('can be removed from an account without a currency and without anything to bill', async () => {
      const { id } = await engine.acme.createAccount({});
      await tag(id, SystemTag.AUTO_INVOICING_OFF);
      await engine.settle(untag(id, SystemTag.AUTO_INVOICING_OFF));
      expect(await engine.acme.tags.ofObject({ type: 'ACCOUNT', id })).to.eql([]);
    });

    it('stop the billing of a tagged bundle until they are removed, and then let a run bill the missed days', async () => {
      const id = await subscriber();
      const second = await engine.subscribe({ accountId: id, planName: 'solo-now' });
      const { bundleId } = await engine.acme.getSubscription(second.subscriptionId);
      await engine.acme.tags.add({ type: 'BUNDLE', id: bundleId }, [SystemTag.AUTO_INVOICING_OFF]);
      await engine.runTo('2024-02-10T00:00:00Z');
      const before = await linesOf(id);
      expect(before.flat().filter((line) => line.includes('2024-02-01..'))).to.have.length(1);
      await engine.acme.tags.remove({ type: 'BUNDLE', id: bundleId }, [SystemTag.AUTO_INVOICING_OFF]);
      await engine.settle();
      expect((await linesOf(id)).slice(before.length)).to.eql([['RECURRING 2024-02-01..2024-03-01 19.95']]);
    });
  });

  describe('of type WRITTEN_OFF', () => {
    it('set the balance of a written-off invoice to 0 until they are removed (accounts E6 steps 4 and 5)', async () => {
      const id = await subscriber(SystemTag.AUTO_PAY_OFF);
      const [invoice] = await invoicesOf(id);
      if (!invoice) throw new Error('no invoice');
      const object = { type: 'INVOICE', id: invoice.id } as const;
      const balance = async (): Promise<string | undefined> => {
        const found = (await engine.acme.accounts.balances([id])).get(id);
        return found && formatDecimal(found.accountBalance);
      };
      const events = newEvents(engine.database);
      await events();
      expect(await balance()).to.equal('19.95');
      await engine.acme.tags.add(object, [SystemTag.WRITTEN_OFF]);
      expect([await balancesOf(id), await balance()]).to.eql([['0'], '0']);
      expect(await engine.acme.invoices.ofAccount({ accountId: id, unpaidOnly: true })).to.eql([]);
      expect(await events()).to.eql(['TAG_CREATION', 'INVOICE_ADJUSTMENT']);
      await engine.acme.tags.add(object, [SystemTag.WRITTEN_OFF]);
      expect(await events()).to.eql([]);
      await engine.acme.tags.remove(object, [SystemTag.WRITTEN_OFF]);
      expect([await balancesOf(id), await balance()]).to.eql([['19.95'], '19.95']);
      expect(await engine.acme.invoices.ofAccount({ accountId: id, unpaidOnly: true })).to.have.length(1);
      expect(await events()).to.eql(['TAG_DELETION', 'INVOICE_ADJUSTMENT']);
    });
  });

  it('do not prevent an account from getting its bill cycle day while AUTO_INVOICING_OFF holds back invoices (R51)', async () => {
    const { id } = await engine.payingAccount({ currency: 'USD' });
    await tag(id, SystemTag.AUTO_INVOICING_OFF);
    engine.clock.set('2024-01-17T00:00:00Z');
    await engine.subscribe({ accountId: id, planName: 'solo-now' });
    expect(await engine.acme.invoices.ofAccount({ accountId: id })).to.eql([]);
    expect(await engine.acme.getAccount(id)).to.include({ billCycleDayLocal: 17 });
    await engine.settle(untag(id, SystemTag.AUTO_INVOICING_OFF));
    expect(await engine.linesOf(id)).to.eql(['RECURRING 2024-01-17..2024-02-17 19.95']);
  });

  it('include __PARK__, which only the engine can set and remove', async () => {
    const id = await subscriber();
    const object = { type: 'ACCOUNT', id } as const;
    await expectCode(engine.acme.tags.add(object, [SystemTag.PARK]), 3953);
    const events = newEvents(engine.database);
    await events();
    const tooFar = { accountId: id, targetDate: '2026-12-01' };
    await expectCode(engine.acme.generateInvoice(tooFar), 'INVOICE_BOUND_EXCEEDED');
    const [parked] = await engine.acme.tags.ofObject(object);
    expect(parked?.tagDefinitionName).to.equal('__PARK__');
    expect(await events()).to.eql(['TAG_CREATION']);
    await expectCode(engine.acme.tags.remove(object, [SystemTag.PARK]), 3953);
    await expectCode(engine.acme.generateInvoice({ accountId: id }), 4007);
    expect(await engine.acme.tags.ofObject(object)).to.eql([]);
    expect(await events()).to.include('TAG_DELETION');
    const rows = await engine.acme.audit.history({ type: 'TAG', id: parked?.id ?? id });
    expect(rows.map(({ changeType, changedBy }) => [changeType, changedBy])).to.eql([
      ['INSERT', 'test'],
      ['DELETE', 'test'],
    ]);
  });
});
