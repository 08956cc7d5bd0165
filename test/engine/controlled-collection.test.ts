import type {
  PaymentControl,
  PaymentControlContext,
  PluginProperty,
  PriorCallResult,
  Uuid,
} from '../../lib/index.ts';
import { decimal, formatDecimal } from '../../lib/index.ts';
import type { PaymentConfig } from '../../lib/payments/index.ts';
import type { OpenDatabase } from '../support/index.ts';
import { anyDatabase, eachDatabase, expect, migrated, storageOf } from '../support/index.ts';
import { PaymentStage } from '../support/payments/payment-stage.ts';
import { runningCall } from '../support/payments/scripted-control.ts';

const START = '2012-05-31T00:03:42Z';
const EXTERNAL = '__EXTERNAL_PAYMENT__';
const SCHEDULED = { stateName: 'SCHEDULED' } as const;
const DECLINE = { CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR' } as const;

const property = (key: string, value: string): PluginProperty => ({ key, value, isUpdatable: false });

class Script implements PaymentControl {
  readonly name: string;
  readonly heard: {
    readonly call: string;
    readonly context: PaymentControlContext;
    readonly keys: string;
  }[] = [];
  prior: (context: PaymentControlContext) => PriorCallResult | null = () => null;
  retry: () => Date | null = () => null;
  meanwhile: (context: PaymentControlContext) => Promise<unknown> = async () => null;

  constructor(name: string) {
    this.name = name;
  }

  async priorCall(context: PaymentControlContext, properties: readonly PluginProperty[]) {
    if (!this.#note('prior', context, properties)) return null;
    await this.meanwhile(context);
    return this.prior(context);
  }

  async onSuccessCall(context: PaymentControlContext, properties: readonly PluginProperty[]) {
    this.#note('success', context, properties);
    return { adjustedProperties: properties.filter(({ key }) => key !== 'secret') };
  }

  async onFailureCall(context: PaymentControlContext, properties: readonly PluginProperty[]) {
    this.#note('failure', context, properties);
    return { nextRetryDate: this.retry() };
  }

  /** Records a call. Returns false for calls about the payment method that the stage adds. */
  #note(call: string, context: PaymentControlContext, properties: readonly PluginProperty[]): boolean {
    if (context.paymentApiType !== 'PAYMENT_TRANSACTION') return false;
    this.heard.push({ call, context, keys: properties.map(({ key }) => key).join(' ') });
    return true;
  }

  get calls(): readonly string[] {
    return this.heard.map(({ call }) => call);
  }
}

interface Scene {
  readonly stage: PaymentStage;
  readonly first: Script;
  readonly second: Script;
}

function withStage(
  open: OpenDatabase,
  tests: (stageAt: (config?: Partial<PaymentConfig>) => Promise<Scene>) => void,
): void {
  let stage: PaymentStage;
  afterEach(() => stage.stop());
  tests(async (config = {}) => {
    const [first, second] = [new Script('first'), new Script('second')];
    stage = await PaymentStage.open(storageOf(await open(migrated)), START, {
      controls: [first, second],
      config: { controlPlugins: ['first', 'nobody', 'second'], ...config },
    });
    return { stage, first, second };
  });
}

async function invoiced(stage: PaymentStage, pluginName?: string): Promise<Uuid> {
  const invoiceId = await stage.invoice(await stage.account(pluginName), '249.95');
  await stage.settle();
  return invoiceId;
}

function attempt(stage: PaymentStage, script: Script) {
  const id = script.heard[0]?.context.attemptId;
  return stage.storage.read(stage.tenant, async (session) => {
    const [found] = await session.payments.findAttemptsByIds(id ? [id] : []);
    return found;
  });
}

eachDatabase.describe('automatic payments under payment control (payments §8.1)', (open) => {
  withStage(open, (stageAt) => {
    it('use the values adjusted by the plugins, and report the result to the plugins', async () => {
      const { stage, first, second } = await stageAt();
      first.prior = ({ amount }) => ({
        adjustedAmount: amount?.minus(decimal('49.95')) ?? null,
        adjustedProperties: [property('secret', '1'), property('PROCESSED_AMOUNT', '150')],
      });
      const invoiceId = await invoiced(stage);
      expect(await stage.story(invoiceId)).to.eql({
        payments: ['PURCHASE_SUCCESS'],
        transactions: ['SUCCESS'],
        attempts: ['SUCCESS'],
        rows: ['SUCCESS 150'],
        balance: '99.95',
      });
      expect(first.calls).to.eql(['prior', 'success']);
      const [beforePayment, afterPayment] = second.heard;
      expect(beforePayment?.context.amount?.toString()).to.equal('200');
      expect(beforePayment?.context).to.include({
        isApiPayment: false,
        paymentApiType: 'PAYMENT_TRANSACTION',
        transactionType: 'PURCHASE',
        paymentPluginName: 'sandbox',
        paymentId: null,
        transactionId: null,
        processedAmount: null,
      });
      expect(afterPayment?.context.processedAmount?.toString()).to.equal('150');
      const [payment] = await stage.payments(invoiceId);
      expect(afterPayment?.context).to.include({
        paymentId: payment?.id,
        transactionId: payment?.transactions[0]?.id,
        paymentExternalKey: payment?.id,
      });
      expect(payment?.attempts).to.have.length(1);
      const stored = payment?.attempts?.[0];
      expect(stored?.pluginNames).to.eql(['__INVOICE_PAYMENT_CONTROL_PLUGIN__', 'first', 'nobody', 'second']);
      expect(formatDecimal(stored?.amount ?? decimal(0))).to.equal('200');
      expect(stored?.pluginProperties?.map(({ key }) => key)).to.eql(['PROCESSED_AMOUNT']);
      expect(stage.logger.lines.map(({ message }) => message)).to.include(
        'a payment control plugin is not registered; it is skipped',
      );
    });
  });
});

anyDatabase.describe('automatic payments under payment control (payments §2.3)', (open) => {
  withStage(open, (stageAt) => {
    it('stop and end their attempt as soon as a plugin aborts (rule 5)', async () => {
      const { stage, first, second } = await stageAt();
      first.prior = () => ({ isAborted: true });
      expect(await stage.payments(await invoiced(stage))).to.eql([]);
      expect(second.calls).to.eql([]);
      expect(first.calls).to.eql(['prior']);
      expect((await attempt(stage, first))?.stateName).to.equal('ABORTED');
      expect(stage.takeEvents()).to.eql([]);
      await stage.goTo('2012-07-01');
      expect(first.calls).to.eql(['prior']);
    });

    it('stop and end their attempt if a prior call throws (rule 8)', async () => {
      const { stage, first } = await stageAt();
      first.prior = () => {
        throw new Error('no');
      };
      expect(await stage.payments(await invoiced(stage))).to.eql([]);
      expect((await attempt(stage, first))?.stateName).to.equal('ABORTED');
      expect(stage.sandbox.ledger.all()).to.eql([]);
    });

    it('use a payment method that a control plugin chooses only if the setting allows it (rule 6)', async () => {
      for (const overwritesMethod of [false, true]) {
        const { stage, first } = await stageAt({ overwritesMethod });
        const account = await stage.account();
        const method = { accountId: account.id, pluginName: EXTERNAL };
        const other = await stage.methods.add(stage.context(), method);
        first.prior = () => ({ adjustedPaymentMethodId: other.id });
        const invoiceId = await stage.invoice(account, '249.95');
        await stage.settle();
        expect(await stage.balance(invoiceId)).to.equal(overwritesMethod ? '0' : '249.95');
        const [payment] = await stage.payments(invoiceId);
        expect(payment?.paymentMethodId).to.equal(overwritesMethod ? other.id : undefined);
        if (!overwritesMethod) await stage.stop();
      }
    });

    it('fail if a control plugin chooses a payment method of another account (rule 6)', async () => {
      const { stage, first } = await stageAt({ overwritesMethod: true });
      const stranger = await stage.account();
      first.prior = () => ({ adjustedPaymentMethodId: stranger.paymentMethodId });
      const invoiceId = await invoiced(stage);
      expect(await stage.payments(invoiceId)).to.eql([]);
      expect((await attempt(stage, first))?.stateName).to.equal('ABORTED');
      expect(await stage.balance(invoiceId)).to.equal('249.95');
    });

    it('settle the balance even if a control plugin converts the amount to another currency', async () => {
      const { stage, second } = await stageAt();
      second.prior = () => ({ adjustedAmount: decimal('225.44'), adjustedCurrency: 'EUR' });
      const invoiceId = await invoiced(stage);
      expect(await stage.story(invoiceId)).to.deep.include({ rows: ['SUCCESS 249.95'], balance: '0' });
      const [payment] = await stage.payments(invoiceId);
      expect(payment?.totals.currency).to.equal('EUR');
      expect(formatDecimal(payment?.totals.purchasedAmount ?? decimal(0))).to.equal('225.44');
    });

    it('are retried on the earliest date that a plugin requests (rule 7)', async () => {
      const { stage, first, second } = await stageAt();
      stage.sandbox.configure(DECLINE);
      first.retry = () => new Date('2012-06-30T00:00:00Z');
      second.retry = () => new Date('2012-06-02T00:00:00Z');
      const invoiceId = await invoiced(stage);
      const scheduled = async () => (await stage.payments(invoiceId))[0]?.attempts?.at(-1);
      expect(await scheduled()).to.include({ effectiveDate: Date.parse('2012-06-02'), ...SCHEDULED });
      second.retry = () => null;
      await stage.goTo('2012-06-02');
      // The built-in control schedules the retry eight days later.
      expect(await scheduled()).to.include({ effectiveDate: Date.parse('2012-06-10'), ...SCHEDULED });
      expect((await stage.story(invoiceId)).attempts).to.eql(['RETRIED', 'RETRIED', 'SCHEDULED']);
    });

    it('are retried with the properties and plugins of their attempt (payments §8.3)', async () => {
      const { stage, first } = await stageAt();
      stage.sandbox.configure(DECLINE);
      first.prior = ({ paymentId }) =>
        paymentId === null ? { adjustedProperties: [property('card', '4242')] } : null;
      const invoiceId = await invoiced(stage);
      stage.sandbox.configure({ CONFIGURE_ACTION: 'ACTION_CLEAR' });
      await stage.goTo('2012-06-08T00:03:42Z');
      expect(first.calls).to.eql(['prior', 'failure', 'prior', 'success']);
      expect(first.heard[2]?.keys).to.equal('card');
      const [payment] = await stage.payments(invoiceId);
      expect(first.heard[2]?.context).to.include({ paymentId: payment?.id, isApiPayment: false });
      expect(await stage.story(invoiceId)).to.deep.include({
        transactions: ['PAYMENT_FAILURE', 'SUCCESS'],
        attempts: ['RETRIED', 'SUCCESS'],
        rows: ['SUCCESS 249.95'],
      });
    });

    it('postpone a retry if another call starts while the plugins of the retry are being called (payments §5.3 rule 2)', async () => {
      const { stage, first } = await stageAt();
      stage.sandbox.configure(DECLINE);
      const invoiceId = await invoiced(stage);
      stage.sandbox.configure({ CONFIGURE_ACTION: 'ACTION_CLEAR' });
      let end: () => Promise<unknown> = async () => null;
      first.meanwhile = async ({ paymentExternalKey }) => {
        first.meanwhile = async () => null;
        end = await runningCall(stage, paymentExternalKey ?? '');
      };
      const settled = stage.goTo('2012-06-08T00:03:42Z');
      do await new Promise((resolve) => setTimeout(resolve, 300));
      while ((await stage.story(invoiceId)).attempts.length < 3);
      expect(first.calls).to.eql(['prior', 'failure', 'prior']);
      expect((await stage.story(invoiceId)).attempts).to.eql(['RETRIED', 'ABORTED', 'SCHEDULED']);
      await end();
      await settled;
      expect(first.calls).to.eql(['prior', 'failure', 'prior', 'prior', 'success']);
      const attempts = ['RETRIED', 'ABORTED', 'SUCCESS'];
      expect(await stage.story(invoiceId)).to.deep.include({ attempts, balance: '0' });
    });

    it('are reported to the plugins even if they have no external effect (payments §8.1)', async () => {
      const { stage, first } = await stageAt();
      const invoiceId = await invoiced(stage, EXTERNAL);
      expect(first.calls).to.eql(['prior', 'success']);
      expect(await stage.balance(invoiceId)).to.equal('0');
    });

    it('do not call plugins if nothing would be charged (payments §9.2)', async () => {
      const { stage, first } = await stageAt();
      const invoiceId = await stage.invoice(await stage.account(null), '249.95');
      await stage.settle();
      expect(await stage.payments(invoiceId)).to.eql([]);
      expect(first.calls).to.eql([]);
      expect(stage.takeEvents()).to.eql(['INVOICE_PAYMENT_FAILED']);
    });

    it('store an attempt even if the tenant has no control plugins (payments §8.1)', async () => {
      const { stage, first } = await stageAt({ controlPlugins: [] });
      const invoiceId = await invoiced(stage);
      expect(first.calls).to.eql([]);
      expect((await stage.story(invoiceId)).attempts).to.eql(['SUCCESS']);
    });

    it('report to the plugins the outcome that recovery finds (payments §8.4)', async () => {
      const { stage, first } = await stageAt();
      stage.sandbox.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_UNDEFINED' });
      const invoiceId = await invoiced(stage);
      expect(first.calls).to.eql(['prior', 'failure']);
      expect((await stage.story(invoiceId)).attempts).to.eql(['ABORTED']);
      const transactionId = (await stage.payments(invoiceId))[0]?.transactions[0]?.id ?? '';
      const behavior = { CONFIGURE_ACTION: 'OVERRIDE_STATUS', transactionId, status: 'ERROR' } as const;
      stage.sandbox.configure(behavior as never);
      first.retry = () => new Date('2012-06-01T00:00:00Z');
      await stage.goTo('2012-05-31T00:08:42Z');
      expect(first.calls).to.eql(['prior', 'failure', 'failure']);
      expect(first.heard[2]?.context).to.include({ isApiPayment: false, userName: 'Janitor' });
      const attempts = (await stage.payments(invoiceId))[0]?.attempts;
      expect(attempts?.map(({ stateName }) => stateName)).to.eql(['RETRIED', 'SCHEDULED']);
      expect(attempts?.[1]?.effectiveDate).to.equal(Date.parse('2012-06-01'));
    });

    it('report to the plugins the outcome that a read of the pending payment finds (payments §8.4)', async () => {
      const { stage, first } = await stageAt();
      stage.sandbox.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_PENDING' });
      const invoiceId = await invoiced(stage);
      const payment = (await stage.payments(invoiceId))[0];
      const transactionId = payment?.transactions[0]?.id ?? '';
      const behavior = { CONFIGURE_ACTION: 'OVERRIDE_STATUS', transactionId, status: 'PROCESSED' } as const;
      stage.sandbox.configure(behavior as never);
      await stage.reads.get(stage.context(), payment?.id as Uuid, { withPluginInfo: true });
      expect(first.calls).to.eql(['prior', 'success', 'success']);
      expect(await stage.balance(invoiceId)).to.equal('0');
    });

    it('report a late gateway response to the plugins (payments §8.4)', async () => {
      const { stage, first } = await stageAt();
      stage.sandbox.configure({ CONFIGURE_ACTION: 'ACTION_SLEEP', SLEEP_TIME_SEC: 40 } as never);
      const invoiceId = await stage.invoice(await stage.account(), '249.95');
      const settling = stage.settle();
      // Fires the time limit of the gateway and then its response.
      await stage.timers.fire(40_000, 2);
      await settling;
      await stage.settle();
      expect(first.calls).to.eql(['prior', 'failure', 'success']);
      expect(await stage.balance(invoiceId)).to.equal('0');
    });
  });
});
