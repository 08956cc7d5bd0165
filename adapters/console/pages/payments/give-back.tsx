import type { ComponentChildren } from 'preact';
import {
  type Account,
  api,
  type Decimal,
  type Invoice,
  type InvoiceItem,
  may,
  type Payment,
  type PaymentMethod,
} from '../../core/data.ts';
import { label, money } from '../../core/format.ts';
import { Action } from '../../parts/action.tsx';
import { amountField, type Entered, type Fields } from '../../parts/form.tsx';
import { Sentences } from '../../parts/layout.tsx';
import { itemName } from '../../parts/preview.tsx';
import { texts } from '../../texts.ts';
import { adjustableItems, numberOf } from '../invoices/data.tsx';
import { checkOutcome, isAmount, methodName, refundable } from './data.tsx';

const t = texts.giveBack;

/** What money can be given back of. Invoices without a payment and payments without an invoice occur. */
interface GiveBackFacts {
  readonly account: Account;
  readonly invoices: readonly Invoice[];
  readonly payments: readonly Payment[];
  readonly methods: readonly PaymentMethod[];
}

interface GiveBackProps {
  readonly facts: GiveBackFacts;
  /** Default: `refundOrCredit`. */
  readonly name?: string;
  readonly initial?: Entered;
  readonly isPrimary?: boolean;
}

/** The action that gives a customer money back: as a refund, as a lower invoice or as credit. */
export function GiveBack({ facts, ...props }: GiveBackProps) {
  return kindsOf(facts).length > 0 && <Action {...giveBackAction} load={async () => facts} {...props} />;
}

const NEWEST_PAYMENTS = 5;

/** The same action for an account: refunds its newest payments, lowers their invoices, or gives credit. */
export function GiveBackOnAccount({ account }: { readonly account: Account }) {
  const load = async (): Promise<GiveBackFacts> => {
    const newest = { offset: 0, limit: -NEWEST_PAYMENTS };
    const [{ rows }, methods] = await Promise.all([
      api().payments.search(`_q=1&account_id[eq]=${account.id}`, newest),
      api().paymentMethods.ofAccount(account.id),
    ]);
    const payments = await Promise.all(rows.map(({ id }) => api().payments.invoicePayment(id)));
    const invoiceIds = new Set(payments.flatMap(({ targetInvoiceId }) => targetInvoiceId ?? []));
    const invoices = await Promise.all([...invoiceIds].map((id) => api().invoices.get(id)));
    return { account, payments, methods, invoices };
  };
  return (
    (may('account:credit') || may('payment:refund')) && <Action {...giveBackAction} load={load} isPrimary />
  );
}

const giveBackAction = {
  name: 'refundOrCredit',
  fields: fieldsOf,
  preview: effectsOf,
  run: giveBack,
  confirm: label('confirm'),
} as const;

type Kind = 'refund' | 'adjust' | 'credit';

function kindsOf(facts: GiveBackFacts): readonly Kind[] {
  const possible: readonly (readonly [Kind, boolean])[] = [
    ['refund', may('payment:refund') && refundablePayments(facts).length > 0],
    ['adjust', may('invoice:item_adjust') && facts.invoices.flatMap(adjustableItems).length > 0],
    ['credit', may('account:credit')],
  ];
  return possible.filter(([, isPossible]) => isPossible).map(([kind]) => kind);
}

function refundablePayments({ payments }: GiveBackFacts): readonly Payment[] {
  return payments.filter((payment) => refundable(payment).greaterThan(0));
}

/** What the user chose, with the first possible choice for each field that they left. */
interface Choice {
  readonly kind: Kind | undefined;
  readonly payment: Payment | undefined;
  /** The lines that can be reduced. */
  readonly items: readonly InvoiceItem[];
  /** The line that is reduced. */
  readonly item: InvoiceItem | undefined;
  readonly invoice: Invoice | undefined;
  readonly currency: string;
}

function choiceOf(facts: GiveBackFacts, entered: Entered): Choice {
  const kind = chosen(kindsOf(facts), (each) => each === entered.kind);
  const payment =
    kind === 'refund' ? chosen(refundablePayments(facts), ({ id }) => id === entered.payment) : undefined;
  const invoices =
    kind === 'refund' ? facts.invoices.filter(({ id }) => id === payment?.targetInvoiceId) : facts.invoices;
  const items = invoices.flatMap(adjustableItems);
  const isReduced = kind === 'adjust' || (kind === 'refund' && entered.settle !== 'owe');
  const item = isReduced ? chosen(items, ({ id }) => id === entered.item) : undefined;
  const invoice = chosen(invoices, ({ id }) => id === item?.invoiceId);
  const currency = payment?.totals.currency ?? invoice?.currency ?? facts.account.currency ?? '';
  return { kind, payment, items, item, invoice, currency };
}

function chosen<T>(options: readonly T[], isChosen: (option: T) => boolean): T | undefined {
  return options.find(isChosen) ?? options[0];
}

