import { InvoiceItemType, itemTypes } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { InvoiceItemView } from '../invoices/invoice-view.ts';
import type { TextKey } from './built-in-texts.ts';
import type { TextOf } from './document-texts.ts';

export interface LineName {
  readonly name: string;
  /** The phase, usage or adjusted item. The value is null if the name alone identifies the line. */
  readonly detail: string | null;
}

/** A child account on the summary of its parent (§12). */
export interface SummarizedChild {
  readonly name: string;
  /** Numbers of the child's invoices that the summary contains, in their order. */
  readonly invoiceNumbers: readonly string[];
}

/** The texts from which names are made. */
export interface NameWords {
  readonly text: TextOf;
  /** Joins a label and its value. */
  readonly labeled: (label: string, value: string) => string;
  readonly names: CatalogNames;
  /** The children that a summary charges, by account. */
  readonly children: ReadonlyMap<Uuid, SummarizedChild>;
}

/**
 * Returns the name of a plan, phase or usage in the document's language, or undefined if the tenant has not translated
 * the name.
 */
export type CatalogNames = (name: string) => string | undefined;

/**
 * Returns the name of an item: the plan's name for a catalog charge, the child's name for its part of a summary,
 * otherwise the item's description.
 * @param linked the adjusted item, if it is on the same invoice.
 */
export function lineName(
  item: InvoiceItemView,
  words: NameWords,
  linked: InvoiceItemView | undefined,
): LineName {
  const { text, labeled, children } = words;
  const { chargesPlan, kind } = itemTypes[item.itemType];
  if (chargesPlan) return chargeName(item, words.names);
  const child = childOf(item, children);
  if (child !== null) {
    const numbers = child.invoiceNumbers.join(', ');
    return { name: child.name, detail: numbers === '' ? null : labeled(text('itemChildInvoice'), numbers) };
  }
  if (kind === 'ACCOUNT_CREDIT') {
    const key = item.amount.isPositive() ? 'itemAccountCreditGenerated' : 'itemAccountCreditUsed';
    return { name: text(key), detail: null };
  }
  const isOfChild = linked !== undefined && childOf(linked, children) !== null;
  return {
    name: isOfChild ? text('itemAdjustment') : describeItem(item, text),
    detail: linked === undefined ? null : lineName(linked, words, undefined).name,
  };
}

/** Returns the child that the item of a summary charges. Returns null for other items. */
function childOf(
  { itemType, childAccountId }: InvoiceItemView,
  children: NameWords['children'],
): SummarizedChild | null {
  if (itemType !== InvoiceItemType.PARENT_SUMMARY || childAccountId === null) return null;
  return children.get(childAccountId) ?? null;
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
function describeItem({ itemType, description }: InvoiceItemView, text: TextOf): string {
  if (description === null || description === '') return itemType;
  const written: Readonly<Record<string, TextKey>> = itemTypes[itemType].descriptions;
  const key = Object.hasOwn(written, description) ? written[description] : undefined;
  return key === undefined ? description : text(key);
}
