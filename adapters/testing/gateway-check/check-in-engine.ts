import {
  type Account,
  BillingError,
  type GatewayResult,
  type PaymentGateway,
  type PaymentResult,
  type SecretHasher,
  type TenantBilling,
} from '../../../lib/index.ts';
import type { Plain } from '../../../lib/values/host-values/index.ts';
import { Billing } from '../../node/billwright.ts';
import { type FakeClock, fakeClock } from '../doubles.ts';
import type { GatewayCaller } from './gateway-caller.ts';

interface Opened {
  readonly acme: TenantBilling;
  readonly account: Plain<Account>;
  readonly caller: GatewayCaller;
  readonly clock: FakeClock;
  readonly billing: Billing;
}

/** Runs every operation of the gateway through an engine with its own database. */
export async function checkInEngine(caller: GatewayCaller): Promise<void> {
  await inEngine(caller, caller.gateway, checkFlows);
  if (caller.gateway.capabilities?.sideEffectFree !== true) {
    await inEngine(caller, losingAnswers(caller.gateway), checkRecovery);
  }
}

async function checkFlows({ acme, account, caller }: Opened): Promise<void> {
  const { gateway, amount, currency } = caller;
  const part = { amount: amount.div(2), currency };
  const all = { accountId: account.id, amount, currency };
  const properties = caller.options.properties ?? [];
  const { payments } = acme;
  const step = stepsOf(caller);
  const purchased = await step('purchase', payments.purchase({ ...all, properties }));
  if (purchased !== null && gateway.refund !== undefined)
    await step('refund', payments.refund({ ...part, paymentId: purchased.payment.id, properties }));
  if (gateway.credit !== undefined) await step('credit', payments.credit({ ...all, properties }));
  if (gateway.authorize === undefined) return;
  const promised = await step('authorize', payments.authorize({ ...all, properties }));
  if (promised !== null && gateway.capture !== undefined)
    await step('capture', payments.capture({ ...part, paymentId: promised.payment.id, properties }));
  if (gateway.void === undefined) return;
  const other = await step('authorize', payments.authorize({ ...all, properties }));
  if (other !== null) await step('void', payments.void({ paymentId: other.payment.id, properties }));
}

/** Returns the result of an operation in the engine. If the operation fails, returns null and adds a finding. */
function stepsOf(caller: GatewayCaller) {
  return async (member: string, work: Promise<Plain<PaymentResult>>) => {
    try {
      const result = await work;
      const { status, gatewayErrorMsg } = result.transaction;
      if (status === 'SUCCESS') return result;
      const why = gatewayErrorMsg === null ? '' : `: ${gatewayErrorMsg}`;
      if (status !== 'PENDING') caller.wrong(`Called by the engine, ${member} ends in ${status}${why}`);
    } catch (error) {
      if (!(error instanceof BillingError)) throw error;
      caller.wrong(`Called by the engine, ${member} fails with ${error.code}: ${error.message}`);
    }
    return null;
  };
}

/** Makes a purchase whose response is lost. Recovery must then read the outcome from the gateway (payments §7). */
async function checkRecovery({ acme, account, caller, clock, billing }: Opened): Promise<void> {
  const { amount, currency } = caller;
  const properties = caller.options.properties ?? [];
  const externalKey = 'answer-lost';
  const input = { accountId: account.id, amount, currency, properties, externalKey };
  const failed = await acme.payments.purchase(input).then(
    () => false,
    (error: unknown) => error instanceof BillingError,
  );
  if (!failed) return;
  clock.advance({ hours: 1 });
  await billing.settle();
  const [transaction] = (await acme.payments.getByKey(externalKey)).transactions;
  if (transaction?.status === 'SUCCESS' || transaction?.status === 'PENDING') return;
  caller.wrong(
    `After the response to purchase is lost, recovery ends in ${transaction?.status ?? 'nothing'}: getPaymentInfo must return the outcome`,
  );
}

async function inEngine(
  caller: GatewayCaller,
  gateway: PaymentGateway,
  work: (engine: Opened) => Promise<void>,
): Promise<void> {
  const clock = fakeClock('2024-01-31T12:00:00Z');
  const billing = await Billing.open({
    storage: await caller.options.storage(),
    clock,
    gateways: [gateway],
    logger: SILENT,
    hasher: PLAIN,
    configuration: { 'org.service.payment.plugin.timeout': `${caller.timeLimitMs}ms` },
  });
  try {
    const user = 'gateway-check';
    const tenant = await billing.tenants.create({ userName: user }, { apiKey: user, apiSecret: user });
    const acme = billing.as({ tenant: tenant.id, user });
    const account = await acme.createAccount({ name: 'Gateway check', currency: caller.currency });
    if (!(await hasMethod({ acme, account, caller }))) return;
    await work({ acme, account, caller, clock, billing });
  } finally {
    await billing.close();
  }
}

async function hasMethod({
  acme,
  account,
  caller,
}: Pick<Opened, 'acme' | 'account' | 'caller'>): Promise<boolean> {
  const { gateway, options } = caller;
  try {
    await acme.addPaymentMethod({
      accountId: account.id,
      pluginName: gateway.name,
      isDefault: true,
      details: options.paymentMethod ?? {},
    });
    return true;
  } catch (error) {
    if (!(error instanceof BillingError)) throw error;
    caller.wrong(`The engine cannot add a payment method: ${error.message}`);
    return false;
  }
}

/** Returns a gateway whose purchases take effect but whose responses are lost. */
function losingAnswers(gateway: PaymentGateway): PaymentGateway {
  const purchase: PaymentGateway['purchase'] = async (request, context): Promise<GatewayResult> => {
    await gateway.purchase(request, context);
    throw new Error('the response was lost');
  };
  return new Proxy(gateway, {
    get(target, property) {
      if (property === 'purchase') return purchase;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** A hasher without protection. It is sufficient for the check, because nobody logs in. */
const PLAIN: SecretHasher = {
  hash: async (secret) => secret,
  verify: async (secret, stored) => secret === stored,
  isWeaker: () => false,
};

const quiet = (): void => undefined;
const SILENT = { debug: quiet, info: quiet, warn: quiet, error: quiet };
