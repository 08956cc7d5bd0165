import { loadAccount, lockAccount, sameAuthor } from '../../accounts/index.ts';
import { SystemTag } from '../../control-tags/index.ts';
import type { PaymentGateway } from '../../ports/index.ts';
import {
  type Account,
  type CallContext,
  EXTERNAL_PAYMENT_PLUGIN,
  type PaymentMethod,
} from '../../records/index.ts';
import { authorshipOf, SharedCalls } from '../../runtime/index.ts';
import { addEngineTag } from '../../tags/index.ts';
import { assertInvariant, BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { claimedKey } from '../claims/gateway-claims.ts';
import { AccountCharges, checkPayable, type ReservedPayment } from '../machine/invoice-charges.ts';
import type { PaymentMachine, PaymentPorts } from '../machine/payment-machine.ts';
import { callGatewayOnce, notifyGateway } from '../plugins/call-gateway.ts';
import { ControlCalls, contextOfCall } from '../plugins/control-calls.ts';
import type { PaymentConfig, PaymentConfigOf } from '../state/payment-config.ts';
import { isDefaultMethod, registeredGateway } from '../state/payment-errors.ts';
import type {
  DeletePaymentMethodInput,
  PaymentMethodInput,
  PaymentMethodView,
  SetDefaultInput,
} from './payment-method-operations.ts';
import {
  type AddableMethod,
  activeMethod,
  addableMethods,
  addTogether,
  checkExternalKey,
  isKeyInUse,
  type MethodAddition,
  methodOfAccount,
  type NewMethod,
  type RequestedMethod,
  setDefaultMethods,
  storeMethods,
} from './stored-methods.ts';

/** A payment method that is being added. The gateway is called before the method is stored. */
interface Addition {
  readonly context: CallContext;
  readonly gateway: PaymentGateway;
  readonly input: PaymentMethodInput;
  readonly account: Account;
  readonly requestedKey: string | null;
  /** The new method's id. */
  readonly id: Uuid;
  readonly timeoutMs: number;
}

interface Added {
  readonly method: PaymentMethod;
  readonly charges: readonly ReservedPayment[];
}

/** Creates and changes the payment methods of accounts (§10.1, §10.4). */
export class PaymentMethodService {
  readonly #ports: PaymentPorts;
  readonly #configOf: PaymentConfigOf;
  readonly #charges: AccountCharges;
  readonly #control: ControlCalls;
  readonly #checks: SharedCalls<RequestedMethod, AddableMethod | BillingError>;
  readonly #additions: SharedCalls<MethodAddition, PaymentMethod>;

  constructor(machine: PaymentMachine) {
    const { ports, configOf } = machine;
    this.#ports = ports;
    this.#configOf = configOf;
    this.#charges = new AccountCharges(machine);
    this.#control = new ControlCalls(ports);
    this.#checks = new SharedCalls(ports.systemClock);
    this.#additions = new SharedCalls(ports.systemClock);
  }

  /** Checks the plugin. @throws BillingError PAYMENT_NO_SUCH_PAYMENT_PLUGIN (7028) if no gateway has this name. */
  checkPlugin(pluginName: string): void {
    registeredGateway(this.#ports.gateways, pluginName);
  }

  async add(context: CallContext, input: PaymentMethodInput): Promise<PaymentMethodView> {
    this.checkPlugin(input.pluginName);
    const requestedKey = checkExternalKey(input.externalKey ?? null);
    if (this.#isStoredAtOnce(input)) {
      const id = this.#ports.ids.next();
      return viewOf(await this.#storeTogether(context, input, { id, requestedKey, gatewayKey: null }), input);
    }
    const { account, config } = await this.#addable(context, input, requestedKey);
    const addition = { context, account, requestedKey, timeoutMs: config.pluginTimeoutMs };
    const { method, charges } = await this.#addWithControl(context, { input, config }, async (adjusted) => {
      const gateway = registeredGateway(this.#ports.gateways, adjusted.pluginName);
      return this.#addThroughGateway({ ...addition, gateway, input: adjusted, id: this.#ports.ids.next() });
    });
    if (input.payAllUnpaidInvoices)
      await this.#charges.payUnpaid(context, buildPayUnpaidInput(method, input, charges));
    return viewOf(method, input);
  }

  /** Returns true if no plugin is called. The checks and the write can then share one transaction. */
  #isStoredAtOnce({ pluginName, payAllUnpaidInvoices }: PaymentMethodInput) {
    return (
      pluginName === EXTERNAL_PAYMENT_PLUGIN &&
      payAllUnpaidInvoices !== true &&
      this.#ports.paymentControls.size === 0
    );
  }

  /**
   * Adds the method. Calls the control plugins before and after the addition, but creates no attempt (§10.1 rule 3).
   * @throws The errors of `prior` and `add`.
   */
  async #addWithControl(
    context: CallContext,
    { input, config }: { readonly input: PaymentMethodInput; readonly config: PaymentConfig },
    add: (input: PaymentMethodInput) => Promise<Added>,
  ) {
    const { accountId, pluginName: paymentPluginName, properties = [] } = input;
    const names = input.controlPlugins ?? config.controlPlugins;
    if (names.length === 0) return add(input);
    const { pluginTimeoutMs: timeoutMs } = config;
    const about = { paymentApiType: 'PAYMENT_METHOD', accountId, paymentPluginName } as const;
    const begun = { names, context: contextOfCall(context, about), properties };
    const run = await this.#control.prior(begun, config);
    const pluginName = run.context.paymentPluginName ?? input.pluginName;
    const addAdjustedMethod = async () => add({ ...input, pluginName, properties: run.properties });
    const added = await addAdjustedMethod().catch(async (error: unknown) => {
      await this.#control.failed(run, timeoutMs);
      throw error;
    });
    const ended = { ...run, context: { ...run.context, paymentMethodId: added.method.id } };
    await this.#control.succeeded(ended, timeoutMs);
    return added;
  }

  /** Checks the request. Simultaneous calls share one query. */
  async #addable(context: CallContext, input: PaymentMethodInput, requestedKey: string | null) {
    const { storage } = this.#ports;
    const { tenant } = context;
    const asked = { accountId: input.accountId, pluginName: input.pluginName, requestedKey };
    const found = await this.#checks.run(tenant.within ? null : tenant.id, asked, (all) =>
      storage.read(tenant, (session) => addableMethods(session, all, this.#configOf)),
    );
    if (found instanceof BillingError) throw found;
    if (input.payAllUnpaidInvoices)
      await storage.read(tenant, (session) => checkPayable(session, found.account, input.isDefault === true));
    return found;
  }

  /** Notifies the gateway, then stores the method unless the gateway rejects it. */
  async #addThroughGateway(addition: Addition) {
    const { id, requestedKey } = addition;
    await this.#notifyGateway(addition);
    const gatewayKey = requestedKey === null ? await this.#gatewayKey(addition) : null;
    const method = { id, requestedKey, gatewayKey };
    try {
      return await this.#store(addition, method);
    } catch (error) {
      // Another call has taken the gateway's key.
      // The caller did not request this key, so the method is stored without the key.
      if (gatewayKey === null || !isKeyInUse(error)) throw error;
      return this.#store(addition, { ...method, gatewayKey: null });
    }
  }

  async #store({ context, input, account }: Addition, identity: MethodIdentity) {
    if (!input.payAllUnpaidInvoices)
      return { method: await this.#storeTogether(context, input, identity), charges: [] };
    return this.#storeAndReserve(context, account.id, newMethodOf(input, identity));
  }

  /** Stores the method. Simultaneous calls by the same author share one transaction. */
  #storeTogether(context: CallContext, input: PaymentMethodInput, identity: MethodIdentity) {
    const { storage } = this.#ports;
    const { tenant, userToken, createdDate } = context;
    const method = newMethodOf(input, identity);
    const addition = { accountId: input.accountId, method, userToken, createdDate };
    const alike = tenant.within ? null : sameAuthor(context);
    return this.#additions.run(alike, addition, (additions) =>
      addTogether(storage, { tenant, authorship: authorshipOf(context) }, additions),
    );
  }

  async #storeAndReserve(context: CallContext, accountId: Uuid, method: NewMethod) {
    return this.#ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
      const account = await lockAccount(session, accountId);
      const [stored] = await storeMethods(session, [{ account, method }]);
      assertInvariant(stored, 'Storage returned no payment method for an insert', { accountId });
      const paying = { account, paymentMethodId: stored.id };
      const charges = await this.#charges.reserveUnpaid(session, context, paying);
      return { method: stored, charges };
    });
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
    const gateway = registeredGateway(this.#ports.gateways, method.pluginName);
    const request = { accountId, paymentMethodId, properties: options.properties ?? [] };
    const failsWith = ErrorCode.PAYMENT_UPD_PAYMENT_METHOD;
    const telling = { context, gateway, timeoutMs, request, failsWith };
    await notifyGateway(this.#ports, telling, async (asking, as) =>
      gateway.setDefaultPaymentMethod?.(asking, as),
    );
    const charges = await storage.write(context.tenant, authorshipOf(context), async (session) => {
      const account = await lockAccount(session, accountId);
      await methodOfAccount(session, accountId, paymentMethodId);
      await setDefaultMethods(session, [{ account, paymentMethodId }]);
      if (!options.payAllUnpaidInvoices) return [];
      return this.#charges.reserveUnpaid(session, context, { account, paymentMethodId });
    });
    if (options.payAllUnpaidInvoices)
      await this.#charges.payUnpaid(context, buildPayUnpaidInput(method, options, charges));
  }

  /** Deletes a method. Deleted methods remain readable (§10.3). */
  async delete(context: CallContext, input: DeletePaymentMethodInput): Promise<void> {
    const { paymentMethodId } = input;
    const { storage, ids, gateways } = this.#ports;
    const { accountId, gateway, timeoutMs } = await storage.read(context.tenant, async (session) => {
      const method = await activeMethod(session, paymentMethodId);
      checkDeletable(input, await loadAccount(session, method.accountId));
      const { pluginTimeoutMs: timeoutMs } = await this.#configOf(session);
      const { accountId, pluginName } = method;
      return { accountId, gateway: registeredGateway(gateways, pluginName), timeoutMs };
    });
    const request = { accountId, paymentMethodId, properties: input.properties ?? [] };
    const failsWith = ErrorCode.PAYMENT_DEL_PAYMENT_METHOD;
    const telling = { context, gateway, timeoutMs, request, failsWith };
    await notifyGateway(this.#ports, telling, async (asking, as) =>
      gateway.deletePaymentMethod?.(asking, as),
    );
    await storage.write(context.tenant, authorshipOf(context), async (session) => {
      const account = await lockAccount(session, accountId);
      const method = await activeMethod(session, paymentMethodId);
      const isDefault = checkDeletable(input, account);
      if (isDefault && input.withAutoPayOff === true) {
        await addEngineTag(session, [account], { definitionId: SystemTag.AUTO_PAY_OFF, ids });
      }
      if (isDefault) await setDefaultMethods(session, [{ account, paymentMethodId: null }]);
      await session.payments.updateMethods([{ ...method, isActive: false }]);
    });
  }

  async #notifyGateway({ context, gateway, input, id: paymentMethodId, timeoutMs }: Addition) {
    const { accountId, isDefault: setDefault = false, details, properties = [] } = input;
    const request = {
      accountId,
      paymentMethodId,
      details: {
        externalPaymentMethodId: details?.externalPaymentMethodId ?? null,
        isDefaultPaymentMethod: setDefault,
        properties: details?.properties ?? [],
      },
      setDefault,
      properties,
    };
    const failsWith = ErrorCode.PAYMENT_ADD_PAYMENT_METHOD;
    const telling = { context, gateway, timeoutMs, request, failsWith };
    await notifyGateway(this.#ports, telling, async (asking, as) => gateway.addPaymentMethod?.(asking, as));
  }

  /** Returns the id that the gateway assigned to the method, or null. */
  async #gatewayKey({ context, gateway, input, id, timeoutMs }: Addition) {
    const request = { accountId: input.accountId, paymentMethodId: id, properties: input.properties ?? [] };
    const reply = await callGatewayOnce(this.#ports, { context, timeoutMs, request }, async (asking, as) =>
      claimedKey((await gateway.getPaymentMethodDetail?.(asking, as))?.externalPaymentMethodId),
    );
    if (reply.kind === 'VALUE') return reply.value;
    const facts = { pluginName: gateway.name, paymentMethodId: id, reply: reply.kind };
    this.#ports.logger.warn(
      facts,
      'the gateway returned no detail of a new payment method; its id becomes its key',
    );
    return null;
  }
}

