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

/** The descriptions that the engine writes by itself (§1.3): documents say them in their own language. */
const written: ReadonlyMap<string, TextKey> = new Map<string, TextKey>([
  ['REPAIR_ADJ Adjustment (subscription change)', 'itemRepair'],
  ['REPAIR_ADJ Adjustment (usage)', 'itemUsageRepair'],
  ['ITEM_ADJ Invoice item adjustment', 'itemAdjustment'],
  ['CREDIT_ADJ Invoice adjustment', 'itemCredit'],
  ['EXTERNAL_CHARGE External charge', 'itemExternalCharge'],
  ['TAX Tax', 'itemTax'],
]);

/**
 * What an item is called: the plan of what is charged by the catalog, else its description.
 * @param linked the item that it adjusts, where that is on the same invoice.
 */
export function lineName(
  item: InvoiceItemView,
  { names, text, linked }: { names: CatalogNames; text: TextOf; linked: InvoiceItemView | undefined },
): LineName {
  switch (item.itemType) {
    case 'FIXED':
    case 'RECURRING':
    case 'USAGE':
      return chargeName(item, names);
    case 'CBA_ADJ':
      return {
        name: text(item.amount.isPositive() ? 'itemAccountCreditGenerated' : 'itemAccountCreditUsed'),
        detail: null,
      };
    case 'EXTERNAL_CHARGE':
    case 'REPAIR_ADJ':
    case 'CREDIT_ADJ':
    case 'ITEM_ADJ':
    case 'TAX':
    case 'PARENT_SUMMARY':
      return {
        name: described(item, text),
        detail: linked === undefined ? null : lineName(linked, { names, text, linked: undefined }).name,
      };
  }
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

function described({ itemType, description }: InvoiceItemView, text: TextOf): string {
  if (description === null || description === '') return itemType;
  const key = written.get(`${itemType} ${description}`);
  return key === undefined ? description : text(key);
}
