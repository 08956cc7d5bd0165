import { loadAccount, lockAccount } from '../../accounts/index.ts';
import type { IdGenerator, InvoiceForPlugins, Ports } from '../../ports/index.ts';
import type { ReadSession, WriteSession } from '../../ports/storage/index.ts';
import type { Account, CallContext, PluginProperty } from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import { billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_INVOICE_CONSULTATIONS } from '../../values/limits.ts';
import { localDateOf } from '../../values/time/index.ts';
import type { InvoicingConfigOf } from '../proposals/invoicing-config.ts';
import { changeInvoices } from '../saving/change-invoices.ts';
import { type ConsultedInvoice, ReservedIds } from './additional-items.ts';
import {
  type ApprovedChange,
  approvedChange,
  invoiceToExtend,
  isSameChange,
  loadElsewhere,
  type ProposedChange,
  type ProposedInvoice,
  unchangedProposal,
  viewOfProposed,
  withFollowingTaxes,
} from './approved-change.ts';
import {
  type ConsultedCall,
  consultedCall,
  type InvoicePluginCalls,
  loadInvoicesForPlugins,
  type RegisteredInvoicePlugins,
} from './plugin-calls.ts';
import { alwaysChanged, recordedIds, replayedIds } from './proposal.ts';
import { imposeNumbers, numbersOf } from './split-and-number.ts';

export interface Planning {
  readonly ids: IdGenerator;
  /** True if plugins see the operation, so that all stored items of its invoices must be loaded. */
  readonly isConsulted: boolean;
}

/**
 * A user operation on invoices (§9). The operation is planned before it is applied, so that plugins can veto or change
 * it.
 */
export interface InvoiceOperation<Subject, Plan extends ProposedChange, Result> {
  /** Value of the plugin property INVOICE_OPERATION (§13 rule 7). */
  readonly name?: 'commit' | 'void';
  /** True if plugins may add items to the invoices of the operation. */
  readonly takesItems: boolean;
  /** Loads the subject without a lock. */
  find(session: ReadSession): Promise<Subject>;
  /** Loads the subject of the operation and takes the required locks. */
  lock(session: WriteSession): Promise<Subject>;
  /**
   * Returns the planned change. The result depends only on the subject and the ids. Throws if the operation is invalid.
   */
  plan(session: ReadSession, subject: Subject, planning: Planning): Promise<Plan>;
  /** Applies the change in the transaction that holds the locks. */
  apply(session: WriteSession, plan: Plan, decided: ChangeToApply): Promise<Result>;
}

interface ChangeToApply extends ApprovedChange {
  /** The numbers that plugins impose, by the id of the new invoice. */
  readonly numbers: ReadonlyMap<Uuid, number>;
  readonly ids: IdGenerator;
}

type Properties = readonly PluginProperty[];

interface Consulted<Plan> {
  readonly calls: InvoicePluginCalls;
  readonly plan: Plan;
  readonly ids: readonly Uuid[];
  readonly parts: readonly ConsultedPart[];
  /** The invoices of the operation with the plugins' changes, in the order of the operation. */
  readonly asked: readonly ConsultedInvoice[];
}

/** The state of one account's plugin calls in an operation. */
interface ConsultedPart {
  readonly account: Account;
  readonly call: ConsultedCall;
  readonly properties: Properties;
  /** The invoices of the operation by id, as plugins last saw them. */
  readonly seen: ReadonlyMap<Uuid, InvoiceForPlugins>;
}

interface OperationTools {
  readonly ports: Pick<Ports, 'storage' | 'ids' | 'logger'>;
  readonly plugins: RegisteredInvoicePlugins;
  readonly configOf: InvoicingConfigOf;
}

/** User operations on invoices. A tenant's invoice plugins can veto or change them (§9, §13 rule 7). */
export interface ConsultedOperations {
  /**
   * Runs the operation. A tenant's plugins are first consulted about the planned change, outside transactions and
   * without a lock. If the change differs under the lock, the operation starts again.
   * @throws BillingError INVOICE_PLUGIN_API_ABORTED (4029), UNEXPECTED (60000) for a plugin that fails, BUSY (60018)
   * for an account that keeps changing; 4006 to 4031 for items of plugins; otherwise the errors of the operation.
   */
  run<Subject, Plan extends ProposedChange, Result>(
    context: CallContext,
    operation: InvoiceOperation<Subject, Plan, Result>,
  ): Promise<Result>;
}

