import type { Ports } from '../../ports/index.ts';
import type { Account, CallContext, PluginProperty } from '../../records/index.ts';
import { type NextTurn, turnsOf } from '../../runtime/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import { formatLocalDate, type LocalDate } from '../../values/time/index.ts';
import type { DryRunAnswer, DryRunInvoice, DryRunStep, DryRunWalk } from '../dry-run/walk.ts';
import type { AccountRun } from '../evaluation/evaluate-account.ts';
import { loadStandIns } from '../loading/load-credit-inputs.ts';
import { type AskedInvoice, TakenIds } from './additional-items.ts';
import { askedOfRun, seeingRun } from './ask-about-runs.ts';
import {
  elsewhereChanges,
  existingOf,
  leftOfItems,
  loadElsewhere,
  touchedItems,
  withLeftOfLinked,
} from './decided-change.ts';
import { consultedCall, type InvoicePluginCalls } from './plugin-calls.ts';
import { decidedStep } from './run-consulted-accounts.ts';

const NOTHING_ELSEWHERE = { changes: [], remains: [], standIns: new Map<Uuid, Decimal>() };

export interface ConsultedDryRun {
  readonly context: CallContext;
  readonly account: Account;
  /** The date that is asked for; null = whatever comes next. */
  readonly targetDate: LocalDate | null;
}

/**
 * Asks the invoice plugins about the runs of a dry run (§11 rule 5), outside any transaction: before each, and about the
 * items of each that has some. How an invoice is split is not asked, since one is answered with, and nobody is told an
 * outcome, since nothing is stored.
 */
export class DryRunConsultation {
  readonly #storage: Ports['storage'];
  readonly #nextTurn: NextTurn;
  readonly #calls: InvoicePluginCalls;
  readonly #of: ConsultedDryRun;
  /** What earlier steps have left of stored items. */
  readonly #left = new Map<Uuid, Decimal>();

  constructor(
    ports: Pick<Ports, 'storage' | 'systemClock' | 'scopes'>,
    calls: InvoicePluginCalls,
    of: ConsultedDryRun,
  ) {
    this.#storage = ports.storage;
    this.#nextTurn = turnsOf(ports);
    this.#calls = calls;
    this.#of = of;
  }

  /** The invoice that the walk comes to. @throws BillingError of a plugin that fails or claims what cannot be. */
  async follow(walk: DryRunWalk): Promise<DryRunInvoice | null> {
    let next = walk.next();
    while (next.done !== true) {
      next = walk.next(await this.#answer(next.value));
      await this.#nextTurn();
    }
    return next.value;
  }

  async #answer(step: DryRunStep): Promise<DryRunAnswer> {
    const { context, account } = this.#of;
    const { tenant, createdDate: now } = context;
    const { targetDate, run, invoiceId } = step;
    const caller = { ...context, userTokenOf: () => context.userToken };
    const of = { tenant, now, targetDate, rescheduled: false, dryRun: true };
    const call = consultedCall(account, caller, of);
    const prior = await this.#calls.prior(call, this.#propertiesOf(step));
    if (prior.kind !== 'go') return null;
    if (run.items.length === 0) return undefined;
    const asked = { account, targetDate, run, invoiceId, credit: step.credit() };
    const { properties } = prior;
    const { invoice } = await this.#calls.additionalItems(
      call,
      { invoice: askedOfRun(asked), properties },
      { see: seeingRun(asked, now), date: step.runDate },
    );
    return this.#made(step, invoice);
  }

  #propertiesOf({ date }: DryRunStep): readonly PluginProperty[] {
    const { context, targetDate } = this.#of;
    return [...(context.pluginProperties ?? []), ...dryRunProperties(date, targetDate)];
  }

  /** What the step comes to, with what is stored of the invoices that plugins add to. */
  async #made({ run }: DryRunStep, asked: AskedInvoice): Promise<DryRunAnswer> {
    const touched = touchedItems(existingOf(run), asked.existing).map(({ item }) => item);
    const decided = decidedStep(run, asked);
    const named = asked.elsewhere.length > 0 || asked.chosenIds.length > 0;
    const other = named ? await this.#elsewhere(asked, decided) : NOTHING_ELSEWHERE;
    for (const { id, repairable } of [...other.remains, ...touched]) this.#left.set(id, repairable);
    return { run: decided, elsewhere: other.changes, standIns: other.standIns };
  }

  async #elsewhere(asked: AskedInvoice, run: AccountRun) {
    const { context, account } = this.#of;
    return this.#storage.read(context.tenant, async (session) => {
      const stored = await loadElsewhere(session, [asked]);
      new TakenIds(stored.taken).add(asked);
      const left = new Map([...this.#left, ...leftOfItems(run)]);
      const other = elsewhereChanges(account.id, asked.elsewhere, withLeftOfLinked(stored, left));
      const candidates = other.changes.map(({ before, after }) => ({ ...before, ...after }));
      const standIns = await loadStandIns(session, [{ state: { accountId: account.id }, candidates }]);
      return { ...other, standIns };
    });
  }
}

/** What plugins are told of a dry run: the date that it looks at, and the one that is asked for. */
export function dryRunProperties(date: LocalDate, targetDate: LocalDate | null): readonly PluginProperty[] {
  return [
    { key: 'DRY_RUN_CUR_DATE', value: formatLocalDate(date), isUpdatable: false },
    {
      key: 'DRY_RUN_TARGET_DATE',
      value: targetDate === null ? null : formatLocalDate(targetDate),
      isUpdatable: false,
    },
  ];
}
