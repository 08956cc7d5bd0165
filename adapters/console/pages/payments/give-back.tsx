import { type Account, api, type Invoice, may, type Payment, type PaymentMethod } from '../../core/data.ts';
import { money } from '../../core/format.ts';
import { Action } from '../../parts/action.tsx';
import { amountField, type Entered, type Fields } from '../../parts/form.tsx';
import { itemName } from '../../parts/outlook.tsx';
import { Sentences } from '../../parts/values.tsx';
import { texts } from '../../texts.ts';
import { adjustableItems, numberOf } from '../invoices/data.tsx';
import { checkOutcome, methodName, refundable } from './data.tsx';

const t = texts.giveBack;

/**
 * The invoices and payments of an account from which money can be returned. Invoices without a payment and payments
 * without an invoice occur.
 */
interface GiveBackFacts {
  readonly account: Account;
  readonly invoices: readonly Invoice[];
  readonly payments: readonly Payment[];
  readonly methods: readonly PaymentMethod[];
}

/** The action that gives a customer money back: as a refund, as a lower invoice or as credit. */
export function GiveBack({ facts }: { readonly facts: GiveBackFacts }) {
  const isHidden = kindsOf(facts).length === 0;
  return <Action {...giveBackAction} load={async () => facts} isHidden={isHidden} isPrimary />;
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
  const isHidden = !may('account:credit') && !may('payment:refund');
  return <Action {...giveBackAction} load={load} isHidden={isHidden} isPrimary />;
}

const giveBackAction = {
  name: 'refundOrCredit',
  fields: fieldsOf,
  preview: async (values: Given, facts: GiveBackFacts) => <Sentences of={await effectsOf(values, facts)} />,
  run: giveBack,
};

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

/** The item of a refund after which the customer owes the amount again. */
const NO_ITEM = 'none';

/** Returns what the user chose, with the first possible choice for each field that they left. */
function choiceOf(facts: GiveBackFacts, entered: Entered) {
  const kind = chooseOption(kindsOf(facts), (each) => each === entered.kind);
  const isRefund = kind === 'refund';
  const payment = isRefund
    ? chooseOption(refundablePayments(facts), ({ id }) => id === entered.payment)
    : undefined;
  const invoices = isRefund
    ? facts.invoices.filter(({ id }) => id === payment?.targetInvoiceId)
    : facts.invoices;
  const items = kind === 'credit' ? [] : invoices.flatMap(adjustableItems);
  const item =
    isRefund && entered.item === NO_ITEM ? undefined : chooseOption(items, ({ id }) => id === entered.item);
  const invoice = chooseOption(invoices, ({ id }) => id === item?.invoiceId);
  // The tax of a line falls with it. The API then adds the tax to the amount of the refund.
  const hasTax = invoice?.items.some(
    ({ itemType, linkedItemId, taxRate }) =>
      itemType === 'TAX' && linkedItemId === item?.id && taxRate !== null,
  );
  const currency = payment?.totals.currency ?? invoice?.currency ?? facts.account.currency ?? '';
  return { kind, payment, items, item, invoice, hasTax, currency };
}

function chooseOption<T>(options: readonly T[], isChosen: (option: T) => boolean): T | undefined {
  return options.find(isChosen) ?? options[0];
}

function fieldsOf(facts: GiveBackFacts, entered: Entered) {
  const { kind, items, currency } = choiceOf(facts, entered);
  const payments = refundablePayments(facts).map((payment) => {
    const rest = money(refundable(payment), payment.totals.currency);
    return [payment.id, t.payment(payment.paymentNumber, rest, methodOf(facts, payment))] as const;
  });
  const lines = items.map((each) => {
    const invoice = facts.invoices.find(({ id }) => id === each.invoiceId);
    const rest = money(each.repairable, each.currency);
    return [each.id, t.item(itemName(each), rest, invoice ? numberOf(invoice) : '')] as const;
  });
  const noLine = kind === 'refund' ? [[NO_ITEM, t.owe] as const] : [];
  return {
    kind: {
      kind: 'select',
      label: t.kind,
      options: kindsOf(facts).map((each) => [each, t.kinds[each]] as const),
    },
    amount: amountField(currency),
    payment: kind === 'refund' && { kind: 'select', options: payments },
    item: items.length > 0 && { kind: 'select', label: t.ofItem, options: [...lines, ...noLine] },
    description: { help: texts.account.descriptionHelp },
  } satisfies Fields;
}

function methodOf({ methods }: GiveBackFacts, payment: Payment | undefined): string | undefined {
  const method = methods.find(({ id }) => id === payment?.paymentMethodId);
  return method && methodName(method);
}

interface Given extends Entered {
  readonly amount: string;
  readonly description: string | null;
}

async function effectsOf(values: Given, facts: GiveBackFacts): Promise<readonly string[]> {
  const { amount } = values;
  const { kind, payment, invoice, item, hasTax, currency } = choiceOf(facts, values);
  const balance = money(invoice?.balance, currency);
  const after = (change: string) => money(invoice?.balance.plus(change), currency);
  if (kind === 'credit') {
    const balances = await api().accounts.balances([facts.account.id]);
    const credit = balances.get(facts.account.id)?.accountCBA;
    return [t.creditRises(money(credit, currency), money(credit?.plus(amount), currency)), t.creditPays];
  }
  const rest = (change: string) => money(item?.repairable.minus(change), currency);
  if (item?.repairable.lessThan(amount)) return [t.tooMuch(itemName(item), rest('0'))];
  const lineFalls = item === undefined ? [] : [t.lineFalls(itemName(item), rest('0'), rest(amount))];
  const effects = hasTax ? [...lineFalls, t.taxFalls] : lineFalls;
  if (kind === 'adjust') {
    const owes = invoice?.balance.greaterThanOrEqualTo(amount);
    return [...effects, owes ? t.owesLess(balance, after(`-${amount}`)) : t.becomesCredit];
  }
  const moneyBack = t.moneyBack(money(amount, currency), methodOf(facts, payment));
  if (item !== undefined) return [moneyBack, ...effects, t.staysSettled];
  return invoice === undefined ? [moneyBack] : [moneyBack, t.owesAgain(balance, after(amount))];
}

async function giveBack({ amount, description, ...entered }: Given, facts: GiveBackFacts): Promise<void> {
  const { invoices, invoicePayments, payments } = api();
  const { kind, payment, item, hasTax } = choiceOf(facts, entered);
  const accountId = facts.account.id;
  const given = { amount, description };
  if (kind === 'credit') {
    await invoices.addCredits({ accountId, autoCommit: true, items: [given] });
  } else if (kind === 'adjust' && item !== undefined) {
    await invoices.adjustItem({ accountId, invoiceId: item.invoiceId, invoiceItemId: item.id, ...given });
  } else if (payment?.targetInvoiceId === null) {
    checkOutcome(await payments.refund({ paymentId: payment.id, amount }));
  } else if (payment !== undefined) {
    const adjustments = item === undefined ? [] : [{ invoiceItemId: item.id, ...given }];
    const request = { paymentId: payment.id, isAdjusted: item !== undefined, adjustments };
    checkOutcome(await invoicePayments.refund({ ...request, ...(!hasTax && { amount }) }));
  }
}
