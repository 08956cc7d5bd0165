import { useState } from 'preact/hooks';
import { api, type Decimal, type Invoice, type InvoiceItem, may } from '../../core/data.ts';
import { day, label, money, quantity } from '../../core/format.ts';
import { href } from '../../core/location.ts';
import { Action } from '../../parts/action.tsx';
import { Load, Section } from '../../parts/layout.tsx';
import { Explanation, itemName } from '../../parts/preview.tsx';
import { ListPages } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';
import { GiveBack } from '../payments/give-back.tsx';
import { adjustableItems, CHARGES, type InvoiceFacts, paymentsOf, sumOf } from './data.tsx';

const t = texts.invoices;

/** The lines of an invoice. Each opens to show where its amount comes from. The totals follow. */
export function Lines(facts: InvoiceFacts) {
  const { invoice } = facts;
  return (
    <Section name="lines" title={t.why}>
      <p class="quiet-text">{t.openLine}</p>
      <ListPages rows={inOrder(invoice.items)} pageParameter="line">
        {(shown) => (
          <div class="lines">
            {shown.map((item) => (
              <Line key={item.id} item={item} {...facts} />
            ))}
          </div>
        )}
      </ListPages>
      <Totals {...invoice} />
    </Section>
  );
}

/** Returns each charge with its taxes and adjustments after it, then the other lines. */
function inOrder(items: readonly InvoiceItem[]): readonly InvoiceItem[] {
  const ids = new Set(items.map(({ id }) => id));
  const isLinked = ({ linkedItemId }: InvoiceItem) => linkedItemId !== null && ids.has(linkedItemId);
  return items
    .filter((item) => !isLinked(item))
    .flatMap((item) => [item, ...items.filter(({ linkedItemId }) => linkedItemId === item.id)]);
}

type LineProps = InvoiceFacts & { readonly item: InvoiceItem };

function Line(props: LineProps) {
  const { item, invoice } = props;
  const [wasOpened, setOpened] = useState(false);
  const isLinked = invoice.items.some(({ id }) => id === item.linkedItemId);
  return (
    <details
      class={isLinked ? 'line linked' : 'line'}
      onToggle={({ currentTarget }) => setOpened(wasOpened || currentTarget.open)}
    >
      <summary>
        <span class="line-name">
          <b>{itemName(item)}</b> <span class="quiet-text">{lineDetail(item)}</span>
        </span>
        <span class="number">{money(item.amount, item.currency)}</span>
      </summary>
      {wasOpened && <OpenLine {...props} />}
    </details>
  );
}

/** Returns kind, period, quantity and list price of a line, as far as it has them. */
function lineDetail(item: InvoiceItem): string {
  const { startDate, endDate, unitPrice, currency } = item;
  const isDay = endDate === null || endDate === startDate;
  const period = isDay ? day(startDate) : `${day(startDate)} – ${day(endDate)}`;
  const count = item.quantity === null || item.quantity.equals(1) ? null : quantity(item.quantity);
  const price = count === null || unitPrice === null ? null : `${count} × ${money(unitPrice, currency)}`;
  const discounts = (item.discounts ?? []).map(({ name, code, amount }) =>
    t.discount(name || code, money(amount, currency)),
  );
  const rate = item.taxRate === null ? null : `${quantity(item.taxRate)} %`;
  const given = [t.itemTypes[item.itemType], startDate === null ? null : period, price, rate, ...discounts];
  return given.filter((part) => part !== null).join(' · ');
}

/** The explanation of a line, and what can be done with it. */
function OpenLine({ item, ...facts }: LineProps) {
  const { invoice } = facts;
  const { subscriptionId, itemType, itemDetails, amount } = item;
  const isCredit = itemType === 'CBA_ADJ' && !amount.isZero() && invoice.status === 'COMMITTED';
  return (
    <div class="line-content">
      <Load from={() => api().invoices.explain(item.id)}>{(found) => <Explanation of={found} />}</Load>
      {itemType !== 'USAGE' && itemDetails !== null && <p class="quiet-text">{itemDetails}</p>}
      {(item.childItems ?? []).length > 0 && <ChildItems {...item} />}
      <div class="actions">
        {subscriptionId !== null && (
          <a class="button" href={href('/subscriptions', subscriptionId)}>
            {label('showTheSubscription')}
          </a>
        )}
        {adjustableItems(invoice).includes(item) && may('invoice:item_adjust') && (
          <GiveBack
            name="reduceThisLine"
            facts={{ ...facts, invoices: [invoice] }}
            initial={{ kind: 'adjust', item: item.id }}
          />
        )}
        {isCredit && (
          <Action
            name="deleteThisCredit"
            needs="invoice:delete_cba"
            explanation={amount.isNegative() ? t.deleteUsedCredit : t.deleteGivenCredit}
            run={() =>
              api().invoices.deleteCredit({
                accountId: invoice.accountId,
                invoiceId: invoice.id,
                invoiceItemId: item.id,
              })
            }
            isDangerous
          />
        )}
      </div>
    </div>
  );
}

/** The lines of a child's invoices that the parent pays. */
function ChildItems({ childItems }: Pick<InvoiceItem, 'childItems'>) {
  return (
    <ul>
      {childItems?.map((child) => (
        <li key={child.id}>
          <a href={href('/invoices', child.invoiceId)}>{itemName(child)}</a>: {lineDetail(child)},{' '}
          {money(child.amount, child.currency)}
        </li>
      ))}
    </ul>
  );
}

/** The kinds of totals with the types of their lines. */
const KINDS: readonly (readonly [name: string, types: readonly string[]])[] = [
  ['charges', CHARGES],
  ['taxes', ['TAX']],
  ['adjustments', ['ITEM_ADJ', 'REPAIR_ADJ']],
  ['creditsGiven', ['CREDIT_ADJ']],
  ['accountCredit', ['CBA_ADJ']],
];

/** The sums by kind of line, down to the balance. */
function Totals(invoice: Invoice) {
  const { items, currency, balance, rawBalance, isWrittenOff } = invoice;
  const kinds = KINDS.flatMap(([name, types]): (readonly [string, Decimal])[] => {
    const own = items.filter(({ itemType }) => types.includes(itemType));
    return own.length === 0 ? [] : [[name, sumOf(own, balance)]];
  });
  const rows: readonly (readonly [string, Decimal])[] = [
    ...(kinds.length > 1 ? kinds : []),
    ['totalOfAllLines', sumOf(items, balance)],
    ['paymentsLessRefunds', paymentsOf(invoice).times(-1)],
    ...(isWrittenOff ? [['writtenOff', rawBalance.times(-1)] as const] : []),
    ['balance', balance],
  ];
  return (
    <dl class="totals">
      {rows.map(([name, amount]) => (
        <div key={name}>
          <dt>{label(name)}</dt>
          <dd class="number">{money(amount, currency)}</dd>
        </div>
      ))}
    </dl>
  );
}
