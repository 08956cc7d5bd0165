import type { GatewayContext, PaymentGateway, Ports } from '../../ports/index.ts';
import type { CallContext } from '../../records/index.ts';
import type { ErrorCode } from '../../values/errors/index.ts';
import type { GatewayReply } from '../claims/gateway-claims.ts';
import { callGateway } from '../plugins/call-gateway.ts';
import { gatewayFailed, noSuchPlugin } from '../state/payment-errors.ts';

export type MethodGatewayPorts = Pick<Ports, 'gateways' | 'systemClock'>;

/** What a gateway is asked about payment methods, and in whose name. */
interface Asking<R> {
  readonly context: CallContext;
  /** `payment.plugin.timeout`. */
  readonly timeoutMs: number;
  readonly request: R;
}

/** How a gateway is told something about payment methods. */
interface Telling<R> extends Asking<R> {
  readonly gateway: PaymentGateway;
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

  async ask<R, T>(
    { context, timeoutMs, request }: Asking<R>,
    call: (request: R, context: GatewayContext) => Promise<T>,
  ): Promise<GatewayReply<T>> {
    const limits = { timeoutMs, systemClock: this.#ports.systemClock };
    return (await callGateway([request, gatewayContext(context)], call, limits)).reply;
  }

  /** @throws BillingError with the code of a failure, PAYMENT_PLUGIN_TIMEOUT (7100). */
  async tell<R, T>(
    { gateway, failsWith, ...asking }: Telling<R>,
    call: (request: R, context: GatewayContext) => Promise<T>,
  ): Promise<T> {
    const reply = await this.ask(asking, call);
    if (reply.kind === 'VALUE') return reply.value;
    throw gatewayFailed(failsWith, gateway.name, reply);
  }
}

/** What a gateway sees of a call. */
function gatewayContext({ tenant, userName, userToken, createdDate: now }: CallContext): GatewayContext {
  return { tenantId: tenant.id, userName, userToken, now };
}
