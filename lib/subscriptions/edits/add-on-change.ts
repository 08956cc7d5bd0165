import { ProductCategory } from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { basePlanAt, checkLimit, checkOffered, noActiveBase } from '../add-ons/add-on-checks.ts';
import { isPlanChoice } from '../timeline/lifecycle-order.ts';
import type { DecidedChange } from './decided-change.ts';
import type { RunningInBundle } from './running-subscription.ts';

/**
 * Checks that the base of an add-on offers the new product from the date of the change until now, and the limit of the plan
 * (§7 rule 7). Other subscriptions are not restricted.
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
  const { plan } = choice;
  const asked = { plan, at: effective.at };
  checkOffered(asked, basePlan, running.catalog);
  // A change dated back may not lead to what the base has left since: the add-on would end in the past.
  for (const { event, next } of base.transitions) {
    const { at } = event.effective;
    const isSince = at > effective.at && at <= now && isPlanChoice(event);
    if (isSince && next !== null) checkOffered({ plan, at }, next, running.catalog);
  }
  const members = bundle.filter(({ subscription }) => subscription.id !== running.subscription.id);
  checkLimit({ choice: asked, members, requested: 1, now });
}
