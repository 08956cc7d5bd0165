import { InvoiceItemType, RepairRule, type UsageBasis } from '../../records/index.ts';
import {
  creditedDates,
  type SettledInterval,
  type SettledSuperseded,
  TermLine,
  type UsageCharge,
  type UsageCredit,
} from '../../usage/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { ZERO } from '../../values/money/index.ts';
import { type NewInvoiceItem, plainItem } from '../invoices/new-item.ts';
import { basisEvent } from '../reconciliation/new-items.ts';

/** Returns the item for a usage charge or a usage credit (usage §7.4, §7.7 rule 2). */
export function usageItem(id: Uuid, settled: SettledInterval, charge: UsageCharge): NewInvoiceItem {
  const { planned, replaced = null } = settled;
  const { section, events } = planned.run;
  const { start, end } = planned.interval;
  const { amount, details } = charge;
  const common = {
    id,
    startDate: start.date,
    endDate: end.date,
    amount,
    itemDetails: details,
    basis: usageBasis(settled, charge),
  };
  if (charge.kind === 'CREDIT') {
    return plainItem({
      ...common,
      ...(replaced === null ? {} : creditedDates(replaced, planned.interval)),
      itemType: InvoiceItemType.REPAIR_ADJ,
      description: replaced === null ? 'Adjustment (usage)' : SUBSCRIPTION_CHANGE,
      linkedItemId: charge.linkedItemId,
      repairable: ZERO,
    });
  }
  const [{ bundleId, subscriptionId, productName, planName, phaseName }] = events;
  return plainItem({
    ...common,
    itemType: InvoiceItemType.USAGE,
    bundleId,
    subscriptionId,
    productName,
    planName,
    phaseName,
    usageName: section.name,
    description: section.prettyName,
    rate: charge.rate,
    quantity: charge.quantity,
    catalogEffectiveDate: section.versionDate,
    repairable: amount,
  });
}

const SUBSCRIPTION_CHANGE = 'Adjustment (subscription change)';

/** Returns the credit for an item whose usage is now charged by another section (usage §7.3 rule 7). */
export function supersededItem(
  id: Uuid,
  { interval }: SettledSuperseded,
  { linkedItemId, amount, details, left }: UsageCredit,
): NewInvoiceItem {
  const { startDate, endDate, event } = interval;
  return plainItem({
    id,
    itemType: InvoiceItemType.REPAIR_ADJ,
    startDate,
    endDate,
    amount,
    description: SUBSCRIPTION_CHANGE,
    linkedItemId,
    itemDetails: details,
    repairable: ZERO,
    basis: {
      kind: 'REPAIR',
      event: basisEvent(event),
      rule: RepairRule.WHOLE,
      startDate,
      endDate,
      amount: amount.negated(),
      share: null,
      repairable: left,
      coupons: null,
    },
  });
}

function usageBasis({ planned, rated, consumes }: SettledInterval, charge: UsageCharge): UsageBasis {
  const { section, closedBy, events } = planned.run;
  const { start, end } = planned.interval;
  const { lines, due, billed, amount } = charge;
  // Lines of usage terms have no unit.
  const ofUnits = lines.filter((line) => !('blockSize' in line && line.blockSize.isZero()));
  const own = [...new Set(ofUnits.map(({ unit }) => unit))];
  const units = own.length > 0 ? own : [...consumes.quantities.keys()];
  return {
    kind: 'USAGE',
    event: basisEvent(events[0]),
    nextEvent: closedBy?.effectiveDate === end.at ? basisEvent(closedBy) : null,
    usageName: section.name,
    usageType: section.usageType,
    tierBlockPolicy: section.usageType === 'CONSUMABLE' ? section.tierBlockPolicy : null,
    billingPeriod: section.billingPeriod,
    startInstant: start.at,
    endInstant: end.at,
    startDate: start.date,
    endDate: end.date,
    used: units.map((unit) => ({ unit, quantity: consumes.quantities.get(unit) ?? ZERO })),
    lines: lines.map((line) => {
      const { tier, unit, price, quantity } = line;
      const [blockSize, total] = 'blockSize' in line ? [line.blockSize, line.amount] : [null, null];
      return { tier, unit, price, quantity, blockSize, amount: total };
    }),
    minimum: lines.some(({ unit }) => unit === TermLine.MINIMUM) ? rated.minimum : null,
    due,
    billed,
    credit: charge.kind === 'CREDIT' ? { open: charge.open, left: charge.left } : null,
    amount,
  };
}
