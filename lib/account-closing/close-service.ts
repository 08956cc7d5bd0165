import { lockAccount } from '../accounts/index.ts';
import type { CatalogProvider, CatalogSource } from '../catalog/index.ts';
import { SystemTag } from '../control-tags/index.ts';
import { adjustUnpaidItems, MAX_DESCRIPTION_LENGTH, writeOffUnpaid } from '../invoicing/index.ts';
import type { Ports } from '../ports/index.ts';
import {
  type AccountOfTenant,
  LockWait,
  type LockWaitOf,
  type WriteSession,
} from '../ports/storage/index.ts';
import {
  ACCOUNT_SERVICE,
  type Account,
  BillingActionPolicy,
  BlockingStateType,
  type CallContext,
  CLOSED_STATE_NAME,
  type Leading,
  type WithContext,
} from '../records/index.ts';
import { authorshipOf, pause } from '../runtime/index.ts';
import {
  cancelAll,
  datedInstant,
  type StateToSet,
  setBlockingStates,
  statesInTimeOrder,
} from '../subscriptions/index.ts';
import { addEngineTag } from '../tags/index.ts';
import { type BillingError, billingError, ErrorCode } from '../values/errors/index.ts';
import type { HostInput } from '../values/host-values/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { LOCK_WAIT_STEP_MS } from '../values/limits.ts';
import type { Instant } from '../values/time/index.ts';

/** Processes the due work of the account up to an instant. Skips locked work. */
export type WorkOff = (account: AccountOfTenant, at: Instant) => Promise<void>;

interface DueAccountWork {
  /** Maximum time to wait for locked or postponed work. */
  readonly lockWaitOf: LockWaitOf;
  readonly workOff: WorkOff;
}

/** Due work that prevents closing the account. */
interface LeftWork {
  readonly accountRecordId: number;
  readonly waitMs: number;
}

/** Closes accounts (accounts §9). */
export function accountClosingOperations(
  ports: Pick<Ports, 'storage' | 'systemClock' | 'ids'>,
  catalogs: CatalogProvider,
  due: DueAccountWork,
): AccountClosingOperations<WithContext> {
  /**
   * Closes the account while it is locked, unless it still has due work. The lock prevents new work between the check
   * and the closing.
   */
  async function closeUnlessDue(
    context: CallContext,
    accountId: Uuid,
    options: CloseOptions,
  ): Promise<LeftWork | null> {
    const catalogsOf = options.cancelAllSubscriptions
      ? await catalogs.open({ tenant: context.tenant, now: context.createdDate, accounts: [accountId] })
      : null;
    return ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
      const account = await lockAccount(session, accountId);
      if (await session.notifications.hasDue(account.recordId, context.createdDate)) {
        const waitMs = await due.lockWaitOf(session, LockWait.INVOICE);
        return { accountRecordId: account.recordId, waitMs };
      }
      await closeNow(session, account, { context, options, catalogsOf });
      return null;
    });
  }

  async function closeNow(
    session: WriteSession,
    account: Account,
    { context, options, catalogsOf }: Closing,
  ) {
    const { ids } = ports;
    // This step runs first, so that it does not remove the entries that this call schedules for the ends of
    // subscriptions.
    if (options.removeFutureNotifications === true) {
      await session.unscheduleFuture(account.recordId, context.createdDate);
    }
    await addEngineTag(session, [account], { definitionId: SystemTag.AUTO_INVOICING_OFF, ids });
    // The user now owns the tag, so overdue does not remove the tag later (overdue §2.3).
    await session.overdue.disownInvoicingOff([account.id]);
    if (catalogsOf !== null) {
      const tools = { now: context.createdDate, nextId: () => ids.next() };
      const ends = {
        requested: null,
        billingPolicy: BillingActionPolicy.END_OF_TERM,
        planned: 'KEPT',
      } as const;
      await cancelAll(session, { accounts: [{ account, ...ends }], catalogsOf }, tools);
    }
    if (options.writeOffUnpaidInvoices === true) await writeOffUnpaid(session, account, ids);
    else if (options.itemAdjustUnpaidInvoices === true) {
      const description = (context.comments || 'Close Account').slice(0, MAX_DESCRIPTION_LENGTH);
      await adjustUnpaidItems(session, { account, description }, ids);
    }
    await block(session, account);
  }

  /** Sets the state that rejects all further changes, unless the account has already been closed. */
  async function block(session: WriteSession, account: Account): Promise<void> {
    const states = await session.subscriptions.findBlockingStates([account.id]);
    const own = states.filter(({ service }) => service === ACCOUNT_SERVICE);
    if (statesInTimeOrder(own).at(-1)?.stateName === CLOSED_STATE_NAME) return;
    const now = session.authorship.createdDate;
    const closed: StateToSet = {
      object: { type: BlockingStateType.ACCOUNT, account },
      service: ACCOUNT_SERVICE,
      stateName: CLOSED_STATE_NAME,
      isBlockChange: true,
      isBlockEntitlement: false,
      isBlockBilling: false,
      effective: datedInstant(null, now, account),
    };
    await setBlockingStates(session, [closed], { now, nextId: () => ports.ids.next() });
  }

  return {
    async close(context, accountId: Uuid, options: CloseOptions = {}) {
      const { tenant, createdDate } = context;
      // Inside a host's transaction, the due work would wait for that transaction.
      // This call therefore does not process the due work.
      const workOff = tenant.within ? null : due.workOff;
      for (let waitedMs = 0; ; waitedMs += LOCK_WAIT_STEP_MS) {
        const left = await closeUnlessDue(context, accountId, options);
        if (left === null) return;
        if (workOff === null || waitedMs > left.waitMs) throw stillDue(accountId, workOff !== null);
        if (waitedMs > 0) await pause(ports.systemClock, LOCK_WAIT_STEP_MS);
        await workOff(
          { tenantRecordId: tenant.recordId, accountRecordId: left.accountRecordId },
          createdDate,
        );
      }
    },
  };
}

