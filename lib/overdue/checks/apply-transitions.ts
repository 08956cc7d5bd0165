import type { CatalogSource } from '../../catalog/index.ts';
import { SystemTag } from '../../control-tags/index.ts';
import type { IdGenerator } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import {
  type Account,
  BillingActionPolicy,
  BlockingStateType,
  BusEventType,
  type NewBusEvent,
  OVERDUE_SERVICE,
} from '../../records/index.ts';
import { cancelAll, type StateToSet, setBlockingStates } from '../../subscriptions/index.ts';
import { addEngineTag, removeEngineTag } from '../../tags/index.ts';
import { CancellationPolicy } from '../config/overdue-config.ts';
import { InvoicingOffStep, type OverdueTransition } from '../evaluation/transition.ts';

/** A locked account and what it enters. */
export interface EnteredState {
  readonly account: Account;
  readonly transition: OverdueTransition;
}

interface ApplyTools {
  readonly ids: IdGenerator;
  /** Null where none of them cancels. */
  readonly catalogsOf: CatalogSource | null;
}

/** Puts accounts into their new states (§5.1 steps 6 to 9), in a constant number of statements. */
export async function applyTransitions(
  session: WriteSession,
  entered: readonly EnteredState[],
  { ids, catalogsOf }: ApplyTools,
): Promise<void> {
  if (entered.length === 0) return;
  const tools = { now: session.authorship.createdDate, nextId: () => ids.next() };
  if (catalogsOf !== null) await cancelAll(session, { accounts: entered.flatMap(endOf), catalogsOf }, tools);
  await moveInvoicingOff(session, entered, ids);
  await setBlockingStates(session, entered.map(blockOf), tools);
  session.publish(entered.flatMap(changeEvent));
}

function endOf({ account, transition: { cancellation, effective } }: EnteredState) {
  if (cancellation === CancellationPolicy.NONE) return [];
  const billingPolicy =
    cancellation === CancellationPolicy.IMMEDIATE
      ? BillingActionPolicy.IMMEDIATE
      : BillingActionPolicy.END_OF_TERM;
  return [{ account, requested: { at: effective.at }, billingPolicy, planned: 'MOVED_FORWARD' as const }];
}

/** Removing the tag asks for the invoice run that settles the blocked time (§9.2). */
async function moveInvoicingOff(
  session: WriteSession,
  entered: readonly EnteredState[],
  ids: IdGenerator,
): Promise<void> {
  const accountsThat = (step: InvoicingOffStep): readonly Account[] =>
    entered.filter(({ transition }) => transition.invoicingOff === step).map(({ account }) => account);
  const definitionId = SystemTag.AUTO_INVOICING_OFF;
  const blocked = accountsThat(InvoicingOffStep.ADD);
  const unblocked = accountsThat(InvoicingOffStep.REMOVE);
  if (blocked.length > 0) await addEngineTag(session, blocked, { definitionId, ids });
  if (unblocked.length > 0) await removeEngineTag(session, unblocked, definitionId);
  await session.overdue.saveAccounts(
    entered.map(({ account, transition }) => ({
      accountId: account.id,
      accountRecordId: account.recordId,
      isInvoicingOffOwned: transition.ownsInvoicingOff,
    })),
  );
}

function blockOf({ account, transition: { state, effective } }: EnteredState): StateToSet {
  return {
    object: { type: BlockingStateType.ACCOUNT, account },
    service: OVERDUE_SERVICE,
    effective,
    ...state,
  };
}

function changeEvent({ account, transition: { change } }: EnteredState): readonly NewBusEvent[] {
  if (change === null) return [];
  return [
    {
      type: BusEventType.OVERDUE_CHANGE,
      accountRecordId: account.recordId,
      payload: { accountId: account.id, metaData: { ...change } },
    },
  ];
}
