import { loadAccount, lockAccount } from '../../accounts/index.ts';
import type { PaymentGateway } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import type { CallContext, PaymentMethod } from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import { ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { CallPorts } from '../calls/gateway-calls.ts';
import { type ReservedPayment, UnpaidInvoicePayments } from '../collect/unpaid-invoice-payments.ts';
import { callGateway } from '../gateways/call-gateway.ts';
import type { GatewayReply } from '../state/gateway-reply.ts';
import type { PaymentConfigOf } from '../state/payment-config.ts';
import { checkExternalKey } from './external-key.ts';
import { noSuchPlugin } from './no-such-plugin.ts';
import { gatewayFailed } from './payment-method-errors.ts';
import type { PaymentMethodInput, PaymentMethodView, SetDefaultInput } from './payment-method-operations.ts';
import { checkAddable, freeKey, makeDefault, methodOfAccount, storeMethod } from './stored-methods.ts';

/** A method that is being added: its id is ours, and the gateway is told first. */
interface Addition {
  readonly context: CallContext;
  readonly gateway: PaymentGateway;
  readonly input: PaymentMethodInput;
  readonly id: Uuid;
  /** `payment.plugin.timeout`. */
  readonly timeoutMs: number;
}

/** Changes of the payment methods of accounts (§10.1, §10.4). */
export class PaymentMethodService {
  readonly #ports: CallPorts;
  readonly #configOf: PaymentConfigOf;
  readonly #unpaid: UnpaidInvoicePayments;

  constructor(ports: CallPorts, configOf: PaymentConfigOf) {
    this.#ports = ports;
    this.#configOf = configOf;
    this.#unpaid = new UnpaidInvoicePayments(ports, configOf);
  }

  /** Resolves once no late answer is being recorded any more. */
  idle(): Promise<void> {
    return this.#unpaid.idle();
  }

  async add(context: CallContext, input: PaymentMethodInput): Promise<PaymentMethodView> {
    const gateway = this.#gatewayNamed(input.pluginName);
    const givenKey = checkExternalKey(input.externalKey ?? null);
    const { pluginTimeoutMs: timeoutMs } = await this.#ports.storage.read(context.tenant, async (session) => {
      await checkAddable(session, input, givenKey);
      return this.#configOf(session);
    });
    const addition: Addition = { context, gateway, input, id: this.#ports.ids.next(), timeoutMs };
    await this.#tellGateway(addition);
    const gatewayKey = givenKey === null ? await this.#gatewayKey(addition) : null;
    const { method, charges } = await this.#ports.storage.write(
      context.tenant,
      authorshipOf(context),
      async (session) => {
        const externalKey = givenKey ?? (await freeKey(session, gatewayKey)) ?? addition.id;
        const stored = await storeMethod(session, addition, externalKey);
        const charges = input.payAllUnpaidInvoices ? await this.#reserveAll(session, context, stored) : [];
        return { method: stored, charges };
      },
    );
    await this.#unpaid.make(context, charges);
    return { ...method, isDefault: input.isDefault === true, pluginInfo: null };
  }

  async setDefault(context: CallContext, options: SetDefaultInput): Promise<void> {
    const { accountId, paymentMethodId } = options;
    const { storage } = this.#ports;
    const { method, timeoutMs } = await storage.read(context.tenant, async (session) => {
      await loadAccount(session, accountId);
      return {
        method: await methodOfAccount(session, accountId, paymentMethodId),
        timeoutMs: (await this.#configOf(session)).pluginTimeoutMs,
      };
    });
    const gateway = this.#gatewayNamed(method.pluginName);
    const request = { accountId, paymentMethodId, properties: options.properties ?? [] };
    const reply = await this.#call(timeoutMs, async () =>
      gateway.setDefaultPaymentMethod?.(request, gatewayContext(context)),
    );
    if (reply.kind !== 'VALUE')
      throw gatewayFailed(ErrorCode.PAYMENT_UPD_PAYMENT_METHOD, method.pluginName, reply);
    const charges = await storage.write(context.tenant, authorshipOf(context), async (session) => {
      const account = await lockAccount(session, accountId);
      const chosen = await methodOfAccount(session, accountId, paymentMethodId);
      await makeDefault(session, account, paymentMethodId);
      return options.payAllUnpaidInvoices ? this.#reserveAll(session, context, chosen) : [];
    });
    await this.#unpaid.make(context, charges);
  }

  async #reserveAll(
    session: WriteSession,
    context: CallContext,
    method: Pick<PaymentMethod, 'id' | 'accountId'>,
  ): Promise<readonly ReservedPayment[]> {
    const account = await loadAccount(session, method.accountId);
    return this.#unpaid.reserve(session, { context, account, paymentMethodId: method.id });
  }

  #gatewayNamed(pluginName: string): PaymentGateway {
    const gateway = this.#ports.gateways.get(pluginName);
    if (gateway) return gateway;
    throw noSuchPlugin(pluginName, this.#ports.gateways);
  }

  async #tellGateway({ context, gateway, input, id: paymentMethodId, timeoutMs }: Addition): Promise<void> {
    const request = {
      accountId: input.accountId,
      paymentMethodId,
      details: {
        externalPaymentMethodId: input.details?.externalPaymentMethodId ?? null,
        isDefaultPaymentMethod: input.isDefault === true,
        properties: input.details?.properties ?? [],
      },
      setDefault: input.isDefault === true,
      properties: input.properties ?? [],
    };
    const reply = await this.#call(timeoutMs, async () =>
      gateway.addPaymentMethod?.(request, gatewayContext(context)),
    );
    if (reply.kind !== 'VALUE')
      throw gatewayFailed(ErrorCode.PAYMENT_ADD_PAYMENT_METHOD, gateway.name, reply);
  }

  /** The gateway's own id of the method; null if the gateway cannot say. */
  async #gatewayKey({
    context,
    gateway,
    input,
    id: paymentMethodId,
    timeoutMs,
  }: Addition): Promise<string | null> {
    const request = { accountId: input.accountId, paymentMethodId, properties: input.properties ?? [] };
    const reply = await this.#call(timeoutMs, async () =>
      gateway.getPaymentMethodDetail?.(request, gatewayContext(context)),
    );
    if (reply.kind === 'VALUE') return checkExternalKey(reply.value?.externalPaymentMethodId || null);
    const facts = { pluginName: gateway.name, paymentMethodId, reply: reply.kind };
    this.#ports.logger.warn(facts, 'the gateway gave no detail of a new payment method; its key is its id');
    return null;
  }

  async #call<T>(timeoutMs: number, call: () => Promise<T>): Promise<GatewayReply<T>> {
    const limits = { timeoutMs, systemClock: this.#ports.systemClock };
    return (await callGateway(call, limits)).reply;
  }
}

function gatewayContext(context: CallContext) {
  const { userName, userToken } = context;
  return { tenantId: context.tenant.id, userName, userToken, now: context.createdDate };
}
