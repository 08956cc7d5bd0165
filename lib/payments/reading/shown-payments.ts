import type { Ports } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import type { CallContext, Payment } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { ClaimedResults } from '../claims/gateway-claims.ts';
import { GatewayInfo } from '../gateways/gateway-info.ts';
import { repairOnRead } from '../recovery/repair-on-read.ts';
import type { PaymentConfigOf } from '../state/payment-config.ts';
import { type LoadedPayments, type PaymentView, viewPayments } from '../views/payment-view.ts';
import { loadPayments } from './load-payments.ts';
import type { PaymentReadOptions } from './payment-read-operations.ts';

export type PaymentReadPorts = Pick<
  Ports,
  'storage' | 'clock' | 'ids' | 'gateways' | 'systemClock' | 'logger' | 'paymentControls'
>;

/** What a read has found: its payments in their order, and what else it is about. */
interface Found {
  readonly payments: readonly Payment[];
}

/** Payments as they are read: what is stored of them and, where that is wanted, what their gateways tell. */
export class ShownPayments {
  readonly #ports: PaymentReadPorts;
  readonly #configOf: PaymentConfigOf;
  readonly #gatewayInfo: GatewayInfo;

  constructor(ports: PaymentReadPorts, configOf: PaymentConfigOf) {
    this.#ports = ports;
    this.#configOf = configOf;
    this.#gatewayInfo = new GatewayInfo(ports);
  }

  /** Loads the payments, asks the gateways outside the session if that is wanted, and shows what is known then. */
  async read<F extends Found>(
    context: CallContext,
    options: PaymentReadOptions,
    find: (session: ReadSession) => Promise<F>,
  ): Promise<{ readonly payments: readonly PaymentView[]; readonly found: F }> {
    const load = () =>
      this.#ports.storage.read(context.tenant, async (session) => {
        const found = await find(session);
        const loaded = await loadPayments(session, found.payments, options);
        if (options.withPluginInfo !== true) return { loaded, found, timeoutMs: null };
        return { loaded, found, timeoutMs: (await this.#configOf(session)).pluginTimeoutMs };
      });
    const { loaded, found, timeoutMs } = await load();
    if (timeoutMs === null) return { payments: viewPayments(loaded, new Map()), found };
    const asked = loaded.payments.map((payment) => ({
      payment,
      pluginName: loaded.pluginNames.get(payment.paymentMethodId),
    }));
    const told = await this.#gatewayInfo.transactionsOf(context, asked, { ...options, timeoutMs });
    const hasChanged = await this.#repair(context, loaded, told);
    const current = hasChanged ? await load() : { loaded, found };
    return { payments: viewPayments(current.loaded, told), found: current.found };
  }

  #repair(
    context: CallContext,
    { payments, transactions }: LoadedPayments,
    told: ReadonlyMap<Uuid, ClaimedResults>,
  ): Promise<boolean> {
    const toldPayments = payments.flatMap((payment) => {
      const results = told.get(payment.id);
      if (!results) return [];
      return [{ payment, transactions: transactions.get(payment.id) ?? [], results }];
    });
    return repairOnRead(this.#ports, this.#configOf, { context, told: toldPayments });
  }
}
