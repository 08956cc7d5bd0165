import type { CallContext } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { contextOfCall } from '../control/call-context.ts';
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
    const about = contextOfCall(context, {
      paymentApiType: 'PAYMENT_METHOD',
      accountId: input.accountId,
      paymentPluginName: input.pluginName,
    });
    const begun = { names, context: about, properties: input.properties ?? [] };
    const run = await this.#calls.prior(begun, { timeoutMs, overwritesMethod });
    const pluginName = run.context.paymentPluginName ?? input.pluginName;
    const adding = async () => add({ ...input, pluginName, properties: run.properties });
    const added = await adding().catch(async (error: unknown) => {
      await this.#calls.failed(run, { timeoutMs });
      throw error;
    });
    await this.#calls.succeeded(withMethod(run, added.id), { timeoutMs });
    return added;
  }
}

function withMethod(run: ControlledRun, paymentMethodId: Uuid): ControlledRun {
  return { ...run, context: { ...run.context, paymentMethodId } };
}
