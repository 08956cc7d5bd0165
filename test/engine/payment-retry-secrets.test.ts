import { SystemTag, type Uuid } from '../../lib/index.ts';
import { eachDatabaseByTurns, engineBeforeEach, expect, payerBeforeEach } from '../support/index.ts';
import { PaidInvoices } from '../support/payments/paid-invoices.ts';

const DECLINE = { CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR' } as const;
const property = (key: string, value: string) => ({ key, value, isUpdatable: false });
const RETRIED = [property('cvv', '123'), property('IPCD_RETRIES', 'true')];
const KEPT = 'IPCD_RETRIES';

eachDatabaseByTurns('properties of payments that are tried again (payments §8.1 rule 3)', (open) => {
  let invoiceId: Uuid;

  const engine = engineBeforeEach(open, { now: '2024-01-01T10:00:00Z', catalog: null });
  const account = payerBeforeEach(engine);
  beforeEach(async () => {
    invoiceId = (await new PaidInvoices(engine, account).add('20', { isHeldBack: true })).id;
    engine.gateway.configure(DECLINE);
    await engine.acme.invoicePayments.pay({
      invoiceId,
      externalKey: 'P',
      transactionExternalKey: 'T',
      properties: RETRIED,
    });
    expect(await kept()).to.eql(['RETRIED cvv,IPCD_RETRIES']);
  });

  /** Of each attempt its state and the properties that the storage has. */
  async function kept(): Promise<readonly string[]> {
    const { tenant, storage } = engine;
    const attempts = await storage.read(tenant, (session) =>
      session.payments.findAttemptsByPaymentKeys(['P']),
    );
    return attempts.map(({ stateName, pluginProperties }) =>
      [stateName, pluginProperties?.map(({ key }) => key).join()].join(' ').trim(),
    );
  }

  it('are masked in the export of the account, whatever they are called (platform §6.3 rule 3)', async () => {
    const text = (await Array.fromAsync(await engine.acme.accounts.export(account.id))).join('');
    expect(text)
      .to.contain('"key":"cvv","value":"*****"')
      .and.contain('"key":"IPCD_RETRIES","value":"*****"');
    expect(text).not.to.contain('"123"');
  });

  async function release(): Promise<void> {
    await engine.acme.tags.remove({ id: account.id, type: 'ACCOUNT' }, [SystemTag.AUTO_PAY_OFF]);
  }

  async function retry(): Promise<void> {
    await engine.runTo('2024-01-09T10:00:01Z');
  }

  it('a retry that is cancelled leaves none of them but what asked for it', async () => {
    await engine.acme.payments.cancelScheduledRetry({ transactionExternalKey: 'T' });
    expect(await kept()).to.eql([`RETRIED ${KEPT}`]);
    await retry();
    expect(await kept()).to.eql([`RETRIED ${KEPT}`]);
  });

  it('a retry that is tried again itself takes them over, and one that succeeds leaves none', async () => {
    await release();
    await retry();
    expect(await kept()).to.eql([`RETRIED ${KEPT}`, 'RETRIED cvv,IPCD_RETRIES']);
    engine.gateway.configure({ CONFIGURE_ACTION: 'ACTION_CLEAR' });
    await engine.runTo('2024-01-17T10:00:02Z');
    expect(await kept()).to.eql([`RETRIED ${KEPT}`, `RETRIED ${KEPT}`, `SUCCESS ${KEPT}`]);
    expect(Number((await engine.acme.invoices.get(invoiceId)).balance)).to.equal(0);
  });

  it('a retry that is held back leaves none', async () => {
    await retry();
    expect(await kept()).to.eql([`RETRIED ${KEPT}`, 'ABORTED']);
  });

  it('a retry that finds nothing to pay leaves none', async () => {
    engine.gateway.configure({ CONFIGURE_ACTION: 'ACTION_CLEAR' });
    await engine.acme.invoicePayments.pay({ invoiceId, externalKey: 'Q' });
    await release();
    await retry();
    expect(await kept()).to.eql([`RETRIED ${KEPT}`, 'ABORTED']);
  });
});
