import type { ComponentChildren } from 'preact';
import { api, may, money } from '../../core/index.ts';
import { Action, type Field, textOf, type Values } from '../../parts/index.ts';
import { texts } from '../../texts.ts';
import {
  type Account,
  adjustableItems,
  type Decimal,
  type Invoice,
  type InvoiceItem,
  itemName,
  methodName,
  type Payment,
  type PaymentMethod,
  refundable,
} from '../invoices/data.ts';
import { amountIn, checkOutcome } from './outcome.ts';

const t = texts.giveBack;

/** What money can be given back of. The invoice is null for a payment without an invoice. */
interface GiveBackFacts {
  readonly account: Account;
  readonly invoice: Invoice | null;
  readonly payments: readonly Payment[];
  readonly methods: readonly PaymentMethod[];
}

interface GiveBackProps {
  readonly facts: GiveBackFacts;
  readonly label?: string;
  readonly initial?: Values;
  readonly isPrimary?: boolean;
}

/** The action that gives a customer money back: as a refund, as a lower invoice or as credit. */
export function GiveBack({ facts, label = t.title, initial, isPrimary }: GiveBackProps) {
  const kinds = possibleKinds(facts);
  const [first] = kinds;
  if (first === undefined) return null;
  const values: Values = {
    kind: first,
    settle: adjustable(facts).length > 0 ? 'adjust' : 'owe',
    payment: refundablePayments(facts)[0]?.id ?? '',
    item: adjustable(facts)[0]?.id ?? '',
    ...initial,
  };
  return (
    <Action
      label={label}
      explanation={<Differences kinds={kinds} />}
      fields={(given) => fieldsOf(facts, kinds, given)}
      initial={values}
      preview={(given) => effectsOf(facts, given)}
      run={(given) => giveBack(facts, given)}
      done={t.done}
      confirm={t.confirm}
      {...(isPrimary && { isPrimary })}
    />
  );
}

type Kind = 'refund' | 'adjust' | 'credit';

function possibleKinds(facts: GiveBackFacts): readonly Kind[] {
  const possible: readonly (readonly [Kind, boolean])[] = [
    ['refund', may('payment:refund') && refundablePayments(facts).length > 0],
    ['adjust', may('invoice:item_adjust') && adjustable(facts).length > 0],
    ['credit', may('account:credit')],
  ];
  return possible.filter(([, isPossible]) => isPossible).map(([kind]) => kind);
}

function refundablePayments({ payments }: GiveBackFacts): readonly Payment[] {
  return payments.filter((payment) => refundable(payment).greaterThan(0));
}

function adjustable({ invoice }: GiveBackFacts): readonly InvoiceItem[] {
  return invoice === null || invoice.status === 'VOID' ? [] : adjustableItems(invoice);
}

function Differences({ kinds }: { readonly kinds: readonly Kind[] }) {
  return (
    <ul>
      {kinds.map((kind) => (
        <li key={kind}>
          <b>{t.kinds[kind]}:</b> {t.differences[kind]}
        </li>
      ))}
    </ul>
  );
}

function fieldsOf(facts: GiveBackFacts, kinds: readonly Kind[], values: Values): readonly Field[] {
  const { methods } = facts;
  const payments = refundablePayments(facts).map((payment) => {
    const method = methods.find(({ id }) => id === payment.paymentMethodId);
    const rest = money(refundable(payment), payment.totals.currency);
    return [payment.id, t.payment(payment.paymentNumber, rest, method && methodName(method))] as const;
  });
  const items = adjustable(facts).map(
    (item) => [item.id, t.item(itemName(item), money(item.repairable, item.currency))] as const,
  );
  const isRefund = values.kind === 'refund';
  const settles: Field = {
    name: 'settle',
    label: t.settle,
    kind: 'select',
    options: [
      ['adjust', t.settleAdjust],
      ['owe', t.settleOwe],
    ],
  };
  const isOfItem = values.kind === 'adjust' || (isRefund && values.settle === 'adjust');
  const fields: readonly (Field | false)[] = [
    { name: 'kind', label: t.kind, kind: 'select', options: kinds.map((kind) => [kind, t.kinds[kind]]) },
    { name: 'amount', label: t.amount(currencyOf(facts, values)), kind: 'amount', isRequired: true },
    isRefund &&
      payments.length > 1 && { name: 'payment', label: t.ofPayment, kind: 'select', options: payments },
    isRefund && items.length > 0 && settles,
    isOfItem && items.length > 0 && { name: 'item', label: t.ofItem, kind: 'select', options: items },
    { name: 'description', label: t.description, help: t.descriptionHelp },
  ];
  return fields.filter((field) => field !== false);
}

function currencyOf(facts: GiveBackFacts, values: Values): string {
  const payment = values.kind === 'refund' ? chosenPayment(facts, values) : undefined;
  return payment?.totals.currency ?? facts.invoice?.currency ?? facts.account.currency ?? '';
}

