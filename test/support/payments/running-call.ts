import { decimal, type Instant, type TenantRef, type Uuid } from '../../../lib/index.ts';
import type { Storage } from '../../../lib/ports/storage/index.ts';
import { addMilliseconds } from '../../../lib/values/time/index.ts';

const TEN_DAYS_MS = 864_000_000;

interface Place {
  readonly storage: Storage<never>;
  readonly tenant: TenantRef;
  readonly clock: { now(): Instant };
}

/** Begins a call of the payment with that key, as another node would. @returns ends it: it is declined. */
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
