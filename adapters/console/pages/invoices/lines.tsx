import { useState } from 'preact/hooks';
import { api, type InvoiceItem } from '../../core/data.ts';
import { label, money, periodText, quantity } from '../../core/format.ts';
import { href } from '../../core/location.ts';
import { Load, Section } from '../../parts/layout.tsx';
import { itemName } from '../../parts/outlook.tsx';
import { ListPages } from '../../parts/table.tsx';
import { Facts, Sentences } from '../../parts/values.tsx';
import { texts } from '../../texts.ts';
import { type InvoiceFacts, paymentsOf, sumOf } from './data.tsx';

const t = texts.invoices;

/** The lines of an invoice. Each opens to show where its amount comes from. The totals follow. */
export function Lines(facts: InvoiceFacts) {
  return (
    <Section name="lines" title={t.why}>
      <p class="quiet-text">{t.openLine}</p>
      <ListPages rows={inOrder(facts.invoice.items)} pageParameter="line">
        {(shown) => (
          <div class="lines">
            {shown.map((item) => (
              <Line key={item.id} item={item} {...facts} />
            ))}
          </div>
        )}
      </ListPages>
      <Totals {...facts} />
    </Section>
  );
}

/** Returns each charge with its taxes and adjustments after it, then the other lines. */
function inOrder(items: readonly InvoiceItem[]): readonly InvoiceItem[] {
  return items
    .filter((item) => !isLinked(item, items))
    .flatMap((item) => [item, ...items.filter(({ linkedItemId }) => linkedItemId === item.id)]);
}

function isLinked({ linkedItemId }: InvoiceItem, items: readonly InvoiceItem[]): boolean {
  return items.some(({ id }) => id === linkedItemId);
}

type LineProps = InvoiceFacts & { readonly item: InvoiceItem };

function Line(props: LineProps) {
  const { item, invoice } = props;
  const [wasOpened, setOpened] = useState(false);
  return (
    <details
      class={isLinked(item, invoice.items) ? 'line linked' : 'line'}
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
  const { startDate, endDate, unitPrice, currency, taxRate, discounts } = item;
  const hasPrice = item.quantity !== null && !item.quantity.equals(1) && unitPrice !== null;
  return [
    label(item.itemType),
    startDate && periodText(startDate, endDate),
    hasPrice && `${quantity(item.quantity)} × ${money(unitPrice, currency)}`,
    taxRate && `${quantity(taxRate)} %`,
    ...(discounts ?? []).map(({ name, code, amount }) => t.discount(name || code, money(amount, currency))),
  ]
    .filter(Boolean)
    .join(' · ');
}

/** The explanation of a line, and what can be done with it. */
function OpenLine({ item }: LineProps) {
  const { subscriptionId, itemType, itemDetails, childItems } = item;
  return (
    <div class="line-content">
      <Load from={() => api().invoices.explain(item.id)}>{({ text }) => <p>{text}</p>}</Load>
      {itemType !== 'USAGE' && itemDetails !== null && <p class="quiet-text">{itemDetails}</p>}
      {childItems !== null && (
        <Sentences
          of={childItems.map((child) => (
            <>
              <a href={href('/invoices', child.invoiceId)}>{itemName(child)}</a>: {lineDetail(child)},{' '}
              {money(child.amount, child.currency)}
            </>
          ))}
        />
      )}
      {subscriptionId !== null && (
        <a href={href('/subscriptions', subscriptionId)}>{label('showTheSubscription')}</a>
      )}
    </div>
  );
}

function Totals({ invoice }: InvoiceFacts) {
  const { items, currency, balance, rawBalance, isWrittenOff } = invoice;
  return (
    <Facts
      of={{
        totalOfAllLines: money(sumOf(items, balance), currency),
        paymentsLessRefunds: money(paymentsOf(invoice).times(-1), currency),
        writtenOff: isWrittenOff ? money(rawBalance.times(-1), currency) : null,
        balance: money(balance, currency),
      }}
    />
  );
}