function chosenPayment(facts: GiveBackFacts, values: Values): Payment | undefined {
  return facts.payments.find(({ id }) => id === values.payment);
}

function chosenItem(facts: GiveBackFacts, values: Values): InvoiceItem | undefined {
  return facts.invoice?.items.find(({ id }) => id === values.item);
}

/** Returns true if the line has a tax that falls with it. The API then adds the tax to the amount of the refund. */
function hasTax({ invoice }: GiveBackFacts, item: InvoiceItem): boolean {
  return (invoice?.items ?? []).some(
    ({ itemType, linkedItemId, taxRate }) =>
      itemType === 'TAX' && linkedItemId === item.id && taxRate !== null,
  );
}

/** Returns the effects in sentences. */
async function effectsOf(facts: GiveBackFacts, values: Values): Promise<ComponentChildren> {
  const amount = amountIn(values);
  if (amount === null) return t.enterAmount;
  const sentences = await sentencesOf(facts, values, amount);
  return (
    <ul>
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}

async function sentencesOf(facts: GiveBackFacts, values: Values, amount: string): Promise<readonly string[]> {
  const currency = currencyOf(facts, values);
  const item = chosenItem(facts, values);
  const shown = money(amount, currency);
  if (values.kind === 'credit') {
    const balances = await api().accounts.balances([facts.account.id]);
    const credit = balances.get(facts.account.id)?.accountCBA;
    const owes = facts.invoice?.balance.greaterThan(0) === true;
    return [
      t.creditRises(money(credit, currency), money(credit?.plus(amount), currency)),
      owes ? t.creditPaysThis : t.creditPaysNext,
      t.noMoney,
    ];
  }
  if (values.kind === 'adjust') {
    return [...lineFalls(facts, item, amount), ...balanceFalls(facts, amount), t.noMoney];
  }
  const payment = chosenPayment(facts, values);
  const method = facts.methods.find(({ id }) => id === payment?.paymentMethodId);
  const moneyBack = t.moneyBack(shown, method && methodName(method));
  if (values.settle === 'adjust' && item !== undefined) {
    return [moneyBack, ...lineFalls(facts, item, amount), t.staysSettled];
  }
  const { invoice } = facts;
  if (invoice === null) return [moneyBack];
  const after = invoice.balance.plus(amount);
  return [moneyBack, t.owesAgain(money(invoice.balance, currency), money(after, currency))];
}

function lineFalls(facts: GiveBackFacts, item: InvoiceItem | undefined, amount: string): readonly string[] {
  if (item === undefined) return [];
  const rest = item.repairable.minus(amount);
  if (rest.isNegative()) return [t.tooMuch(itemName(item), money(item.repairable, item.currency))];
  const falls = t.lineFalls(
    itemName(item),
    money(item.repairable, item.currency),
    money(rest, item.currency),
  );
  return hasTax(facts, item) ? [falls, t.taxFalls] : [falls];
}

function balanceFalls({ invoice }: GiveBackFacts, amount: string): readonly string[] {
  if (invoice === null) return [];
  const show = (value: Decimal) => money(value, invoice.currency);
  const after = invoice.balance.minus(amount);
  if (!after.isNegative()) return [t.owesLess(show(invoice.balance), show(after))];
  return [t.becomesCredit(show(after.abs()))];
}

async function giveBack(facts: GiveBackFacts, values: Values): Promise<void> {
  const { account, invoice } = facts;
  const amount = textOf(values, 'amount') ?? '';
  const description = textOf(values, 'description') ?? null;
  const item = chosenItem(facts, values);
  if (values.kind === 'credit') {
    await api().invoices.addCredits({
      accountId: account.id,
      autoCommit: true,
      items: [{ amount, description }],
    });
  } else if (values.kind === 'adjust') {
    if (invoice === null || item === undefined) return;
    await api().invoices.adjustItem({
      accountId: account.id,
      invoiceId: invoice.id,
      invoiceItemId: item.id,
      amount,
      description,
    });
  } else await refund(facts, values, { amount, description });
}

async function refund(
  facts: GiveBackFacts,
  values: Values,
  given: { readonly amount: string; readonly description: string | null },
) {
  const { amount, description } = given;
  const payment = chosenPayment(facts, values);
  if (payment === undefined) return;
  const paymentId = payment.id;
  if (payment.targetInvoiceId === null) {
    checkOutcome(await api().payments.refund({ paymentId, amount }));
    return;
  }
  const item = values.settle === 'adjust' ? chosenItem(facts, values) : undefined;
  const adjustments = item === undefined ? [] : [{ invoiceItemId: item.id, amount, description }];
  const isSumOfItems = item !== undefined && hasTax(facts, item);
  const result = await api().invoicePayments.refund({
    paymentId,
    ...(!isSumOfItems && { amount }),
    isAdjusted: item !== undefined,
    adjustments,
  });
  checkOutcome(result);
}
