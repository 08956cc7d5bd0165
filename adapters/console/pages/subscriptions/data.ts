import { api, type ResultOf, type Subscription } from '../../core/data.ts';
import { money } from '../../core/format.ts';
import { type Field, textOrNull, type Values } from '../../parts/action.tsx';
import { texts } from '../../texts.ts';

const t = texts.subscription;

/** A subscription with what its page and its actions need. */
export type SubscriptionFacts = Awaited<ReturnType<typeof loadSubscription>>;

export async function loadSubscription(id: string) {
  const subscription = await api().subscriptions.get(id);
  const [account, overdue] = await Promise.all([
    api().accounts.get(subscription.accountId),
    api().overdue.explain(subscription.accountId),
  ]);
  return { subscription, account, today: overdue.date };
}

/** Returns the price of the current phase; null if the phase has no price. */
export function priceOf(subscription: Subscription, currency: string | null): string | null {
  const { planName, phaseType, prices, billingPeriod } = subscription;
  const price = prices.find((each) => each.planName === planName && each.phaseType === phaseType);
  if (price?.recurringPrice)
    return texts.timeline.price(money(price.recurringPrice, currency), billingPeriod ?? '');
  return price?.fixedPrice ? money(price.fixedPrice, currency) : null;
}

type AvailablePlans = ResultOf<'catalogs', 'availableBasePlans'>;

/** A field that chooses a plan by its name and price. Without known plans, it takes the name of a plan. */
export function planField(plans: AvailablePlans, currency: string | null): Field {
  const field = { name: 'planName', isRequired: true } as const;
  if (plans.length === 0) return { ...field, help: t.planHelp };
  const options = plans.map(({ plan }) => [plan.name, labelOf(plan, currency)] as const);
  return { ...field, kind: 'select', options: [['', t.choosePlan], ...options] };
}

function labelOf(plan: AvailablePlans[number]['plan'], currency: string | null): string {
  const { recurring } = plan.finalPhase;
  const price = recurring?.price?.prices.find((each) => each.currency === currency);
  if (!recurring || !price?.amount) return plan.prettyName;
  const cost = texts.timeline.price(money(price.amount.text, currency), recurring.billingPeriod);
  return `${plan.prettyName} · ${cost}`;
}

/** Loads the plans for a base subscription of an account, or the add-ons for a base product. */
export function loadPlans(accountId: string, baseProductName: string | null): Promise<AvailablePlans> {
  const { catalogs } = api();
  return baseProductName === null
    ? catalogs.availableBasePlans({ accountId })
    : catalogs.availableAddOns({ accountId, baseProductName });
}

/** A field for a day on which a change takes effect. */
export const dateField: Field = { name: 'date', kind: 'date', help: t.dateHelp };

/** Returns the requested day of a change; null if the user left the field empty. */
export function dateOf(values: Values): { readonly date: string } | null {
  const date = textOrNull(values, 'date');
  return date === null ? null : { date };
}
