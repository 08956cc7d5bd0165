import type { TenantBilling, Uuid } from '../../lib/index.ts';
import { addDays, BillingError, decimal, localDateOf, SystemTag, UTC } from '../../lib/index.ts';
import type { ConfigParts } from '../support/overdue/overdue-documents.ts';
import type { OverdueLife } from './overdue-life.ts';
import type { Random } from './random.ts';

export interface DebtOperation {
  readonly name: string;
  readonly weight: number;
  readonly run: (scene: DebtScene) => Promise<unknown>;
}

export interface DebtScene {
  readonly life: OverdueLife;
  readonly random: Random;
  readonly acme: TenantBilling;
  readonly accountId: Uuid;
  readonly disputes: Map<Uuid, string>;
}

/** Configurations with one or more criteria, with and without dates, from mild to severe. */
export const CONFIGS: readonly ConfigParts[] = [
  {
    initial: 5,
    states: [
      { name: 'CANCELLED', time: 25, policy: 'IMMEDIATE', disables: true },
      { name: 'OFF', time: 12, disables: true, every: 4 },
      { name: 'WARNED', time: 5, blocksChanges: true, every: 2 },
    ],
  },
  {
    states: [
      { name: 'MANY', count: 4, disables: true, policy: 'END_OF_TERM' },
      { name: 'SOME', count: 2, blocksChanges: true, tagOut: 'PARTNER' },
      { name: 'NOTED', total: '60.50' },
    ],
  },
  {
    initial: { unit: 'WEEKS', number: 1 },
    states: [
      { name: 'OFF', time: { unit: 'MONTHS', number: 1 }, disables: true },
      { name: 'BAD_CARD', count: 1, responses: ['EXPIRED_CARD', 'OTHER'], every: 3 },
      { name: 'WARNED', time: { unit: 'WEEKS', number: 1 }, total: 20, blocksChanges: true },
    ],
  },
  {
    states: [
      { name: 'TESTED', count: 1, tagIn: 'TEST', disables: true },
      { name: 'WARNED', time: 0, tagOut: 'PARTNER', disables: true, every: 6 },
    ],
  },
  { states: [] },
];

const CHARGE_CENTS = 8_000;
const TAGS = ['TEST', 'PARTNER', 'OVERDUE_ENFORCEMENT_OFF', 'AUTO_INVOICING_OFF', 'AUTO_PAY_OFF'] as const;

const operation = (name: string, weight: number, run: DebtOperation['run']): DebtOperation => ({
  name,
  weight,
  run,
});

export const debtOperations: readonly DebtOperation[] = [
  operation('charge', 6, (scene) => charge(scene, true)),
  operation('draft', 2, (scene) => charge(scene, false)),
  operation('commit', 2, (scene) => onInvoice(scene, 'DRAFT', ({ id }) => scene.acme.invoices.commit(id))),
  operation('void', 2, (scene) => onInvoice(scene, 'COMMITTED', ({ id }) => scene.acme.invoices.void(id))),
  operation('credit', 2, ({ acme, accountId, random }) =>
    acme.invoices.addCredits({
      accountId,
      items: [{ amount: cents(random, CHARGE_CENTS) }],
      autoCommit: true,
    }),
  ),
  operation('adjust', 2, (scene) =>
    onInvoice(scene, 'COMMITTED', async ({ id: invoiceId, items }) => {
      const item = items.find(({ itemType }) => itemType === 'EXTERNAL_CHARGE' || itemType === 'RECURRING');
      if (item === undefined) return;
      const { accountId } = scene;
      const amount = scene.random.percent(50) ? null : item.amount.times(0.4).toDecimalPlaces(2);
      await scene.acme.invoices.adjustItem({ accountId, invoiceId, invoiceItemId: item.id, amount });
    }),
  ),
  operation('pay by transfer', 4, (scene) =>
    onInvoice(scene, 'COMMITTED', ({ id: invoiceId, balance }) => {
      const amount = scene.random.percent(60) ? null : balance.times(0.5).toDecimalPlaces(2);
      return scene.acme.invoicePayments.pay({ invoiceId, isExternal: true, amount });
    }),
  ),
  operation('pay by card', 3, (scene) =>
    onInvoice(scene, 'COMMITTED', ({ id: invoiceId }) => scene.acme.invoicePayments.pay({ invoiceId })),
  ),
  operation('pay all', 2, ({ acme, accountId }) =>
    acme.invoicePayments.payAll({ accountId, isExternal: true }),
  ),
  operation('refund', 2, (scene) =>
    onPayment(scene, (paymentId, amount) => scene.acme.invoicePayments.refund({ paymentId, amount })),
  ),
  operation('chargeback', 1, (scene) =>
    onPayment(scene, async (paymentId, amount) => {
      const transactionExternalKey = `dispute ${paymentId} ${scene.disputes.size}`;
      await scene.acme.invoicePayments.chargeback({ paymentId, amount, transactionExternalKey });
      scene.disputes.set(paymentId, transactionExternalKey);
    }),
  ),
  operation('end of a dispute', 1, async ({ acme, disputes, random }) => {
    const open = [...disputes];
    if (open.length === 0) return;
    const [paymentId, transactionExternalKey] = random.of(open);
    disputes.delete(paymentId);
    await acme.invoicePayments.reverseChargeback({ paymentId, transactionExternalKey });
  }),
  operation('write off, or on', 2, (scene) =>
    onInvoice(scene, 'COMMITTED', ({ id, isWrittenOff }) =>
      scene.acme.tags[isWrittenOff ? 'remove' : 'add']({ type: 'INVOICE', id }, [SystemTag.WRITTEN_OFF]),
    ),
  ),
  operation('tag', 5, tag),
  operation('run ahead', 1, ({ acme, accountId, life, random }) =>
    acme.generateInvoice({
      accountId,
      targetDate: addDays(localDateOf(life.engine.clock.now(), UTC), random.within(0, 40)),
    }),
  ),
  operation('delegation', 1, delegate),
  operation('gateway', 3, gatewayMood),
  operation('configuration', 1, ({ life, random }) => life.upload(random.of(CONFIGS))),
];

