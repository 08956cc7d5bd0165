import {
  type AdditionalItem,
  decimal,
  type InvoiceForPlugins,
  type InvoicePlugin,
  type TaxCategory,
} from '../../../lib/index.ts';

export interface TaxRule {
  readonly category: TaxCategory;
  /** Percent. */
  readonly rate?: string;
  readonly exemption?: string;
}

const taxed: ReadonlySet<string> = new Set(['RECURRING', 'FIXED', 'USAGE', 'EXTERNAL_CHARGE', 'REPAIR_ADJ']);

/**
 * Taxes each charge and repair of an account by its first rule, or by its second rule if the description starts with
 * `Reduced`. An adjustment of a charge reduces its tax by the same share.
 */
export function taxByAccount(rules: ReadonlyMap<string, readonly TaxRule[]>): InvoicePlugin {
  return {
    name: 'tax-by-account',
    async getAdditionalInvoiceItems({ accountId, items }) {
      const [standard, reduced = standard] = rules.get(accountId) ?? [];
      if (standard === undefined || reduced === undefined) return null;
      const ruleOf = ({ description }: Item) => (description?.startsWith('Reduced') ? reduced : standard);
      return { items: [...newTaxes(items, ruleOf), ...returnedTaxes(items, ruleOf)] };
    },
  };
}

type Item = InvoiceForPlugins['items'][number];
type RuleOf = (item: Item) => TaxRule;

function newTaxes(items: readonly Item[], ruleOf: RuleOf): readonly AdditionalItem[] {
  const taxes = items.filter(({ itemType }) => itemType === 'TAX');
  const done = new Set(taxes.map(({ linkedItemId }) => linkedItemId));
  const due = items.filter(({ id, itemType }) => taxed.has(itemType) && !done.has(id));
  return due.map((item) => {
    const { category, rate = '0', exemption = null } = ruleOf(item);
    return {
      itemType: 'TAX',
      linkedItemId: item.id,
      amount: item.amount.times(decimal(rate)).dividedBy(100),
      description: `Tax ${rate} %`,
      taxCategory: category,
      taxRate: decimal(rate),
      taxExemption: exemption,
    };
  });
}

function returnedTaxes(items: readonly Item[], ruleOf: RuleOf): readonly AdditionalItem[] {
  const adjustedBy = (id: string) =>
    items
      .filter(({ itemType, linkedItemId }) => itemType === 'ITEM_ADJ' && linkedItemId === id)
      .reduce((total, { amount }) => total.plus(amount), decimal(0));
  return items.flatMap((charge): readonly AdditionalItem[] => {
    const tax = items.find(({ itemType, linkedItemId }) => itemType === 'TAX' && linkedItemId === charge.id);
    if (tax === undefined || tax.amount.isZero()) return [];
    const { rate = '0' } = ruleOf(charge);
    const due = adjustedBy(charge.id).times(decimal(rate)).dividedBy(100).toDecimalPlaces(2);
    const amount = due.minus(adjustedBy(tax.id));
    return amount.isNegative() && !amount.isZero()
      ? [{ itemType: 'ITEM_ADJ', linkedItemId: tax.id, amount, description: 'Tax returned' }]
      : [];
  });
}
