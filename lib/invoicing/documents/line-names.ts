import { itemTypes } from '../../records/index.ts';
import type { InvoiceItemView } from '../invoices/invoice-view.ts';
import type { TextKey } from './built-in-texts.ts';
import type { TextOf } from './document-texts.ts';

export interface LineName {
  readonly name: string;
  /** Phase, usage or adjusted item; null if the name is sufficient. */
  readonly detail: string | null;
}

/** Names of plans, phases and usages in the document's language; undefined if the tenant has none. */
export type CatalogNames = (name: string) => string | undefined;

/**
 * Returns the name of an item: the plan's name for a catalog charge, otherwise the item's description.
 * @param linked the adjusted item, if it is on the same invoice.
 */
export function lineName(
  item: InvoiceItemView,
  { names, text, linked }: { names: CatalogNames; text: TextOf; linked: InvoiceItemView | undefined },
): LineName {
  const { chargesPlan, kind } = itemTypes[item.itemType];
  if (chargesPlan) return chargeName(item, names);
  if (kind === 'ACCOUNT_CREDIT') {
    const key = item.amount.isPositive() ? 'itemAccountCreditGenerated' : 'itemAccountCreditUsed';
    return { name: text(key), detail: null };
  }
  return {
    name: described(item, text),
    detail: linked === undefined ? null : lineName(linked, { names, text, linked: undefined }).name,
  };
}

function chargeName(item: InvoiceItemView, names: CatalogNames): LineName {
  const { planName, phaseName, usageName } = item;
  const plan = planName === null ? null : (names(planName) ?? item.prettyPlanName ?? planName);
  const usage = usageName === null ? null : (names(usageName) ?? item.prettyUsageName ?? usageName);
  const ownPhaseName = item.prettyPhaseName === phaseName ? null : item.prettyPhaseName;
  const phase = phaseName === null ? null : (names(phaseName) ?? ownPhaseName);
  const name = plan ?? item.description ?? item.itemType;
  const detail = usage ?? phase;
  return { name, detail: detail === name ? null : detail };
}

/** Returns the description of the item. Descriptions that the engine wrote (§1.3) are in the document's language. */
function described({ itemType, description }: InvoiceItemView, text: TextOf): string {
  if (description === null || description === '') return itemType;
  const written: Readonly<Record<string, TextKey>> = itemTypes[itemType].descriptions;
  const key = Object.hasOwn(written, description) ? written[description] : undefined;
  return key === undefined ? description : text(key);
}
