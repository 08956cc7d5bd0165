import type { CatalogProvider, CatalogSource } from '../catalog/catalog-source.ts';
import { authorshipOf, type CallContext } from '../context.ts';
import type { Uuid } from '../ids/index.ts';
import type { Ports } from '../ports/index.ts';
import type { WriteSession } from '../ports/storage/index.ts';
import type { DatedInstant } from '../time/index.ts';
import { type EditTools, planCancellation } from './cancellation.ts';
import type { CancelSubscriptionOptions } from './cancellation-dates.ts';
import { lockRunning } from './load-running.ts';
import { saveEdits } from './save-edits.ts';
import { planUncancellation } from './uncancellation.ts';

/** What a cancellation has set: when service and billing end. */
export interface CancelledSubscription {
  readonly accountId: Uuid;
  readonly entitlementEnd: DatedInstant;
  readonly billingEnd: DatedInstant;
}

/** Operations on subscriptions that run (subscriptions.md §7 to §10). */
export class LifecycleService {
  readonly #ports: Pick<Ports, 'storage' | 'ids'>;
  readonly #catalogs: CatalogProvider;

  constructor(ports: Pick<Ports, 'storage' | 'ids'>, catalogs: CatalogProvider) {
    this.#ports = ports;
    this.#catalogs = catalogs;
  }

  /**
   * Ends service and billing of a subscription, each at its own date (subscriptions.md §9). What is invoiced beyond the
   * end of billing is repaired by the next invoice run.
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), SUBSCRIPTION_CANCEL_BAD_STATE (1031),
   * SUBSCRIPTION_INVALID_REQUESTED_DATE (1001), INVALID_PARAMETER (60002), BUSY (60018).
   */
  async cancel(
    context: CallContext,
    subscriptionId: Uuid,
    options: CancelSubscriptionOptions = {},
  ): Promise<CancelledSubscription> {
    return this.#write(context, subscriptionId, async ({ session, catalogsOf, tools }) => {
      const running = await lockRunning(session, { subscriptionId, catalogsOf });
      const { edit, entitlement, billing } = planCancellation(running, options, tools);
      await saveEdits(session, [edit], tools.now);
      return { accountId: running.account.id, entitlementEnd: entitlement, billingEnd: billing };
    });
  }

  /**
   * Takes a cancellation back while billing goes on, as if it had never been asked for (subscriptions.md §10).
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), SUBSCRIPTION_UNCANCEL_BAD_STATE (1070),
   * ENTITLEMENT_UNCANCEL_BAD_STATE (8004), BUSY (60018).
   */
  async uncancel(context: CallContext, subscriptionId: Uuid): Promise<void> {
    await this.#write(context, subscriptionId, async ({ session, catalogsOf, tools }) => {
      const running = await lockRunning(session, { subscriptionId, catalogsOf });
      const withdrawn = await session.subscriptions.findWithdrawnEvents([subscriptionId]);
      await saveEdits(session, [planUncancellation(running, withdrawn, tools)], tools.now);
    });
  }

  async #write<T>(
    context: CallContext,
    subscriptionId: Uuid,
    work: (operation: Operation) => Promise<T>,
  ): Promise<T> {
    const catalogsOf = await this.#catalogs.open({
      tenant: context.tenant,
      now: context.createdDate,
      accounts: async (session) =>
        (await session.subscriptions.findByIds([subscriptionId])).map(({ accountId }) => accountId),
    });
    const tools = { now: context.createdDate, nextId: () => this.#ports.ids.next() };
    return this.#ports.storage.write(context.tenant, authorshipOf(context), (session) =>
      work({ session, catalogsOf, tools }),
    );
  }
}

interface Operation {
  readonly session: WriteSession;
  readonly catalogsOf: CatalogSource;
  readonly tools: EditTools;
}
