import type { CatalogOfAccount } from '../../catalog/index.ts';
import type { IdGenerator, Logger } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import type { Account } from '../../records/index.ts';
import { type ActivityPorts, ofAccount } from '../../runtime/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type LocalDate, localDateOf } from '../../values/time/index.ts';
import { NOTHING_CREDITED } from '../credit/credit-moves.ts';
import { dueEntries, rescheduledEntry } from '../evaluation/run-entries.ts';
import { countedRun, creditRun } from '../evaluation/run-invoice.ts';
import type { UsageSupplies } from '../evaluation/source-usage.ts';
import { loadCreditInputs } from '../loading/load-credit-inputs.ts';
import { type Consultation, proposalOf, type SeenRun } from '../plugins/ask-about-runs.ts';
import { decideRuns } from '../plugins/decide-runs.ts';
import { imposedNumbers, numberRuns } from '../plugins/impose-numbers.ts';
import { isSameProposal, replayedIds } from '../plugins/proposal.ts';
import { saveSplitRuns } from '../plugins/split-runs.ts';
import type { InvoicingConfig } from '../proposals/invoicing-config.ts';
import { type EvaluatedAccount, saveRuns } from '../saving/save-runs.ts';
import { type EvaluatedRun, evaluateRuns, type RunRequest } from './evaluate-runs.ts';

/** The outcome of one account's run. */
export type RunResult =
  | {
      readonly account: Account;
      readonly kind: 'done';
      /** Empty = nothing to invoice. */
      readonly invoiceIds: readonly Uuid[];
      /** Subscriptions that could not be billed because their events are damaged. */
      readonly skipped: readonly Uuid[];
    }
  | {
      readonly account: Account;
      readonly kind: 'failed';
      readonly error: unknown;
      /** True: the invoice was worked out, and the due entries that follow are recorded (§8.6). */
      readonly isWorkedOut: boolean;
      /** True: a later run may do better, and the account is not parked; default false. */
      readonly isRetried?: boolean;
    }
  /** A plugin has kept the run from being made now. */
  | { readonly account: Account; readonly kind: 'stopped' }
  /** The account is no longer as plugins or usage sources saw it: they have to be asked again. */
  | { readonly account: Account; readonly kind: 'changed' };

type Failed = Extract<RunResult, { kind: 'failed' }>;

export interface RunDependencies {
  readonly ids: IdGenerator;
  readonly config: InvoicingConfig;
  readonly catalogOf: CatalogOfAccount;
  /** By account id, what plugins say; null = there are none. */
  readonly consulted?: ReadonlyMap<Uuid, Consultation> | null;
  /** What usage sources have told; null = there are none. */
  readonly supplies?: UsageSupplies | null;
}

/**
 * Runs any number of locked accounts of one tenant in the session's transaction (§8.2): loads in bulk, evaluates each
 * account by itself, saves in bulk. An account whose evaluation fails is reported and not saved; the others go on.
 */
export async function runAccounts(
  session: WriteSession,
  requests: readonly RunRequest[],
  dependencies: RunDependencies,
): Promise<readonly RunResult[]> {
  const { ids, config, catalogOf, consulted = null, supplies = null } = dependencies;
  const over =
    consulted === null ? [] : requests.flatMap((request) => overBefore(session, request, consulted));
  const isOver = new Set(over.map(({ account }) => account.id));
  const seenOf = (accountId: Uuid): SeenRun | null => goingOf(consulted, accountId)?.seen ?? null;
  const {
    runs,
    failed: unevaluated,
    changed: suppliedAnew,
  } = await evaluateRuns(
    session,
    requests.filter(({ account }) => !isOver.has(account.id)),
    {
      now: session.authorship.createdDate,
      config,
      catalogOf,
      supplies,
      idsOf: (accountId) => {
        const seen = seenOf(accountId);
        return seen === null ? ids : replayedIds(seen.ids, ids);
      },
    },
  );
  const isAsSeen = (run: EvaluatedRun): boolean => {
    const going = goingOf(consulted, run.billing.account.id);
    if (going === null || going.seen !== null)
      return going?.seen == null || isSameProposal(going.seen.proposal, proposalOf(run));
    return !going.isToBeSeen || run.run.items.length === 0;
  };
  const decided = await decideRuns(
    session,
    runs.filter(isAsSeen).map((evaluated) => ({ evaluated, seen: seenOf(evaluated.billing.account.id) })),
    () => ids.next(),
  );
  const { credited, failed: uncredited } = await withCredit(session, decided.plain, ids);
  const ready = await numberRuns(session, { plain: credited, split: decided.split }, (accountId, invoices) =>
    imposedNumbers(goingOf(consulted, accountId)?.properties ?? [], invoices),
  );
  const { plain, split, numbers } = ready;
  const failed = [...decided.failed, ...uncredited, ...ready.failed].map((each) => recorded(session, each));
  const invoiceIds = await saveRuns(session, plain, { ids, numbers });
  const splitIds = await saveSplitRuns(session, split, { ids, numbers });
  const done = [...plain, ...split].map(({ billing: { account, skipped } }): RunResult => {
    const own = invoiceIds.get(account.id);
    return {
      account,
      kind: 'done',
      invoiceIds: splitIds.get(account.id) ?? (own === undefined ? [] : [own]),
      skipped,
    };
  });
  const changed = [
    ...suppliedAnew,
    ...runs.filter((run) => !isAsSeen(run)).map(({ billing: { account } }) => account),
  ];
  return [
    ...done,
    ...unevaluated.map((failure): Failed => ({ ...failure, kind: 'failed', isWorkedOut: false })),
    ...failed,
    ...over,
    ...changed.map((account): RunResult => ({ account, kind: 'changed' })),
  ];
}