export function consultedOperations(tools: OperationTools): ConsultedOperations {
  return {
    run: async (context, operation) => {
      for (let times = 1; ; times += 1) {
        const consulted = await consult(tools, context, operation);
        const done = await doOnce(tools, { context, consulted }, operation);
        if (done !== null) {
          if (consulted !== null) await reportSuccess(tools, context, consulted);
          return done.result;
        }
        if (times >= MAX_INVOICE_CONSULTATIONS) throw alwaysChanged(consulted?.plan.accounts[0]?.id);
      }
    },
  };
}

/** Consults the plugins. Returns null for a tenant without plugins. Reads nothing if no tenant has plugins. */
async function consult<Subject, Plan extends ProposedChange, Result>(
  { ports, plugins, configOf }: OperationTools,
  context: CallContext,
  operation: InvoiceOperation<Subject, Plan, Result>,
) {
  if (plugins.isEmpty) return null;
  const planned = await ports.storage.read(context.tenant, async (session) => {
    const calls = plugins.of(await configOf(session));
    if (calls.isEmpty) return null;
    const ids = recordedIds(ports.ids);
    const subject = await operation.find(session);
    const plan = await operation.plan(session, subject, { ids, isConsulted: true });
    return { calls, plan, ids: ids.taken };
  });
  if (planned === null) return null;
  const { calls, plan } = planned;
  const parts: ConsultedPart[] = [];
  const { tenant, createdDate: now, pluginProperties = [] } = context;
  const caller = { ...context, userTokenOf: () => context.userToken };
  const { name } = operation;
  const named = name === undefined ? [] : [{ key: 'INVOICE_OPERATION', value: name, isUpdatable: false }];
  for (const account of plan.accounts) {
    const about = { tenant, now, targetDate: null, rescheduled: false, dryRun: false };
    const call = consultedCall(account, caller, about);
    const own = invoicesOf(plan, account);
    const properties = await callPriorCalls(calls, call, { own, given: [...pluginProperties, ...named] });
    const seen = new Map(own.map((each) => [each.invoice.id, viewOfProposed(each)]));
    parts.push({ account, call, properties, seen });
  }
  if (operation.takesItems) return requestItems(planned, parts);
  return { ...planned, parts, asked: plan.invoices.map(invoiceToExtend) };
}

/** Runs the operation once. Returns null if the planned change differs from the change that the plugins saw. */
async function doOnce<Subject, Plan extends ProposedChange, Result>(
  { ports }: OperationTools,
  { context, consulted }: { readonly context: CallContext; readonly consulted: Consulted<Plan> | null },
  operation: InvoiceOperation<Subject, Plan, Result>,
) {
  try {
    return await ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
      const subject = await operation.lock(session);
      const ids = consulted === null ? ports.ids : replayedIds(consulted.ids, ports.ids);
      const plan = await operation.plan(session, subject, { ids, isConsulted: consulted !== null });
      if (consulted !== null && !isSameChange(consulted.plan, plan)) return null;
      const decided =
        consulted === null
          ? { ...unchangedProposal(plan), numbers: new Map() }
          : await decide(session, plan, consulted);
      return { result: await operation.apply(session, plan, { ...decided, ids: ports.ids }) };
    });
  } catch (error) {
    if (consulted !== null) await reportFailure(consulted);
    throw error;
  }
}

/** Reports the success of an operation to the plugins. Never throws (§13 rule 8). */
async function reportSuccess(
  { ports: { storage, logger } }: OperationTools,
  { tenant }: CallContext,
  { calls, plan, parts }: Consulted<ProposedChange>,
): Promise<void> {
  if (!calls.has('onSuccessCall')) return;
  try {
    const ids = plan.invoices.map(({ invoice }) => invoice.id);
    const stored = await loadInvoicesForPlugins(storage, tenant, ids);
    for (const { call, properties, seen } of parts) {
      if (seen.size === 0) await calls.succeeded(call, properties, null);
      for (const id of seen.keys()) await calls.succeeded(call, properties, stored.get(id) ?? null);
    }
  } catch (error) {
    const accountIds = parts.map(({ call }) => call.accountId);
    logger.error({ err: error, accountIds }, 'could not notify invoice plugins of the outcome');
  }
}

function invoicesOf({ invoices }: ProposedChange, account: Account | undefined) {
  return invoices.filter(({ invoice }) => invoice.accountId === account?.id);
}

/**
 * Calls `priorCall` for one account. Plugins see the invoice if the operation changes a single existing invoice.
 * @throws BillingError INVOICE_PLUGIN_API_ABORTED (4029).
 */