function fieldsOf(facts: GiveBackFacts, entered: Entered) {
  const { kind, items, item, currency } = choiceOf(facts, entered);
  const isRefund = kind === 'refund';
  const payments = refundablePayments(facts).map((payment) => {
    const rest = money(refundable(payment), payment.totals.currency);
    return [payment.id, t.payment(payment.paymentNumber, rest, methodOf(facts, payment))] as const;
  });
  const lines = items.map((each) => {
    const invoice = facts.invoices.length > 1 && facts.invoices.find(({ id }) => id === each.invoiceId);
    const rest = money(each.repairable, each.currency);
    return [each.id, t.item(itemName(each), rest, invoice ? numberOf(invoice) : undefined)] as const;
  });
  const settles = [
    ['adjust', t.settleAdjust],
    ['owe', t.settleOwe],
  ] as const;
  return {
    kind: {
      kind: 'select',
      label: t.kind,
      options: kindsOf(facts).map((each) => [each, t.kinds[each]] as const),
      help: kind && t.differences[kind],
    },
    amount: amountField(currency),
    payment: isRefund && payments.length > 1 && { kind: 'select', label: t.ofPayment, options: payments },
    settle: isRefund && items.length > 0 && { kind: 'select', label: t.settle, options: settles },
    item: item !== undefined && { kind: 'select', label: t.ofItem, options: lines },
    description: { label: t.description, help: t.descriptionHelp },
  } satisfies Fields;
}

function methodOf({ methods }: GiveBackFacts, payment: Payment | undefined): string | undefined {
  const method = methods.find(({ id }) => id === payment?.paymentMethodId);
  return method && methodName(method);
}

/** Returns true if the line has a tax that falls with it. The API then adds the tax to the amount of the refund. */
function hasTax({ invoice, item }: Choice): boolean {
  return (invoice?.items ?? []).some(
    ({ itemType, linkedItemId, taxRate }) =>
      itemType === 'TAX' && linkedItemId === item?.id && taxRate !== null,
  );
}

interface Given {
  readonly amount: string;
  readonly description: string | null;
}

/** Returns the effects in sentences. */
async function effectsOf(values: Entered & Given, facts: GiveBackFacts): Promise<ComponentChildren> {
  if (!isAmount(values.amount)) return t.enterAmount;
  return <Sentences of={await sentencesOf(facts, values)} />;
}

async function sentencesOf(facts: GiveBackFacts, values: Entered & Given): Promise<readonly string[]> {
  const { amount } = values;
  const choice = choiceOf(facts, values);
  const { kind, payment, invoice, item, currency } = choice;
  if (kind === 'credit') {
    const balances = await api().accounts.balances([facts.account.id]);
    const credit = balances.get(facts.account.id)?.accountCBA;
    const owes = facts.invoices.some(({ balance }) => balance.greaterThan(0));
    return [
      t.creditRises(money(credit, currency), money(credit?.plus(amount), currency)),
      owes ? t.creditPaysThis : t.creditPaysNext,
      t.noMoney,
    ];
  }
  if (kind === 'adjust') return [...lineFalls(choice, amount), ...balanceFalls(invoice, amount), t.noMoney];
  const moneyBack = t.moneyBack(money(amount, currency), methodOf(facts, payment));
  if (item !== undefined) return [moneyBack, ...lineFalls(choice, amount), t.staysSettled];
  if (invoice === undefined) return [moneyBack];
  const after = invoice.balance.plus(amount);
  return [moneyBack, t.owesAgain(money(invoice.balance, currency), money(after, currency))];
}

function lineFalls(choice: Choice, amount: string): readonly string[] {
  const { item } = choice;
  if (item === undefined) return [];
  const rest = item.repairable.minus(amount);
  const before = money(item.repairable, item.currency);
  if (rest.isNegative()) return [t.tooMuch(itemName(item), before)];
  const falls = t.lineFalls(itemName(item), before, money(rest, item.currency));
  return hasTax(choice) ? [falls, t.taxFalls] : [falls];
}

function balanceFalls(invoice: Invoice | undefined, amount: string): readonly string[] {
  if (invoice === undefined) return [];
  const show = (value: Decimal) => money(value, invoice.currency);
  const after = invoice.balance.minus(amount);
  if (!after.isNegative()) return [t.owesLess(show(invoice.balance), show(after))];
  return [t.becomesCredit(show(after.abs()))];
}

async function giveBack(values: Entered & Given, facts: GiveBackFacts): Promise<void> {
  const accountId = facts.account.id;
  const choice = choiceOf(facts, values);
  const { kind, item } = choice;
  const given = { amount: values.amount, description: values.description };
  if (kind === 'credit') await api().invoices.addCredits({ accountId, autoCommit: true, items: [given] });
  else if (kind === 'refund') await refund(choice, given);
  else if (item !== undefined) {
    const { id: invoiceItemId, invoiceId } = item;
    await api().invoices.adjustItem({ accountId, invoiceId, invoiceItemId, ...given });
  }
}

async function refund(choice: Choice, given: Given): Promise<void> {
  const { payment, item } = choice;
  if (payment === undefined) return;
  const { amount } = given;
  const paymentId = payment.id;
  if (payment.targetInvoiceId === null) {
    checkOutcome(await api().payments.refund({ paymentId, amount }));
    return;
  }
  const result = await api().invoicePayments.refund({
    paymentId,
    ...(!hasTax(choice) && { amount }),
    isAdjusted: item !== undefined,
    adjustments: item === undefined ? [] : [{ invoiceItemId: item.id, ...given }],
  });
  checkOutcome(result);
}
