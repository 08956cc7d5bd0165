import { operationAccess } from '../../adapters/koa/routes/operations/access.ts';
import { inputs } from '../../lib/engine/inputs/inputs.ts';
import { serverInputs } from '../../lib/engine/inputs/server-inputs.ts';
import { BillingError, type Uuid } from '../../lib/index.ts';
import type { AnyInput } from '../../lib/values/host-values/index.ts';
import { eachDatabase, engineBefore, expect, sampled } from '../support/index.ts';
import { type KnownIds, wrongCalls } from '../support/wrong-shapes.ts';

type Operations = Readonly<Record<string, (...given: readonly unknown[]) => Promise<unknown>>>;
type Parameters = readonly (readonly [name: string, shape: AnyInput])[];

/** Operations with more wrong calls than this run only some of them on PostgreSQL. */
const MANY_CALLS = 150;

const shapes: Readonly<Record<string, Readonly<Record<string, Parameters>>>> = inputs;

eachDatabase.describe('arguments of the wrong type', (open, kind) => {
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
      it(`cause only a BillingError in ${group}.${name}`, () =>
        expectOnlyBillingErrors(groupsOf(engine.acme)[group]?.[name], shapes[group]?.[name]));

  for (const [path, parameters] of describedOperations(serverInputs))
    it(`cause only a BillingError in the server's ${path.join('.')}`, () =>
      expectOnlyBillingErrors(memberOf(engine.billing, path), parameters));

  async function expectOnlyBillingErrors(call: Operations[string] | undefined, parameters: Parameters = []) {
    const calls = [...wrongCalls(parameters, ids)];
    const isLong = kind === 'postgresql' && calls.length > MANY_CALLS;
    const failures = new Set<string>();
    for (const given of isLong ? sampled(calls, 10) : calls) {
      const failure = await failureOf(call, given);
      if (failure !== null) failures.add(failure);
    }
    expect([...failures]).to.eql([]);
  }
});

function groupsOf(billing: object): Readonly<Record<string, Operations>> {
  const groups: object = billing;
  return groups as Readonly<Record<string, Operations>>;
}

/** Returns the path and the parameters of each operation, in groups of any depth. */
function describedOperations(group: object): readonly (readonly [path: readonly string[], Parameters])[] {
  return Object.entries(group).flatMap(([name, member]) =>
    Array.isArray(member)
      ? [[[name], member as Parameters] as const]
      : describedOperations(member).map(([path, parameters]) => [[name, ...path], parameters] as const),
  );
}

function memberOf(group: object, path: readonly string[]): Operations[string] | undefined {
  let member: unknown = group;
  for (const name of path) member = Reflect.get(Object(member), name);
  return member as Operations[string] | undefined;
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