async function callPriorCalls(
  calls: InvoicePluginCalls,
  call: ConsultedCall,
  { own, given }: { readonly own: readonly ProposedInvoice[]; readonly given: Properties },
) {
  const [only] = own;
  const about = own.length === 1 && only?.before != null ? viewOfProposed(only) : null;
  const prior = await calls.prior(call, given, about);
  if (prior.kind === 'go') return prior.properties;
  const what =
    prior.kind === 'aborted'
      ? 'aborted the operation'
      : 'rescheduled the operation, but only runs can be rescheduled';
  throw billingError(
    ErrorCode.INVOICE_PLUGIN_API_ABORTED,
    `The invoice plugin "${prior.pluginName}" ${what}`,
    { pluginName: prior.pluginName, accountId: call.accountId },
  );
}

/** Requests the items of each invoice from the plugins. Reports a failure to the plugins (§8.6). */
async function requestItems<Plan extends ProposedChange>(
  planned: Pick<Consulted<Plan>, 'calls' | 'plan' | 'ids'>,
  begun: readonly ConsultedPart[],
) {
  const { calls, plan } = planned;
  const parts: ConsultedPart[] = [];
  const asked = new Map<Uuid, ConsultedInvoice>();
  for (let part of begun) {
    const { account, call } = part;
    const date = localDateOf(call.now, account.timeZone);
    for (const proposed of invoicesOf(plan, account)) {
      const see = (latest: ConsultedInvoice) => viewOfProposed(proposed, latest);
      try {
        const given = { invoice: invoiceToExtend(proposed), properties: part.properties };
        const { invoice, properties } = await calls.additionalItems(call, given, { see, date });
        asked.set(invoice.invoiceId, invoice);
        part = { ...part, properties, seen: new Map([...part.seen, [invoice.invoiceId, see(invoice)]]) };
      } catch (error) {
        await reportFailure({ calls, parts: [part] });
        throw error;
      }
    }
    parts.push(part);
  }
  return {
    ...planned,
    parts,
    asked: plan.invoices.map((each) => asked.get(each.invoice.id) ?? invoiceToExtend(each)),
  };
}

async function reportFailure({ calls, parts }: Pick<Consulted<ProposedChange>, 'calls' | 'parts'>) {
  for (const { call, properties, seen } of parts) {
    if (seen.size === 0) await calls.failed(call, properties, null);
    for (const invoice of seen.values()) await calls.failed(call, properties, invoice);
  }
}

/** Checks the plugins' decisions against the stored data and returns the operation with these decisions. */
async function decide(
  session: WriteSession,
  plan: ProposedChange,
  { asked: answered, parts }: Consulted<ProposedChange>,
) {
  const asked = plan.invoices.map((proposed, index) =>
    withFollowingTaxes(proposed, answered[index] ?? invoiceToExtend(proposed)),
  );
  const stored = await loadElsewhere(session, asked);
  const taken = new ReservedIds(stored.taken);
  for (const each of asked) taken.add(each);
  const decided = approvedChange(plan, asked, stored);
  return { ...decided, numbers: await imposePluginNumbers(parts, session, plan) };
}

/** Returns the numbers that plugins impose on new invoices. @throws BillingError INVOICE_INVALID_NUMBER (4019). */
async function imposePluginNumbers(
  parts: readonly ConsultedPart[],
  session: WriteSession,
  { invoices }: ProposedChange,
) {
  const added = invoices.filter(({ before }) => before === null).map(({ invoice }) => invoice);
  const asked = parts.flatMap(({ call, properties }) => {
    const own = added.filter(({ accountId }) => accountId === call.accountId);
    const ids = own.map(({ id }) => id);
    return numbersOf(ids, properties);
  });
  const { numbers, refused } = await imposeNumbers(session, [{ of: null, numbers: asked }]);
  for (const { error } of refused) throw error;
  return numbers;
}

export function onAccount(accountId: Uuid) {
  return {
    find: (session: ReadSession): Promise<Account> => loadAccount(session, accountId),
    lock: (session: WriteSession): Promise<Account> => lockAccount(session, accountId),
  };
}

/** Stores the items of an operation and of its plugins. The caller has locked the account. */
export async function saveDecided(
  session: WriteSession,
  { changes, rewritten, remains, numbers, ids }: ChangeToApply,
  account: Account,
): Promise<void> {
  await session.invoices.rewriteItems(rewritten);
  await session.invoices.setRepairable(remains);
  const renoted = changes.flatMap(({ before, after }) =>
    before === null || before.note === after.note ? [] : [{ ...before, note: after.note }],
  );
  if (renoted.length > 0) await session.invoices.setStanding(renoted);
  await changeInvoices(session, { changes, accounts: [account], numbers }, ids);
}
