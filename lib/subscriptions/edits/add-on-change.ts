import { ProductCategory } from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { basePlanAt, checkLimit, checkOffered, noActiveBase } from '../add-ons/add-on-checks.ts';
import type { DecidedChange } from './decided-change.ts';
import type { RunningInBundle } from './running-subscription.ts';

/**
 * An add-on changes only to what its base offers at that date, and within the limit of the plan (§7 rule 7); other
 * subscriptions are not restricted.
 * @throws BillingError 1017, and as `checkOffered` and `checkLimit`.
 */
export function checkAddOnChange(
  { choice, effective }: Pick<DecidedChange, 'choice' | 'effective'>,
  { running, bundle }: RunningInBundle,
  now: Instant,
): void {
  if (choice.category !== ProductCategory.ADD_ON) return;
  const base = bundle.find(({ subscription }) => subscription.category === ProductCategory.BASE);
  assertInvariant(base, `Add-on ${running.subscription.id} has no base`, {
    subscriptionId: running.subscription.id,
  });
  const basePlan = basePlanAt(base, effective.at, now);
  if (basePlan === null) throw noActiveBase(base.subscription.id, effective.at);
  const asked = { plan: choice.plan, at: effective.at };
  checkOffered(asked, basePlan, running.catalog);
  const members = bundle.filter(({ subscription }) => subscription.id !== running.subscription.id);
  checkLimit({ choice: asked, members, requested: 1, now });
}
