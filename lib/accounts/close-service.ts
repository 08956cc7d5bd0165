import type { CatalogProvider } from '../catalog/catalog-source.ts';
import { authorshipOf, type CallContext } from '../context.ts';
import type { Uuid } from '../ids/index.ts';
import { adjustUnpaidItems } from '../invoicing/adjust-unpaid-items.ts';
import { MAX_DESCRIPTION_LENGTH } from '../invoicing/manual-items.ts';
import { writeOffUnpaid } from '../invoicing/write-off.ts';
import type { Ports } from '../ports/index.ts';
import type { WriteSession } from '../ports/storage/index.ts';
import { statesInTimeOrder } from '../subscriptions/blocking-in-force.ts';
import type { Block } from '../subscriptions/blocking-plan.ts';
import { cancelAll } from '../subscriptions/cancel-all.ts';
import { BlockingStateType } from '../subscriptions/model.ts';
import { datedInstant } from '../subscriptions/requested-date.ts';
import { setBlockingStates } from '../subscriptions/set-blocking-states.ts';
import { addEngineTag } from '../tags/engine-tags.ts';
import { SystemTag } from '../tags/system-definitions.ts';
import type { Account } from './model.ts';
import { lockAccount } from './service.ts';

/** What closing an account does besides stopping invoicing and new subscriptions; all default to false. */
export interface CloseOptions {
  /** Ends the service of every subscription at once and its billing at the end of what is invoiced. */
  readonly cancelAllSubscriptions?: boolean | undefined;
  /** Wins over `itemAdjustUnpaidInvoices`. */
  readonly writeOffUnpaidInvoices?: boolean | undefined;
  readonly itemAdjustUnpaidInvoices?: boolean | undefined;
  /**
   * Removes the account's planned work from all queues, but not the ends of subscriptions that the same call plans; push
   * notifications that are promised still arrive.
   */
  readonly removeFutureNotifications?: boolean | undefined;
}

const ACCOUNT_SERVICE = 'account-service';
const CLOSE_ACCOUNT = 'CLOSE_ACCOUNT';

/** Brings accounts to rest (accounts.md §9). */
export class AccountCloseService {
  readonly #ports: Pick<Ports, 'storage' | 'ids'>;
  readonly #catalogs: CatalogProvider;

  constructor(ports: Pick<Ports, 'storage' | 'ids'>, catalogs: CatalogProvider) {
    this.#ports = ports;
    this.#catalogs = catalogs;
  }

  /**
   * Closes the account in one transaction: it is not invoiced by itself any more and takes no subscriptions, its unpaid
   * invoices are dealt with as asked. Nothing is deleted; closing again changes nothing new.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), BUSY (60018).
   */
  async close(context: CallContext, accountId: Uuid, options: CloseOptions = {}): Promise<void> {
    const { ids } = this.#ports;
    const catalogsOf = options.cancelAllSubscriptions
      ? await this.#catalogs.open({ tenant: context.tenant, now: context.createdDate, accounts: [accountId] })
      : null;
    await this.#ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
      const account = await lockAccount(session, accountId);
      // First, so that the ends which this very call plans are told of when they are reached.
      if (options.removeFutureNotifications === true) {
        await session.unscheduleFuture(account.recordId, context.createdDate);
      }
      await addEngineTag(session, [account], { definitionId: SystemTag.AUTO_INVOICING_OFF, ids });
      if (catalogsOf !== null) {
        const tools = { now: context.createdDate, nextId: () => ids.next() };
        await cancelAll(session, { account, catalogsOf }, tools);
      }
      if (options.writeOffUnpaidInvoices === true) await writeOffUnpaid(session, account, ids);
      else if (options.itemAdjustUnpaidInvoices === true) {
        const description = (context.comments || 'Close Account').slice(0, MAX_DESCRIPTION_LENGTH);
        await adjustUnpaidItems(session, { account, description }, ids);
      }
      await this.#block(session, account);
    });
  }

  /** Refuses changes from now on; an account that is closed already stays as it is. */
  async #block(session: WriteSession, account: Account): Promise<void> {
    const states = await session.subscriptions.findBlockingStates([account.id]);
    const own = states.filter(({ service }) => service === ACCOUNT_SERVICE);
    if (statesInTimeOrder(own).at(-1)?.stateName === CLOSE_ACCOUNT) return;
    const now = session.authorship.createdDate;
    const closed: Block = {
      object: { type: BlockingStateType.ACCOUNT, account },
      service: ACCOUNT_SERVICE,
      stateName: CLOSE_ACCOUNT,
      isBlockChange: true,
      isBlockEntitlement: false,
      isBlockBilling: false,
      effective: datedInstant(null, now, account),
    };
    await setBlockingStates(session, [closed], { now, nextId: () => this.#ports.ids.next() });
  }
}
