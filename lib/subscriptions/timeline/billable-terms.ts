import { billedPrices, type InternationalPrice, type PlanPhase, priceOf } from '../../catalog/index.ts';
import type { Account, LifecycleEvent } from '../../records/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { withDerivedPhases } from './phase-events.ts';
import { type PlanResolver, type PriceChangeSource, priceSteps, transitionsOf } from './transitions.ts';

export interface BillableTermsInput {
  readonly account: Pick<Account, 'id' | 'currency' | 'timeZone'>;
  /** Active events of one subscription, as they will be. */
  readonly events: readonly LifecycleEvent[];
  readonly plans: PlanResolver & PriceChangeSource;
  /** The date from which they are new; what was accepted before is not checked again. Default: all are. */
  readonly from?: Instant;
}

/**
 * Every phase to come must have a price in the account's currency, also in the catalog versions that are known to change
 * it; else the outcome would be an account that cannot be invoiced (ruling R37).
 * @throws BillingError CATALOG_NO_PRICE_FOR_CURRENCY (2010), CATALOG_PRICE_VALUE_NULL_FOR_CURRENCY (2011),
 * CURRENCY_INVALID (3) where the account has no currency.
 */
export function checkBillable({ account, events, plans, from }: BillableTermsInput): void {
  const zone = account.timeZone;
  const transitions = transitionsOf(withDerivedPhases({ events, plans, zone }), plans);
  const changes = plans.priceChangeEvents({ steps: priceSteps(transitions), zone });
  const coming = [
    ...transitions.flatMap(({ event, next }) =>
      next === null ? [] : { effective: event.effective, phase: next.phase },
    ),
    ...changes,
  ];
  const checked = new Set<PlanPhase>();
  for (const { effective, phase } of coming) {
    if (checked.has(phase) || (from !== undefined && effective.at < from)) continue;
    checked.add(phase);
    checkPhase(phase, account);
  }
}

function checkPhase(phase: PlanPhase, { id: accountId, currency }: BillableTermsInput['account']): void {
  if (currency === null) throw needsCurrency(phase, accountId);
  for (const price of billedPrices(phase)) checkPrice(price, phase, currency);
}

/** A free phase is an item of an invoice too, and an account without currency never gets an invoice. */
function needsCurrency({ name: phaseName }: PlanPhase, accountId: Account['id']): BillingError {
  return new BillingError({
    code: ErrorCode.CURRENCY_INVALID,
    message: `Account ${accountId} has no currency, which phase ${phaseName} needs to be invoiced; create the account with a currency`,
    facts: { accountId, phaseName },
  });
}

function checkPrice(
  price: InternationalPrice,
  { name: phaseName }: PlanPhase,
  currency: NonNullable<Account['currency']>,
): void {
  try {
    priceOf(price, currency);
  } catch (error) {
    if (!(error instanceof BillingError)) throw error;
    throw new BillingError({
      code: error.code,
      message: `Phase ${phaseName} is not sold in ${currency}: ${error.message}`,
      facts: { ...error.facts, phaseName },
    });
  }
}
