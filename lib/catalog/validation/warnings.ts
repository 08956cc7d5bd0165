import { BillingMode } from '../../records/index.ts';
import type { Steps } from '../../runtime/index.ts';
import type { Currency } from '../../values/money/index.ts';
import type { Usage } from '../model/catalog-model.ts';
import { pricesOfUsage } from '../model/prices-of.ts';
import { contentPhases } from '../model/version-content.ts';
import { steps } from './tier-units.ts';
import { isUnbounded } from './unit-limits.ts';
import type { VersionCheck } from './version-check.ts';

/** What the author may not have meant; stops nothing (§4). */
export function* collectWarnings(check: VersionCheck): Steps<void> {
  for (const plan of check.content.plans) {
    for (const usage of contentPhases(plan).flatMap((phase) => phase.usages)) {
      const owner = `Plan "${plan.name}", usage "${usage.name}"`;
      warnBoundedLastTier(check, usage, owner);
      warnMissingCurrencies(check, usage, owner);
    }
    yield;
  }
}

function warnBoundedLastTier(check: VersionCheck, usage: Usage, owner: string): void {
  const last = usage.tiers.at(-1);
  if (usage.billingMode !== BillingMode.IN_ARREAR || last === undefined) return;
  const bounded = steps(usage, last).filter((step) => !isUnbounded(step.max));
  if (bounded.length === 0) return;
  const units = bounded.map((step) => `"${step.unit}"`).join(', ');
  check.findings.warn(`${owner}: the last tier bounds ${units}; units beyond are not charged`, [last]);
}

function warnMissingCurrencies(check: VersionCheck, usage: Usage, owner: string): void {
  const prices = pricesOfUsage(usage);
  const all = new Set<Currency>(prices.flatMap((price) => price.prices.map((entry) => entry.currency)));
  for (const price of prices) {
    // An empty price is zero in every currency.
    if (price.prices.length === 0) continue;
    const own = new Set(price.prices.map((entry) => entry.currency));
    const missing = [...all].filter((currency) => !own.has(currency));
    if (missing.length === 0) continue;
    check.findings.warn(
      `${owner}: a price has no amount in ${missing.join(', ')}, which another price of it has`,
      [price],
    );
  }
}
