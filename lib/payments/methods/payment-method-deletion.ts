import { loadAccount, lockAccount } from '../../accounts/index.ts';
import { SystemTag } from '../../control-tags/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import type { CallContext, PaymentMethod } from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import { addEngineTag } from '../../tags/index.ts';
import { ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { tellGateway } from '../plugins/call-gateway.ts';
import type { PaymentConfigOf } from '../state/payment-config.ts';
import { isDefaultMethod, noSuchMethod, registeredGateway } from '../state/payment-errors.ts';
import type { DeletePaymentMethodInput } from './payment-method-operations.ts';
import { setDefaultMethod } from './stored-methods.ts';

/** Deletion of payment methods (§10.3). */
export class PaymentMethodDeletion {
  readonly #ports: Pick<Ports, 'storage' | 'ids' | 'gateways' | 'systemClock'>;
  readonly #configOf: PaymentConfigOf;

  constructor(ports: Pick<Ports, 'storage' | 'ids' | 'gateways' | 'systemClock'>, configOf: PaymentConfigOf) {
    this.#ports = ports;
    this.#configOf = configOf;
  }

  async delete(context: CallContext, input: DeletePaymentMethodInput): Promise<void> {
    const { paymentMethodId } = input;
    const { storage, ids } = this.#ports;
    const { accountId, gateway, timeoutMs } = await storage.read(context.tenant, async (session) => {
      const method = await activeMethod(session, paymentMethodId);
      checkDeletable(input, await loadAccount(session, method.accountId));
      const { pluginTimeoutMs } = await this.#configOf(session);
      const named = registeredGateway(this.#ports.gateways, method.pluginName);
      return { accountId: method.accountId, gateway: named, timeoutMs: pluginTimeoutMs };
    });
    const request = { accountId, paymentMethodId, properties: input.properties ?? [] };
    await tellGateway(
      this.#ports,
      { context, gateway, timeoutMs, request, failsWith: ErrorCode.PAYMENT_DEL_PAYMENT_METHOD },
      async (asking, as) => gateway.deletePaymentMethod?.(asking, as),
    );
    await storage.write(context.tenant, authorshipOf(context), async (session) => {
      const account = await lockAccount(session, accountId);
      const method = await activeMethod(session, paymentMethodId);
      const isDefault = checkDeletable(input, account);
      if (isDefault && input.withAutoPayOff === true) {
        await addEngineTag(session, [account], { definitionId: SystemTag.AUTO_PAY_OFF, ids });
      }
      if (isDefault) await setDefaultMethod(session, account, null);
      await session.payments.updateMethods([{ ...method, isActive: false }]);
    });
  }
}

/** Whether the method is the default; if it is, one of the two flags must ask for its deletion. */
function checkDeletable(
  { paymentMethodId, withAutoPayOff, force }: DeletePaymentMethodInput,
  account: { readonly id: Uuid; readonly paymentMethodId: Uuid | null },
): boolean {
  if (account.paymentMethodId !== paymentMethodId) return false;
  if (withAutoPayOff === true || force === true) return true;
  throw isDefaultMethod(paymentMethodId, account.id);
}

async function activeMethod(session: ReadSession, paymentMethodId: Uuid): Promise<PaymentMethod> {
  const [method] = await session.payments.findMethodsByIds([paymentMethodId]);
  if (method?.isActive) return method;
  throw noSuchMethod(paymentMethodId);
}