async function charge({ acme, accountId, random }: DebtScene, autoCommit: boolean): Promise<void> {
  const items = [{ amount: cents(random, CHARGE_CENTS) }];
  await acme.invoices.addCharges({ accountId, items, autoCommit });
}

async function tag({ acme, accountId, random, life }: DebtScene): Promise<void> {
  const object = { type: 'ACCOUNT', id: accountId } as const;
  const name = random.of(TAGS);
  const carried = await acme.tags.ofObject(object);
  const isCarried = carried.some(({ tagDefinitionName }) => tagDefinitionName === name);
  // A user who sets an existing tag takes ownership of it.
  const isOn = !isCarried || random.percent(25);
  await acme.tags[isOn ? 'add' : 'remove'](object, [SystemTag[name]]);
  if (name === 'AUTO_INVOICING_OFF') life.tagged(accountId, isOn);
}

/** Switches the payer of a child between itself and its parent. */
async function delegate({ acme, accountId }: DebtScene): Promise<void> {
  const { parentAccountId, isPaymentDelegatedToParent } = await acme.getAccount(accountId);
  if (parentAccountId === null) return;
  const changes = { isPaymentDelegatedToParent: !isPaymentDelegatedToParent };
  await acme.updateAccount(accountId, { changes });
}

async function gatewayMood({ life, random }: DebtScene): Promise<void> {
  life.engine.gateway.configure(
    random.percent(30)
      ? { CONFIGURE_ACTION: 'ACTION_CLEAR' }
      : {
          CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR',
          METHODS: 'purchasePayment',
          ...(random.percent(60)
            ? { PAYMENT_RESPONSE: random.of(['EXPIRED_CARD', 'INSUFFICIENT_FUNDS', 'DO_NOT_HONOR']) }
            : {}),
        },
  );
}

type FoundInvoice = Awaited<ReturnType<TenantBilling['invoices']['ofAccount']>>[number];

async function onInvoice(
  { acme, accountId, random }: DebtScene,
  status: string,
  act: (invoice: FoundInvoice) => Promise<unknown>,
): Promise<void> {
  const all = await acme.invoices.ofAccount({ accountId, withItems: true });
  const found = all.filter((invoice) => invoice.status === status && !invoice.isParentInvoice);
  const owed = found.filter(({ balance }) => balance.greaterThan(0));
  const among = owed.length > 0 && random.percent(85) ? owed : found.slice(-3);
  if (among.length > 0) await act(random.of(among));
}

async function onPayment(
  { acme, accountId, random }: DebtScene,
  act: (paymentId: Uuid, amount: string) => Promise<unknown>,
): Promise<void> {
  const payments = await acme.payments.invoicePaymentsOfAccount(accountId);
  const paid = payments.filter(({ totals }) => totals.purchasedAmount.greaterThan(totals.refundedAmount));
  if (paid.length === 0) return;
  const { id, totals } = random.of(paid);
  const left = totals.purchasedAmount.minus(totals.refundedAmount);
  await act(id, (random.percent(50) ? left : left.times(0.5).toDecimalPlaces(2)).toFixed());
}

function cents(random: Random, most: number) {
  return decimal(random.within(1, most)).dividedBy(100);
}

/** Runs one operation, chosen by weight, for one account. A rejection changes nothing. @returns its name. */
export async function actOnce(scene: DebtScene): Promise<string> {
  const total = debtOperations.reduce((sum, { weight }) => sum + weight, 0);
  let left = scene.random.next() * total;
  const operation =
    debtOperations.find(({ weight }) => {
      left -= weight;
      return left < 0;
    }) ?? debtOperations[0];
  if (operation === undefined) throw new Error('there are no operations');
  try {
    await operation.run(scene);
    return operation.name;
  } catch (error) {
    if (!(error instanceof BillingError)) throw error;
    return `${operation.name} (refused)`;
  }
}