interface Closing {
  readonly context: CallContext;
  readonly options: CloseOptions;
  /** Catalogs that are needed to end the subscriptions, or null if the subscriptions are not canceled. */
  readonly catalogsOf: CatalogSource | null;
}

function stillDue(accountId: Uuid, canWork: boolean): BillingError {
  const what = canWork
    ? 'still has due work that has not finished; try again in a moment'
    : 'has due work that cannot run inside this transaction; wait until it is done, and close the account afterward';
  return billingError(ErrorCode.BUSY, `Account ${accountId} ${what}`, { accountId });
}

/** Additional actions to take when an account is closed. All are disabled by default. */
export interface CloseOptions {
  /**
   * If true, ends the service of all subscriptions immediately, and ends their billing at the end of the invoiced
   * period.
   */
  readonly cancelAllSubscriptions?: boolean | undefined;
  /** If true, writes off unpaid invoices. Takes precedence over `itemAdjustUnpaidInvoices`. */
  readonly writeOffUnpaidInvoices?: boolean | undefined;
  readonly itemAdjustUnpaidInvoices?: boolean | undefined;
  /**
   * If true, removes the account's future work from all queues, except the ends of subscriptions that the same call
   * schedules. Pushes that are already due are still sent.
   */
  readonly removeFutureNotifications?: boolean | undefined;
}

/** The operation that closes accounts. */
export interface AccountClosingOperations<C extends Leading = []> {
  /**
   * Closes the account. First processes its due work in queue order, such as the invoice of a recent cancellation and
   * its payment (ruling R41). Then, in one transaction, stops automatic invoicing, rejects new subscriptions, and
   * settles unpaid invoices as requested. Deletes nothing. Idempotent.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), BUSY (60018). BUSY also occurs if the due work does not
   * finish within the maximum wait for a busy account, or if the account has due work and the call runs in a host
   * transaction.
   */
  close(...given: [...C, accountId: Uuid | string, options?: HostInput<CloseOptions>]): Promise<void>;
}
