import { loadAccount } from '../../accounts/index.ts';
import type { PaymentMethodDetails, Ports } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import type { CallContext } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { GatewayInfo, type GatewayInfoPorts } from '../gateways/gateway-info.ts';
import type { PaymentConfigOf } from '../state/payment-config.ts';
import { noSuchMethod } from './payment-method-errors.ts';
import type { PaymentMethodReadOptions, PaymentMethodView } from './payment-method-operations.ts';

/** Reads of payment methods (§10.2). */
export class PaymentMethodReads {
  readonly #ports: Pick<Ports, 'storage'>;
  readonly #configOf: PaymentConfigOf;
  readonly #gatewayInfo: GatewayInfo;

  constructor(ports: Pick<Ports, 'storage'> & GatewayInfoPorts, configOf: PaymentConfigOf) {
    this.#ports = ports;
    this.#configOf = configOf;
    this.#gatewayInfo = new GatewayInfo(ports);
  }

  async ofAccount(
    context: CallContext,
    accountId: Uuid,
    options: PaymentMethodReadOptions = {},
  ): Promise<readonly PaymentMethodView[]> {
    const includeDeleted = options.includeDeleted === true;
    const { stored, timeoutMs } = await this.#ports.storage.read(context.tenant, async (session) => {
      const { paymentMethodId: defaultId } = await loadAccount(session, accountId);
      const methods = await session.payments.findMethodsByAccounts([accountId], { includeDeleted });
      return {
        stored: methods.map((method) => ({ ...method, isDefault: method.id === defaultId })),
        timeoutMs: await this.#timeoutMs(session, options),
      };
    });
    const details =
      timeoutMs === null
        ? new Map<Uuid, PaymentMethodDetails>()
        : await this.#gatewayInfo.detailsOf(context, stored, { ...options, timeoutMs });
    return stored.map((method) => ({ ...method, pluginInfo: details.get(method.id) ?? null }));
  }

  async get(
    context: CallContext,
    paymentMethodId: Uuid,
    options: PaymentMethodReadOptions = {},
  ): Promise<PaymentMethodView> {
    const { stored, timeoutMs } = await this.#ports.storage.read(context.tenant, async (session) => {
      const [method] = await session.payments.findMethodsByIds([paymentMethodId]);
      if (!method || !(method.isActive || options.includeDeleted)) throw noSuchMethod(paymentMethodId);
      const account = await loadAccount(session, method.accountId);
      return {
        stored: { ...method, isDefault: method.id === account.paymentMethodId },
        timeoutMs: await this.#timeoutMs(session, options),
      };
    });
    const pluginInfo =
      timeoutMs === null
        ? null
        : await this.#gatewayInfo.detailOf(context, stored, { ...options, timeoutMs });
    return { ...stored, pluginInfo };
  }

  /** The time limit for gateways' answers; null if none is asked. */
  async #timeoutMs(session: ReadSession, options: PaymentMethodReadOptions): Promise<number | null> {
    return options.withPluginInfo === true ? (await this.#configOf(session)).pluginTimeoutMs : null;
  }
}
