import type { ComputedBasis, InvoiceItem, InvoiceItemType, ItemBasis } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Currency, Decimal } from '../../values/money/index.ts';
import type { Instant, LocalDate } from '../../values/time/index.ts';
import { type CalculationStep, stepsOf } from './basis-calculation.ts';
import {
  type ExplainedRule,
  eventsBehind,
  type ItemEvents,
  NO_EVENTS,
  rulesBehind,
  type SubscriptionPast,
} from './event-facts.ts';
import { explanationText } from './explanation-text.ts';

/** Why an item has its amount: the facts that were used when it was made, as data and as a text to read. */
export interface ItemExplanation {
  readonly itemId: Uuid;
  readonly invoiceId: Uuid;
  readonly itemType: InvoiceItemType;
  readonly amount: Decimal;
  readonly currency: Currency;
  readonly planName: string | null;
  readonly phaseName: string | null;
  readonly startDate: LocalDate | null;
  readonly endDate: LocalDate | null;
  /** Effective date of the catalog version that the price comes from; for an override plan, the date of its event. */
  readonly catalogEffectiveDate: Instant | null;
  /** The item that is repaired or adjusted. */
  readonly linkedItemId: Uuid | null;
  /** null: the amount was given and not computed, or the facts behind it were not kept. */
  readonly basis: ComputedBasis | null;
  /** The invoice plugin that has added the item or, where there is a basis, changed its amount; null = none. */
  readonly pluginName: string | null;
  /** The events of the basis, with why each is dated as it is. */
  readonly events: ItemEvents;
  /** The catalog's rules that decided its dates and its bill cycle day, each with the case that matched. */
  readonly rules: readonly ExplainedRule[];
  /** From the facts to the amount; empty without them. */
  readonly steps: readonly CalculationStep[];
  /** What the steps come to, or the amount as it was given; differs from `amount` only where it was changed later. */
  readonly computedAmount: Decimal;
  /** One paragraph of English that works the sum out. */
  readonly text: string;
}

export interface ExplainedItem {
  readonly item: InvoiceItem;
  /** The item that it repairs or adjusts. */
  readonly linked: InvoiceItem | undefined;
  readonly basis: ItemBasis | null;
  /** Of its subscription or, for a repair, of the repaired item's subscription. */
  readonly past: SubscriptionPast;
  /** True if its plan is one that overrides prices. */
  readonly hasOwnPrices: boolean;
  /** True for an invoice that another system made. */
  readonly isMigrated: boolean;
}

/** Explains the amount of an item from the facts kept with it. */
export function explainItem(explained: ExplainedItem): ItemExplanation {
  const { item, linked, past, hasOwnPrices, isMigrated } = explained;
  const basis = computedBasis(explained.basis);
  const plugin = explained.basis?.kind === 'PLUGIN' ? explained.basis : null;
  const pluginName = plugin?.pluginName ?? null;
  const steps = basis === null ? [] : stepsOf(basis, item.currency);
  const computedAmount = steps.at(-1)?.result ?? plugin?.given ?? item.amount;
  const events = basis === null ? NO_EVENTS : eventsBehind(basis, item, past);
  return {
    itemId: item.id,
    invoiceId: item.invoiceId,
    itemType: item.itemType,
    amount: item.amount,
    currency: item.currency,
    planName: item.planName,
    phaseName: item.phaseName,
    startDate: item.startDate,
    endDate: item.endDate,
    catalogEffectiveDate: item.catalogEffectiveDate,
    linkedItemId: item.linkedItemId,
    basis,
    pluginName,
    events,
    rules: basis === null ? [] : rulesBehind(basis, events),
    steps,
    computedAmount,
    text: explanationText({
      item,
      linked,
      basis,
      pluginName,
      isGiven: plugin?.given != null,
      events,
      hasOwnPrices,
      isMigrated,
      steps,
      computedAmount,
    }),
  };
}

/** The facts behind what the engine has computed, whatever a plugin has made of it since. */
export function computedBasis(basis: ItemBasis | null): ComputedBasis | null {
  return basis?.kind === 'PLUGIN' ? basis.changed : basis;
}
