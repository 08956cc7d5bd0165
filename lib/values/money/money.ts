import { assertInvariant } from '../errors/index.ts';
import type { Currency } from './currency.ts';
import type { Decimal } from './decimal.ts';

/** An amount with its currency. `Money<'USD'>` and `Money<'EUR'>` do not mix: the type forbids it. */
export interface Money<C extends Currency = Currency> {
  readonly amount: Decimal;
  readonly currency: C;
}

/** An amount in that currency, not rounded. */
export function money<C extends Currency>(amount: Decimal, currency: C): Money<C> {
  return { amount, currency };
}

/** The sum of two amounts of one currency. @throws InvariantError if the currencies differ in spite of the types. */
export function addMoney<C extends Currency>(a: Money<C>, b: Money<NoInfer<C>>): Money<C> {
  assertInvariant(a.currency === b.currency, `${a.currency} and ${b.currency} cannot be added`, {
    currencies: [a.currency, b.currency],
  });
  return { amount: a.amount.plus(b.amount), currency: a.currency };
}
