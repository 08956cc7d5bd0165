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
import type { Given } from '../values/given/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { LOCK_WAIT_STEP_MS } from '../values/limits.ts';
import type { Instant } from '../values/time/index.ts';

/** Does the due work of an account at an instant, as far as possible now. */
export type WorkOff = (account: AccountOfTenant, at: Instant) => Promise<void>;

/** How the due work of an account is done before it is closed. */
interface DueAccountWork {
  /** How long to wait for work that others do or that is put off. */
  readonly lockWaitOf: LockWaitOf;
  readonly workOff: WorkOff;
}

/** Due work that keeps an account from being closed. */
interface LeftWork {
  readonly accountRecordId: number;
  readonly waitMs: number;
}

/** Brings accounts to rest (accounts §9). */
export function accountClosingOperations(
  ports: Pick<Ports, 'storage' | 'systemClock' | 'ids'>,
  catalogs: CatalogProvider,
  due: DueAccountWork,
): AccountClosingOperations<WithContext> {
  /** Looks for due work under the account's lock, so that none can come between; if there is some, nothing is written. */
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
    // First, so that the ends that this very call plans are still told when they are reached.
    if (options.removeFutureNotifications === true) {
      await session.unscheduleFuture(account.recordId, context.createdDate);
    }
    await addEngineTag(session, [account], { definitionId: SystemTag.AUTO_INVOICING_OFF, ids });
    // It stays when the account is not overdue any more (overdue §2.3).
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

  /** Refuses changes from now on; an account that is already closed stays as it is. */
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
      // Inside a transaction of the host, work of others would wait for that transaction.
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
  /** null = no subscription has to be cancelled. */
  readonly catalogsOf: CatalogSource | null;
}

function stillDue(accountId: Uuid, canWork: boolean): BillingError {
  const what = canWork
    ? 'has work that is due and does not end; try again in a moment'
    : 'has work that is due, which cannot be done inside this transaction; let it be done first, then close';
  return billingError(ErrorCode.BUSY, `Account ${accountId} ${what}`, { accountId });
}

/** What closing an account does besides stopping invoicing and new subscriptions; all default to false. */
export interface CloseOptions {
  /** Ends the service of every subscription at once and its billing at the end of what is invoiced. */
  readonly cancelAllSubscriptions?: boolean | undefined;
  /** Wins over `itemAdjustUnpaidInvoices`. */
  readonly writeOffUnpaidInvoices?: boolean | undefined;
  readonly itemAdjustUnpaidInvoices?: boolean | undefined;
  /**
   * Removes the account's planned work from all queues, but not the ends of subscriptions that the same call plans;
   * pushes that are due already still arrive.
   */
  readonly removeFutureNotifications?: boolean | undefined;
}

/** The closing of accounts. */
export interface AccountClosingOperations<C extends Leading = []> {
  /**
   * Closes the account. First its due work is done, in the order of the queue, such as the invoice of a cancellation just
   * made and its payment (ruling R41). Then, in one transaction, automatic invoicing stops, the account takes no more
   * subscriptions, and its unpaid invoices are treated as requested. Nothing is deleted; closing again changes nothing
   * more.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), BUSY (60018): also if due work of the account does not end
   * within the time that calls wait for a busy account, or if there is any inside a transaction of the host.
   */
  close(...given: [...C, accountId: Uuid | string, options?: Given<CloseOptions>]): Promise<void>;
}
