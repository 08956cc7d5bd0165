import type { TenantBilling } from '../../adapters/node/billwright.ts';
import { InputError } from './customers.ts';
import { OFFERS } from './plans.ts';

/** A change of a subscription, in the form that `subscriptions.preview` takes. */
export type Change =
  | { readonly change: 'CHANGE_PLAN'; readonly planName: string }
  | { readonly change: 'CHANGE_QUANTITY'; readonly quantity: number }
  | { readonly change: 'CANCEL' };

const MAX_SEATS = 1000;

/** Reads the change from the fields of a form. */
export function changeOf(fields: Readonly<Record<string, unknown>>): Change {
  const { change, value } = fields;
  if (change === 'CHANGE_PLAN') return { change, planName: planOf(value) };
  if (change === 'CHANGE_QUANTITY') return { change, quantity: seatsOf(value) };
  if (change === 'CANCEL') return { change };
  throw new InputError('Choose a change.');
}

/** Returns the invoices after the change, without changing anything. */
export function previewOf(acme: TenantBilling, subscriptionId: string, change: Change) {
  return acme.subscriptions.preview({ subscriptionId, ...change });
}

export type Preview = Awaited<ReturnType<typeof previewOf>>;

export async function perform(acme: TenantBilling, subscriptionId: string, change: Change): Promise<void> {
  switch (change.change) {
    case 'CHANGE_PLAN':
      await acme.subscriptions.changePlan(subscriptionId, { planName: change.planName });
      return;
    case 'CHANGE_QUANTITY':
      await acme.subscriptions.changeQuantity(subscriptionId, { quantity: change.quantity });
      return;
    case 'CANCEL':
      await acme.subscriptions.cancel(subscriptionId, { entitlementPolicy: 'END_OF_TERM' });
  }
}

export function planOf(value: unknown): string {
  if (typeof value === 'string' && Object.hasOwn(OFFERS, value)) return value;
  throw new InputError('Choose one of the plans.');
}

export function seatsOf(value: unknown): number {
  const seats = Number(value);
  if (Number.isInteger(seats) && seats >= 1 && seats <= MAX_SEATS) return seats;
  throw new InputError(`Enter a number of seats from 1 to ${MAX_SEATS}.`);
}
