import { BillingError } from '../../lib/index.ts';
import { anyDatabase, engineBefore, expect } from '../support/index.ts';
import { wrongValues } from '../support/wrong-shapes.ts';

/** Calls without types, as from plain JavaScript. */
type Untyped = Readonly<Record<string, (...given: readonly unknown[]) => Promise<unknown>>>;

anyDatabase.describe('callers and host transactions of the wrong type', (open) => {
  const engine = engineBefore(open, { now: '2024-03-01T08:00:00Z' });

  const members = [
    'tenant',
    'user',
    'principal',
    'reason',
    'comment',
    'userToken',
    'pluginProperties',
    'roundsFloatNoise',
  ];

  for (const member of members)
    it(`cause only a BillingError for ${member}`, async () => {
      const { billing, tenant } = engine;
      for (const value of wrongValues) {
        const caller = { tenant, user: 'test', [member]: value } as never;
        await expectOnlyBillingError(() => billing.as(caller).createAccount({ currency: 'USD' }), value);
      }
    });

  it('cause only a BillingError if the whole caller is invalid', async () => {
    for (const value of wrongValues)
      await expectOnlyBillingError(() => engine.billing.as(value as never).createAccount({}), value);
  });

  it('cause only a BillingError as the context of an operation', async () => {
    const accounts = engine.billing.accounts as object as Untyped;
    const overdue = engine.billing.overdue as object as Untyped;
    for (const value of wrongValues) {
      await expectOnlyBillingError(async () => accounts.page?.(value, { limit: 1, offset: 0 }), value);
      await expectOnlyBillingError(async () => overdue.config?.(value), value);
    }
  });

  it('cause only a BillingError if the host transaction is invalid', async () => {
    const { billing, tenant } = engine;
    for (const value of wrongValues)
      await expectOnlyBillingError(
        async () =>
          billing
            .as({ tenant, user: 'test' })
            .within(value as never)
            .createAccount({}),
        value,
      );
  });
});

async function expectOnlyBillingError(call: () => Promise<unknown>, given: unknown): Promise<void> {
  try {
    await call();
  } catch (error) {
    expect(error, `${JSON.stringify(given)}: ${String(error)}`).to.be.instanceOf(BillingError);
  }
}
