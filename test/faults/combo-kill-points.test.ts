import { createKoaApp, listen } from '../../adapters/koa/index.ts';
import { Billing } from '../../adapters/node/billwright.ts';
import type { FakeClock } from '../../adapters/testing/index.ts';
import type { TenantBilling } from '../../lib/index.ts';
import { documentHeaders, type Serving, serve } from '../support/http/serving.ts';
import { eachDatabase, expect, isLongRun, migrated, plainHasher, sampled } from '../support/index.ts';
import { recordingLogger } from '../support/system-time.ts';
import { DyingProcess } from './dying-process.ts';
import { killableGateway, killableStorage } from './killable.ts';

/** Beyond the payment lease and the following checks. */
const LATER = [{ minutes: 2 }, { minutes: 10 }, { hours: 1 }, { hours: 2 }];

eachDatabase((kind, open) => {
  describe('combo payment whose server process is killed at any step', function () {
    this.timeout(isLongRun ? 0 : 300_000);
    let serving: Serving & { readonly clock: FakeClock };
    let bob: TenantBilling;

    before(async () => {
      serving = await serve(await open(migrated));
      const tenant = await serving.billing.tenants.authenticate('bob', 'lazar');
      if (tenant === null) throw new Error('there is no tenant bob');
      bob = serving.billing.as({ tenant, user: 'test' });
    });
    after(() => serving.close());

    it('is either complete or not started, and is completed once by a retry', async () => {
      const { steps } = await dieAt(Number.POSITIVE_INFINITY, 'undisturbed');
      expect(await resultOf('undisturbed')).to.eql(DONE);
      expect(steps).to.be.greaterThan(30);
      const ended = new Set<number>();
      for (const step of stepsOn(steps)) {
        const key = `died-at-${step}`;
        const about = `step ${step} of ${steps}`;
        await dieAt(step, key);
        const { effects, purchased, open: unresolved } = await resultOf(key);
        expect([effects, unresolved], about).to.eql([purchased / 10, 0]);
        ended.add(effects);
        const again = await serving.post('/payments/combo', comboOf(key));
        expect(again.status, about).to.equal(effects === 1 ? 400 : 201);
        expect(await resultOf(key), `again after ${about}`).to.eql(DONE);
      }
      expect([...ended], 'it was hit before and after the money moved').to.have.members([0, 1]);
      expect(await Array.fromAsync(serving.billing.checks.breaches())).to.eql([]);
    });

    /** A separate server dies at that step of the request. Then all due work completes. */
    async function dieAt(step: number, key: string) {
      const process = new DyingProcess(Number.POSITIVE_INFINITY);
      const logger = recordingLogger();
      const dying = await Billing.open({
        storage: { ...killableStorage(serving.storage, process), close: () => Promise.resolve() },
        clock: serving.clock,
        logger,
        hasher: plainHasher(),
        gateways: [killableGateway(serving.gateway, process)],
        nodeName: `dying-${key}`,
      });
      const listening = await listen(createKoaApp({ billing: dying, logger }), { port: 0 });
      process.dieIn(step);
      const headers = { ...documentHeaders, 'content-type': 'application/json', connection: 'close' };
      const url = `http://${listening.host}:${listening.port}/1.0/kb/payments/combo`;
      const body = JSON.stringify(comboOf(key));
      const { status } = await fetch(url, { method: 'POST', headers, body });
      const { steps, isDead } = process;
      if (Number.isFinite(step)) expect(isDead, `step ${step} was reached`).to.equal(true);
      else expect(status).to.equal(201);
      process.end();
      await listening.close();
      await dying.close();
      for (const span of LATER) {
        serving.clock.advance(span);
        await serving.billing.settle();
      }
      return { steps };
    }

    async function resultOf(key: string) {
      const account = await bob.accounts.getByKey(key).catch(() => null);
      if (account === null) return { ...NOTHING };
      const methods = await bob.paymentMethods.ofAccount(account.id);
      const payments = await bob.payments.ofAccount(account.id);
      const transactions = payments.flatMap((payment) => payment.transactions);
      return {
        methods: methods.length,
        purchased: payments.reduce((sum, { totals }) => sum + Number(totals.purchasedAmount), 0),
        open: transactions.filter(({ status }) => status === 'UNKNOWN' || status === 'PENDING').length,
        effects: serving.gateway.ledger
          .all()
          .filter(({ accountId, status }) => accountId === account.id && status === 'PROCESSED').length,
      };
    }

    /** Every eighth step, on PostgreSQL every sixteenth; all in the long run. */
    function stepsOn(steps: number): readonly number[] {
      const all = Array.from({ length: steps }, (_, index) => index + 1);
      return sampled(all, { sqlite: 8, postgresql: 16 }[kind]);
    }
  });
});

const NOTHING = { methods: 0, purchased: 0, open: 0, effects: 0 };
const DONE = { methods: 1, purchased: 10, open: 0, effects: 1 };

function comboOf(key: string) {
  return {
    account: { externalKey: key, currency: 'USD' },
    paymentMethod: { pluginName: 'sandbox', externalKey: `${key}-card` },
    transaction: {
      transactionType: 'PURCHASE',
      amount: 10,
      currency: 'USD',
      paymentExternalKey: `${key}-payment`,
      transactionExternalKey: `${key}-transaction`,
    },
  };
}