function goingOf(consulted: RunDependencies['consulted'], accountId: Uuid) {
  const consultation = consulted?.get(accountId);
  return consultation?.kind === 'go' ? consultation : null;
}

/** The outcome of a run that plugins have ended before it begins, or that they were not asked about. */
function overBefore(
  session: WriteSession,
  { account }: RunRequest,
  consulted: ReadonlyMap<Uuid, Consultation>,
): readonly RunResult[] {
  const consultation = consulted.get(account.id);
  switch (consultation?.kind) {
    case undefined:
      return [{ account, kind: 'changed' }];
    case 'go':
      return [];
    case 'stopped': {
      const { rescheduledTo } = consultation;
      if (rescheduledTo !== null) session.schedule([rescheduledEntry(account, rescheduledTo)]);
      return [{ account, kind: 'stopped' }];
    }
    case 'failed': {
      const { error, worked } = consultation;
      const now = session.authorship.createdDate;
      if (worked !== null) session.schedule(dueEntries(account, worked, now));
      return [{ account, kind: 'failed', error, isWorkedOut: worked !== null }];
    }
  }
}

/** §8.6: whatever fails once the invoice is worked out, the due entries are recorded. */
function recorded(
  session: WriteSession,
  { evaluated, error }: { readonly evaluated: EvaluatedRun; readonly error: unknown },
): Failed {
  const { account } = evaluated.billing;
  session.schedule(dueEntries(account, evaluated.run, session.authorship.createdDate));
  return { account, kind: 'failed', error, isWorkedOut: true };
}

/** The runs with the accounts' credit applied; an account whose credit is in an illegal state counts as failed. */
async function withCredit(session: WriteSession, runs: readonly EvaluatedRun[], ids: IdGenerator) {
  const invoiced = runs.filter(({ run }) => run.items.length > 0);
  const counted = invoiced.map(({ run, invoiceId, billing }) =>
    countedRun(run, invoiceId, todayOf(billing.account, session)),
  );
  const inputs = await loadCreditInputs(session, counted);
  const nextItemId = (): Uuid => ids.next();
  const failed: { readonly evaluated: EvaluatedRun; readonly error: unknown }[] = [];
  const credited = runs.flatMap((evaluated): readonly EvaluatedAccount[] => {
    const { account } = evaluated.billing;
    const input = evaluated.run.items.length > 0 ? inputs.get(account.id) : undefined;
    if (input === undefined) return [{ ...evaluated, credited: NOTHING_CREDITED }];
    try {
      const today = todayOf(account, session);
      return [{ ...evaluated, ...creditRun(evaluated.run, input, { today, nextItemId }) }];
    } catch (error) {
      failed.push({ evaluated, error });
      return [];
    }
  });
  return { credited, failed };
}

function todayOf(account: Account, session: WriteSession): LocalDate {
  return localDateOf(session.authorship.createdDate, account.timeZone);
}

/** Warns the operator of subscriptions that runs have left out (subscriptions §19.2 rule 2): the others were billed. */
export function warnOfSkipped(
  ports: { readonly logger: Logger } & ActivityPorts,
  results: readonly RunResult[],
): void {
  for (const result of results) {
    if (result.kind !== 'done' || result.skipped.length === 0) continue;
    const { account, skipped } = result;
    ofAccount(ports, account.recordId, () =>
      ports.logger.warn(
        { accountId: account.id, subscriptionIds: skipped },
        'subscriptions whose events do not begin with their start are left out of the invoice run',
      ),
    );
  }
}
