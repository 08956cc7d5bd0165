import type { Ports } from '../../ports/index.ts';
import type { Account, CallContext, PluginProperty } from '../../records/index.ts';
import { turnsOf } from '../../runtime/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import { formatLocalDate, type LocalDate } from '../../values/time/index.ts';
import type { DryRunStep, DryRunWalk } from '../dry-run/walk.ts';
import { loadStandIns } from '../loading/load-credit-inputs.ts';
import { type ConsultedInvoice, ReservedIds } from './additional-items.ts';
import {
  elsewhereChanges,
  listDraftItemsAfterRun,
  loadElsewhere,
  remainingAmounts,
  touchedItems,
  withRemainingAmounts,
} from './approved-change.ts';
import { runInvoiceToExtend, seeingRun } from './consult-about-runs.ts';
import { consultedCall, type InvoicePluginCalls } from './plugin-calls.ts';
import { decidedStep } from './run-consulted-accounts.ts';

const NOTHING_ELSEWHERE = { changes: [], remains: [], standIns: new Map<Uuid, Decimal>() };

interface ConsultedDryRun {
  readonly ports: Pick<Ports, 'storage' | 'systemClock' | 'scopes'>;
  readonly calls: InvoicePluginCalls;
  readonly context: CallContext;
  readonly account: Account;
  /** The requested date. If null, the next invoice is requested. */
  readonly targetDate: LocalDate | null;
}

/** Remainders of stored items after the earlier steps. */
type Left = Map<Uuid, Decimal>;

/**
 * Executes all steps of a dry run and consults the invoice plugins outside transactions (§11 rule 5): before each run,
 * and about the items of each run with items. Plugins cannot split the invoice, and their outcome callbacks are not
 * called.
 * @throws BillingError of a plugin that fails or returns invalid items.
 */
export async function followConsulted<R>(walk: DryRunWalk<R>, of: ConsultedDryRun): Promise<R> {
  const nextTurn = turnsOf(of.ports);
  const left: Left = new Map();
  let next = walk.next();
  while (next.done !== true) {
    next = walk.next(await answerTo(next.value, of, left));
    await nextTurn();
  }
  return next.value;
}

async function answerTo(step: DryRunStep, of: ConsultedDryRun, left: Left) {
  const { calls, context, account } = of;
  const { tenant, createdDate: now, pluginProperties = [] } = context;
  const { targetDate, run, invoiceId } = step;
  const caller = { ...context, userTokenOf: () => context.userToken };
  const call = consultedCall(account, caller, { tenant, now, targetDate, rescheduled: false, dryRun: true });
  const prior = await calls.prior(call, [...pluginProperties, ...dryRunProperties(step.date, of.targetDate)]);
  if (prior.kind !== 'go') return null;
  if (run.items.length === 0) return undefined;
  const asked = { account, targetDate, run, invoiceId, credit: step.credit() };
  const given = { invoice: runInvoiceToExtend(asked), properties: prior.properties };
  const asking = { see: seeingRun(asked, now), date: step.runDate };
  const { invoice } = await calls.additionalItems(call, given, asking);
  const touched = touchedItems(listDraftItemsAfterRun(run), invoice.existing).map(({ item }) => item);
  const decided = decidedStep(run, invoice);
  const isNamed = invoice.elsewhere.length > 0 || invoice.chosenIds.length > 0;
  const other = isNamed
    ? await changesElsewhere(invoice, of, new Map([...left, ...remainingAmounts(decided)]))
    : NOTHING_ELSEWHERE;
  for (const { id, repairable } of [...other.remains, ...touched]) left.set(id, repairable);
  return { run: decided, elsewhere: other.changes, standIns: other.standIns };
}

/** Returns the changes that plugins make to other stored invoices. */
async function changesElsewhere(
  asked: ConsultedInvoice,
  { ports, context, account }: ConsultedDryRun,
  left: Left,
) {
  return ports.storage.read(context.tenant, async (session) => {
    const stored = await loadElsewhere(session, [asked]);
    new ReservedIds(stored.taken).add(asked);
    const other = elsewhereChanges(account.id, asked.elsewhere, withRemainingAmounts(stored, left));
    const candidates = other.changes.map(({ before, after }) => ({ ...before, ...after }));
    const standIns = await loadStandIns(session, [{ state: { accountId: account.id }, candidates }]);
    return { ...other, standIns };
  });
}

/** Returns the plugin properties of a dry run: the date of the step, and the requested date. */
export function dryRunProperties(date: LocalDate, targetDate: LocalDate | null): readonly PluginProperty[] {
  const target = targetDate === null ? null : formatLocalDate(targetDate);
  return [
    { key: 'DRY_RUN_CUR_DATE', value: formatLocalDate(date), isUpdatable: false },
    { key: 'DRY_RUN_TARGET_DATE', value: target, isUpdatable: false },
  ];
}
