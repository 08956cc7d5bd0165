import type {
  PaymentControl,
  PaymentControlContext,
  PluginProperty,
  PriorCallResult,
} from '../../../lib/index.ts';

/** A control plugin that a test scripts, and that keeps what it was asked. */
export class ScriptedControl implements PaymentControl {
  readonly name: string;
  readonly asked: (readonly [
    call: string,
    context: PaymentControlContext,
    properties: readonly PluginProperty[],
  ])[] = [];
  /** What happens while it is asked before an operation. */
  meanwhile: () => Promise<unknown> = async () => null;
  priorOf: (context: PaymentControlContext) => PriorCallResult | null = () => null;
  prior: Awaited<ReturnType<NonNullable<PaymentControl['priorCall']>>> | Error = null;
  failure: Awaited<ReturnType<NonNullable<PaymentControl['onFailureCall']>>> = null;
  success: Awaited<ReturnType<NonNullable<PaymentControl['onSuccessCall']>>> = null;

  constructor(name: string) {
    this.name = name;
  }

  async priorCall(context: PaymentControlContext, properties: readonly PluginProperty[]) {
    this.asked.push(['priorCall', context, properties]);
    await this.meanwhile();
    if (this.prior instanceof Error) throw this.prior;
    return this.prior ?? this.priorOf(context);
  }

  async onSuccessCall(context: PaymentControlContext, properties: readonly PluginProperty[]) {
    this.asked.push(['onSuccessCall', context, properties]);
    return this.success;
  }

  async onFailureCall(context: PaymentControlContext, properties: readonly PluginProperty[]) {
    this.asked.push(['onFailureCall', context, properties]);
    return this.failure;
  }

  calls(): readonly string[] {
    return this.asked.map(([call]) => call);
  }
}
