import { itemTypes } from '../../records/index.ts';
import type { InvoiceItemView } from '../invoices/invoice-view.ts';
import type { TextKey } from './built-in-texts.ts';
import type { TextOf } from './document-texts.ts';

/** What a line of a document is for. */
export interface LineName {
  readonly name: string;
  /** Phase, usage, or what an adjustment adjusts; null = the name says it all. */
  readonly detail: string | null;
}

/** Names of plans, phases and usages in the language of the document; undefined where the tenant has none. */
export type CatalogNames = (name: string) => string | undefined;

/**
 * What an item is called: the plan of what is charged by the catalog, else its description.
 * @param linked the item that it adjusts, where that is on the same invoice.
 */
export function lineName(
  item: InvoiceItemView,
  { names, text, linked }: { names: CatalogNames; text: TextOf; linked: InvoiceItemView | undefined },
): LineName {
  const { chargesPlan, kind } = itemTypes[item.itemType];
  if (chargesPlan) return chargeName(item, names);
  if (kind === 'ACCOUNT_CREDIT') {
    const isGenerated = item.amount.isPositive();
    return {
      name: text(isGenerated ? 'itemAccountCreditGenerated' : 'itemAccountCreditUsed'),
      detail: null,
    };
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
  const phase = phaseName === null ? null : (names(phaseName) ?? properName(item.prettyPhaseName, phaseName));
  const name = plan ?? item.description ?? item.itemType;
  const detail = usage ?? phase;
  return { name, detail: detail === name ? null : detail };
}

/** The pretty name, if it is more than the name: names of phases are made of the plan's, and read like code. */
function properName(prettyName: string | null, name: string): string | null {
  return prettyName === null || prettyName === name ? null : prettyName;
}

/** The description; one that the engine has written (§1.3) in the language of the document. */
function described({ itemType, description }: InvoiceItemView, text: TextOf): string {
  if (description === null || description === '') return itemType;
  const written: Readonly<Record<string, TextKey>> = itemTypes[itemType].descriptions;
  const key = Object.hasOwn(written, description) ? written[description] : undefined;
  return key === undefined ? description : text(key);
}
