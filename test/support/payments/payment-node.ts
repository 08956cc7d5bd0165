import type { PaymentGateway } from '../../../lib/index.ts';
import type { PaymentConfig } from '../../../lib/payments/index.ts';
import { directPayments, PaymentMachine, paymentConfig } from '../../../lib/payments/index.ts';
import type { Storage } from '../../../lib/ports/storage/index.ts';
import { DEFAULT_TENANT_SETTINGS } from '../../../lib/tenants/index.ts';
import type { PaymentStage } from './payment-stage.ts';

interface NodeOptions {
  /** Default: that of the stage. */
  readonly storage?: Storage<never>;
  readonly gateway?: PaymentGateway;
  readonly config?: Partial<PaymentConfig>;
}

/** A node of a stage for payment operations. */
export class PaymentNode {
  readonly payments: ReturnType<typeof directPayments>;
  readonly #machine: PaymentMachine;

  constructor(stage: PaymentStage, { storage = stage.storage, gateway, config = {} }: NodeOptions = {}) {
    const { ids, clock, timers, logger, controls: paymentControls } = stage;
    const gateways = new Map(stage.gateways);
    if (gateway !== undefined) gateways.set(gateway.name, gateway);
    const ports = { storage, ids, gateways, clock, systemClock: timers, logger, paymentControls };
    const configOf = () => Promise.resolve({ ...paymentConfig(DEFAULT_TENANT_SETTINGS), ...config });
    this.#machine = new PaymentMachine(ports, configOf);
    this.payments = directPayments(this.#machine);
  }

  /** Resolves when all late responses that have arrived are recorded. */
  idle(): Promise<void> {
    return this.#machine.idle();
  }
}
