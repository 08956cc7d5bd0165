import type { PaymentControlContext } from '../../ports/index.ts';
import type { CallContext } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { ControlCalls, type ControlPorts } from '../control/control-calls.ts';
import type { ControlledRun } from '../control/controlled-run.ts';
import type { PaymentConfig } from '../state/payment-config.ts';
import type { PaymentMethodInput } from './payment-method-operations.ts';

/** The control plugins around the addition of payment methods (§10.1 rule 3). */
export class ControlledAddition {
  readonly #calls: ControlCalls;

  constructor(ports: ControlPorts) {
    this.#calls = new ControlCalls(ports);
  }

  /**
   * Adds by `add`, with the input as the plugins have left it; they hear how it ended. No attempt records it.
   * @throws BillingError as `ControlCalls.prior`; what `add` throws.
   */
  async run<T extends { readonly id: Uuid }>(
    given: {
      readonly context: CallContext;
      readonly input: PaymentMethodInput;
      readonly config: PaymentConfig;
    },
    add: (input: PaymentMethodInput) => Promise<T>,
  ): Promise<T> {
    const { context, input, config } = given;
    const names = input.controlPlugins ?? config.controlPlugins;
    if (names.length === 0) return add(input);
    const { pluginTimeoutMs: timeoutMs, overwritesMethod } = config;
    const begun = { names, context: contextOf(context, input), properties: input.properties ?? [] };
    const run = await this.#calls.prior(begun, { timeoutMs, overwritesMethod });
    const pluginName = run.context.paymentPluginName ?? input.pluginName;
    try {
      const added = await add({ ...input, pluginName, properties: run.properties });
      await this.#calls.succeeded(withMethod(run, added.id), { timeoutMs });
      return added;
    } catch (error) {
      await this.#calls.failed(run, { timeoutMs });
      throw error;
    }
  }
}

function withMethod(run: ControlledRun, paymentMethodId: Uuid): ControlledRun {
  return { ...run, context: { ...run.context, paymentMethodId } };
}

function contextOf(context: CallContext, input: PaymentMethodInput): PaymentControlContext {
  const { userName, reasonCode, comments, userToken } = context;
  return {
    tenantId: context.tenant.id,
    accountId: input.accountId,
    paymentMethodId: null,
    paymentPluginName: input.pluginName,
    attemptId: null,
    paymentId: null,
    paymentExternalKey: null,
    transactionId: null,
    transactionExternalKey: null,
    paymentApiType: 'PAYMENT_METHOD',
    transactionType: null,
    hppType: null,
    amount: null,
    currency: null,
    processedAmount: null,
    processedCurrency: null,
    isApiPayment: true,
    userName,
    reasonCode,
    comments,
    userToken,
  };
}
