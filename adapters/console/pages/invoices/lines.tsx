import { useState } from 'preact/hooks';
import { api, day, href, may, money, quantity, useLoad } from '../../core/index.ts';
import { Explanation } from '../../parts/explanation.tsx';
import { Action, ListPages, Section, Show } from '../../parts/index.ts';
import { texts } from '../../texts.ts';
import { GiveBack } from '../payments/give-back.tsx';
import {
  adjustableItems,
  type Decimal,
  type Invoice,
  type InvoiceFacts,
  type InvoiceItem,
  itemName,
  paymentsOf,
  sum,
} from './data.ts';

const t = texts.invoices;

/** The lines of an invoice. Each opens to show where its amount comes from. The totals follow. */
export function Lines({ facts }: { readonly facts: InvoiceFacts }) {
  const { items } = facts.invoice;
  return (
    <Section title={t.why}>
      <p class="quiet-text">{t.openLine}</p>
      <ListPages rows={inOrder(items)} pageParameter="line">
        {(shown) => (
          <div class="lines">
            {shown.map((item) => (
              <Line key={item.id} item={item} facts={facts} />
            ))}
          </div>
        )}
      </ListPages>
      <Totals invoice={facts.invoice} />
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

interface LineProps {
  readonly item: InvoiceItem;
  readonly facts: InvoiceFacts;
}

function Line({ item, facts }: LineProps) {
  const [wasOpened, setOpened] = useState(false);
  const isLinked = facts.invoice.items.some(({ id }) => id === item.linkedItemId);
  return (
    <details
      class={isLinked ? 'line linked' : 'line'}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open) setOpened(true);
      }}
    >
      <summary>
        <span class="line-name">
          <b>{itemName(item)}</b> <span class="quiet-text">{lineDetail(item)}</span>
        </span>
        <span class="number">{money(item.amount, item.currency)}</span>
      </summary>
      {wasOpened && <OpenLine item={item} facts={facts} />}
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
function OpenLine({ item, facts }: LineProps) {
  const { invoice, account } = facts;
  const explained = useLoad(() => api().invoices.explain(item.id), [item.id]);
  const isAdjustable = invoice.status !== 'VOID' && adjustableItems(invoice).includes(item);
  const isCredit = item.itemType === 'CBA_ADJ' && !item.amount.isZero() && invoice.status === 'COMMITTED';
  return (
    <div class="line-content">
      <Show of={explained}>{(explanation) => <Explanation of={explanation} />}</Show>
      {item.itemType !== 'USAGE' && item.itemDetails !== null && <p class="quiet-text">{item.itemDetails}</p>}
      {(item.childItems ?? []).length > 0 && <ChildItems of={item} />}
      <div class="actions">
        {item.subscriptionId !== null && (
          <a class="button" href={href('/subscriptions', item.subscriptionId)}>
            {t.toSubscription}
          </a>
        )}
        {isAdjustable && may('invoice:item_adjust') && (
          <GiveBack
            label={t.adjustLine}
            facts={{ ...facts, invoices: [invoice] }}
            initial={{ kind: 'adjust', item: item.id }}
          />
        )}
        {isCredit && may('invoice:delete_cba') && (
          <Action
            label={t.deleteCredit}
            explanation={item.amount.isNegative() ? t.deleteUsedCredit : t.deleteGivenCredit}
            run={() =>
              api().invoices.deleteCredit({
                accountId: account.id,
                invoiceId: invoice.id,
                invoiceItemId: item.id,
              })
            }
            done={t.creditDeleted}
            isDangerous
          />
        )}
      </div>
    </div>
  );
}

/** The lines of a child's invoices that the parent pays. */
function ChildItems({ of }: { readonly of: InvoiceItem }) {
  return (
    <ul>
      {(of.childItems ?? []).map((child) => (
        <li key={child.id}>
          <a href={href('/invoices', child.invoiceId)}>{itemName(child)}</a>: {lineDetail(child)},{' '}
          {money(child.amount, child.currency)}
        </li>
      ))}
    </ul>
  );
}

const KINDS = [
  ['charges', ['EXTERNAL_CHARGE', 'FIXED', 'RECURRING', 'USAGE', 'PARENT_SUMMARY']],
  ['taxes', ['TAX']],
  ['adjustments', ['ITEM_ADJ', 'REPAIR_ADJ']],
  ['credits', ['CREDIT_ADJ']],
  ['accountCredit', ['CBA_ADJ']],
] as const;

/** The sums by kind of line, down to the balance. */
function Totals({ invoice }: { readonly invoice: Invoice }) {
  const { items, currency, balance, rawBalance } = invoice;
  const all = sum(
    items.map(({ amount }) => amount),
    balance,
  );
  const kinds = KINDS.flatMap(([name, types]) => {
    const own = items.filter(({ itemType }) => (types as readonly string[]).includes(itemType));
    const total = sum(
      own.map(({ amount }) => amount),
      balance,
    );
    return own.length === 0 ? [] : [[t.totals[name], total] as const];
  });
  const rows: (readonly [string, Decimal])[] = [
    ...(kinds.length > 1 ? kinds : []),
    [t.totals.all, all],
    [t.totals.paid, paymentsOf(invoice).times(-1)],
    ...(invoice.isWrittenOff ? [[t.totals.writtenOff, rawBalance.times(-1)] as const] : []),
    [t.balance, balance],
  ];
  return (
    <dl class="totals">
      {rows.map(([name, amount]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class="number">{money(amount, currency)}</dd>
        </div>
      ))}
    </dl>
  );
}
