import { operationAccess } from '../../adapters/koa/routes/operations/access.ts';
import { inputs } from '../../lib/engine/inputs/inputs.ts';
import { BillingError, type TenantBilling, type Uuid } from '../../lib/index.ts';
import type { AnyInput } from '../../lib/values/host-values/index.ts';
import { eachDatabase, engineBefore, expect } from '../support/index.ts';
import { sampled } from '../support/long-run.ts';
import { type KnownIds, wrongCalls } from '../support/wrong-shapes.ts';

type Operations = Readonly<Record<string, (...given: readonly unknown[]) => Promise<unknown>>>;
type Parameters = readonly (readonly [name: string, shape: AnyInput])[];

/** Operations with more wrong calls than this run only some of them on PostgreSQL. */
const MANY_CALLS = 150;

const shapes: Readonly<Record<string, Readonly<Record<string, Parameters>>>> = inputs;

eachDatabase.describe('arguments of a wrong type', (open, kind) => {
  const engine = engineBefore(open, { now: '2024-03-01T08:00:00Z' });
  let ids: KnownIds;

  before(async () => {
    const { acme } = engine;
    const { id: accountId } = await engine.payingAccount({ currency: 'USD' });
    const { bundleId, subscriptionId } = await engine.subscribe({ accountId, planName: 'solo-now' });
    const [invoice] = await acme.invoices.ofAccount({ accountId, withItems: true });
    const [payment] = await acme.payments.ofAccount(accountId);
    const [method] = await acme.paymentMethods.ofAccount(accountId);
    ids = {
      accountId,
      bundleId,
      subscriptionId,
      invoiceId: idOf(invoice),
      invoiceItemId: idOf(invoice?.items[0]),
      itemId: idOf(invoice?.items[0]),
      paymentId: idOf(payment),
      paymentMethodId: idOf(method),
      transactionId: idOf(payment?.transactions[0]),
    };
  });

  for (const [group, operations] of Object.entries(operationAccess))
    for (const name of Object.keys(operations))
      it(`cause only errors of type BillingError in ${group}.${name}`, async () => {
        const call = groupsOf(engine.acme)[group]?.[name];
        const failures = new Set<string>();
        const calls = [...wrongCalls(shapes[group]?.[name] ?? [], ids)];
        const isLong = kind === 'postgresql' && calls.length > MANY_CALLS;
        for (const given of isLong ? sampled(calls, 10) : calls) {
          const failure = await failureOf(call, given);
          if (failure !== null) failures.add(failure);
        }
        expect([...failures]).to.eql([]);
      });
});

function groupsOf(acme: TenantBilling): Readonly<Record<string, Operations>> {
  const groups: object = acme;
  return groups as Readonly<Record<string, Operations>>;
}

function idOf(record: { readonly id: Uuid } | undefined): string {
  return record?.id ?? '';
}

/** Returns the call and its error if that is not a BillingError. */
async function failureOf(call: Operations[string] | undefined, given: readonly unknown[]) {
  try {
    if (call === undefined) return 'there is no such operation';
    const answer = await call(...given);
    if (isStream(answer)) for await (const _ of answer) break;
    return null;
  } catch (error) {
    if (error instanceof BillingError) return null;
    return `${JSON.stringify(given)}: ${error instanceof Error ? error.stack : String(error)}`;
  }
}

function isStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