type MethodIdentity = Pick<NewMethod, 'id' | 'requestedKey' | 'gatewayKey'>;

function newMethodOf({ pluginName, isDefault }: PaymentMethodInput, identity: MethodIdentity): NewMethod {
  return { ...identity, pluginName, isDefault: isDefault === true };
}

function viewOf(method: PaymentMethod, { isDefault }: PaymentMethodInput): PaymentMethodView {
  return { ...method, isDefault: isDefault === true, pluginInfo: null };
}

function buildPayUnpaidInput(
  { id: paymentMethodId, accountId }: Pick<PaymentMethod, 'id' | 'accountId'>,
  { controlPlugins = null }: Pick<SetDefaultInput, 'controlPlugins'>,
  calls: readonly ReservedPayment[],
) {
  return { accountId, paymentMethodId, controlPlugins, calls };
}

/**
 * Returns true if the method is the account's default.
 * @throws BillingError if the method is the default and neither of the two flags allows its deletion.
 */
function checkDeletable(
  { paymentMethodId, withAutoPayOff, force }: DeletePaymentMethodInput,
  account: Pick<Account, 'id' | 'paymentMethodId'>,
) {
  if (account.paymentMethodId !== paymentMethodId) return false;
  if (withAutoPayOff === true || force === true) return true;
  throw isDefaultMethod(paymentMethodId, account.id);
}
