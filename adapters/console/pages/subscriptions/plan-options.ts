import { money, type ResultOf } from '../../core/index.ts';
import { type Field, textOf, type Values } from '../../parts/index.ts';
import type { Subscription } from '../../parts/timeline-rows.ts';
import { texts } from '../../texts.ts';

const t = texts.subscription;

export type AvailablePlans = ResultOf<'catalogs', 'availableBasePlans'>;

/** A field that chooses a plan by its name and price. Without known plans, it takes the name of a plan. */
export function planField(plans: AvailablePlans, currency: string | null): Field {
  const field = { name: 'plan', label: t.plan, isRequired: true } as const;
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

/** A field for a day on which a change takes effect. */
export const dateField: Field = { name: 'date', label: t.date, kind: 'date', help: t.dateHelp };

/** Returns the requested day of a change; null if the user left the field empty. */
export function dateOf(values: Values): { readonly date: string } | null {
  const date = textOf(values, 'date');
  return date === undefined ? null : { date };
}

/** Returns the price of the current phase; null if the phase has no price. */
export function currentPrice(
  { planName, phaseType, prices, billingPeriod }: Subscription,
  currency: string | null,
) {
  const price = prices.find((each) => each.planName === planName && each.phaseType === phaseType);
  if (price?.recurringPrice)
    return texts.timeline.price(money(price.recurringPrice, currency), billingPeriod ?? '');
  return price?.fixedPrice ? money(price.fixedPrice, currency) : null;
}
