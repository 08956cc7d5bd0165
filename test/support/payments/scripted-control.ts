import {
  decimal,
  type Instant,
  type PaymentControl,
  type PaymentControlContext,
  type PluginProperty,
  type PriorCallResult,
  type TenantRef,
  type Uuid,
} from '../../../lib/index.ts';
import type { Storage } from '../../../lib/ports/storage/index.ts';
import { addMilliseconds } from '../../../lib/values/time/index.ts';

/** A control plugin that a test scripts and that records its calls. */
export class ScriptedControl implements PaymentControl {
  readonly name: string;
  readonly invocations: (readonly [
    call: string,
    context: PaymentControlContext,
    properties: readonly PluginProperty[],
  ])[] = [];
  /** Runs during a call before an operation. */
  meanwhile: () => Promise<unknown> = async () => null;
  priorOf: (context: PaymentControlContext) => PriorCallResult | null = () => null;
  prior: Awaited<ReturnType<NonNullable<PaymentControl['priorCall']>>> | Error = null;
  failure: Awaited<ReturnType<NonNullable<PaymentControl['onFailureCall']>>> = null;
  success: Awaited<ReturnType<NonNullable<PaymentControl['onSuccessCall']>>> = null;

  constructor(name: string) {
    this.name = name;
  }

  async priorCall(context: PaymentControlContext, properties: readonly PluginProperty[]) {
    this.invocations.push(['priorCall', context, properties]);
    await this.meanwhile();
    if (this.prior instanceof Error) throw this.prior;
    return this.prior ?? this.priorOf(context);
  }

  async onSuccessCall(context: PaymentControlContext, properties: readonly PluginProperty[]) {
    this.invocations.push(['onSuccessCall', context, properties]);
    return this.success;
  }

  async onFailureCall(context: PaymentControlContext, properties: readonly PluginProperty[]) {
    this.invocations.push(['onFailureCall', context, properties]);
    return this.failure;
  }

  calls(): readonly string[] {
    return this.invocations.map(([call]) => call);
  }
}

const TEN_DAYS_MS = 864_000_000;

interface Place {
  readonly storage: Storage<never>;
  readonly tenant: TenantRef;
  readonly clock: { now(): Instant };
}

/** Starts a call of the payment with that key, like another node. @returns a function that ends it with a decline. */
export async function runningCall(
  { storage, tenant, clock }: Place,
  paymentKey: string,
): Promise<() => Promise<void>> {
  const now = clock.now();
  const authorship = {
    userName: 'another node',
    reasonCode: null,
    comments: null,
    createdDate: now,
    userTokenOf: () => tenant.id,
  };
  const id = crypto.randomUUID() as Uuid;
  const find = () =>
    storage.read(tenant, async (session) => {
      const [payment] = await session.payments.findByKeys([paymentKey]);
      return session.payments.findTransactions(payment ? [payment.id] : []);
    });
  const [like] = await find();
  if (like === undefined) throw new Error('the payment has no transaction');
  const { recordId: _, ...rest } = like;
  const leaseUntil = addMilliseconds(now, TEN_DAYS_MS);
  const called = { attemptId: null, status: 'UNKNOWN', processedAmount: decimal(0), leaseUntil } as const;
  await storage.write(tenant, authorship, (session) =>
    session.payments.insertTransactions([{ ...rest, id, externalKey: id, ...called }]),
  );
  return async () => {
    const running = (await find()).find((each) => each.id === id);
    if (running === undefined) throw new Error('there is no such call');
    const transaction = { ...running, status: 'PAYMENT_FAILURE', leaseUntil: null } as const;
    await storage.write(tenant, authorship, (session) =>
      session.payments.updateTransactions([{ transaction, expected: 'UNKNOWN' }]),
    );
  };
}
