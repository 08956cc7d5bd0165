import type { GatewayContext, PaymentGateway, Ports } from '../../ports/index.ts';
import type { CallContext } from '../../records/index.ts';
import type { ErrorCode } from '../../values/errors/index.ts';
import { callGateway } from '../gateways/call-gateway.ts';
import type { GatewayReply } from '../state/gateway-reply.ts';
import { noSuchPlugin } from '../state/no-such-plugin.ts';
import { gatewayFailed } from '../state/payment-method-errors.ts';

export type MethodGatewayPorts = Pick<Ports, 'gateways' | 'systemClock'>;

/** How a gateway is told something about payment methods. */
interface Telling {
  readonly gateway: PaymentGateway;
  /** `payment.plugin.timeout`. */
  readonly timeoutMs: number;
  /** The code of a refusal or failure. */
  readonly failsWith: ErrorCode;
}

/** The registered gateways, as changes of payment methods speak to them: outside any storage transaction. */
export class MethodGateways {
  readonly #ports: MethodGatewayPorts;

  constructor(ports: MethodGatewayPorts) {
    this.#ports = ports;
  }

  /** @throws BillingError PAYMENT_NO_SUCH_PAYMENT_PLUGIN (7028). */
  named(pluginName: string): PaymentGateway {
    const gateway = this.#ports.gateways.get(pluginName);
    if (gateway) return gateway;
    throw noSuchPlugin(pluginName, this.#ports.gateways);
  }

  /** All that hold payment methods. */
  holding(): readonly PaymentGateway[] {
    return [...this.#ports.gateways.values()].filter(
      ({ capabilities }) => capabilities?.holdsPaymentMethods !== false,
    );
  }

  async ask<T>(timeoutMs: number, call: () => Promise<T>): Promise<GatewayReply<T>> {
    return (await callGateway(call, { timeoutMs, systemClock: this.#ports.systemClock })).reply;
  }

  /** @throws BillingError with the code of a failure, PAYMENT_PLUGIN_TIMEOUT (7100). */
  async tell<T>({ gateway, timeoutMs, failsWith }: Telling, call: () => Promise<T>): Promise<T> {
    const reply = await this.ask(timeoutMs, call);
    if (reply.kind === 'VALUE') return reply.value;
    throw gatewayFailed(failsWith, gateway.name, reply);
  }
}

/** What a gateway sees of a call. */
export function gatewayContext({
  tenant,
  userName,
  userToken,
  createdDate: now,
}: CallContext): GatewayContext {
  return { tenantId: tenant.id, userName, userToken, now };
}
