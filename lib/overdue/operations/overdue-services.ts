import { noSuchAccount } from '../../accounts/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import {
  type BlockingState,
  BlockingStateType,
  type CallContext,
  OVERDUE_SERVICE,
  type Page,
  type WithContext,
} from '../../records/index.ts';
import { type KeyValueService, type SettingsOf, SystemKey } from '../../tenants/index.ts';
import { BillingError, invalidParameter } from '../../values/errors/index.ts';
import { converterOf } from '../../values/host-values/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_REQUESTED_DATE_YEARS } from '../../values/limits.ts';
import { stringifyExactJson } from '../../values/money/index.ts';
import {
  formatLocalDate,
  type Instant,
  type LocalDate,
  localDateOf,
  yearOf,
} from '../../values/time/index.ts';
import { invalidOverdueConfig } from '../config/config-values.ts';
import {
  CLEAR_STATE_NAME,
  type OverdueConfig,
  type OverdueDefinition,
  type OverdueState,
  overdueDefinition,
  wholeDays,
  writeOverdueXml,
} from '../config/overdue-config.ts';
import {
  formatOf,
  OverdueFormat,
  overdueXmlText,
  readOverdueDocument,
  readOverdueJson,
} from '../config/read-config.ts';
import {
  agesFrom,
  type BillingSnapshot,
  billingSnapshot,
  evaluateOverdue,
  unpaidOn,
} from '../evaluation/evaluate.ts';
import { explanationText, overdueCalendar, stateReasons } from '../evaluation/explanation.ts';
import {
  loadOverdueFacts,
  type OverdueConfigOf,
  type OverdueConfigs,
  type OverdueFacts,
} from '../loading/overdue-facts.ts';
import { checkKey } from '../triggers/overdue-jobs.ts';
import type {
  NewOverdueDefinition,
  OverdueAccountOperations,
  OverdueAccountsRequest,
  OverdueAccountView,
  OverdueConfigOperations,
  OverdueExplanation,
  OverduePreview,
  OverdueStateView,
  OverdueUploadOptions,
} from './overdue-operations.ts';

/** Operations that return current and predicted overdue states, and the reasons for a state (§10). */
export class OverdueAccountService implements OverdueAccountOperations<WithContext> {
  readonly #ports: Pick<Ports, 'storage'>;
  readonly #configOf: OverdueConfigOf;
  readonly #settingsOf: SettingsOf;

  constructor(
    ports: Pick<Ports, 'storage'>,
    of: { readonly configOf: OverdueConfigOf; readonly settingsOf: SettingsOf },
  ) {
    this.#ports = ports;
    this.#configOf = of.configOf;
    this.#settingsOf = of.settingsOf;
  }

  ofAccount(context: CallContext, accountId: Uuid): Promise<OverdueStateView> {
    return this.#ports.storage.read(context.tenant, async (session) => {
      const settings = await this.#settings(session);
      const [account] = await session.accounts.findByIds([accountId]);
      if (account === undefined) throw noSuchAccount(accountId);
      const asOf = { service: OVERDUE_SERVICE, at: context.createdDate };
      const [stored] = await session.subscriptions.findLatestBlockingStates([accountId], asOf);
      return storedStateView(stored ?? null, settings);
    });
  }

  accounts(
    context: CallContext,
    { state = null, offset, limit }: OverdueAccountsRequest,
  ): Promise<Page<OverdueAccountView>> {
    return this.#ports.storage.read(context.tenant, async (session) => {
      const { rows, ...counts } = await session.overdue.pageOverdue(state, { offset, limit });
      const accounts = await session.accounts.findByIds(rows.map(({ accountId }) => accountId));
      const byId = new Map(accounts.map((account) => [account.id, account]));
      const views = rows.flatMap(({ accountId, stateName }) => {
        const account = byId.get(accountId);
        if (account === undefined || stateName === null) return [];
        const { externalKey, name, email } = account;
        return [{ accountId, externalKey, name, email, state: stateName }];
      });
      return { rows: views, ...counts };
    });
  }

  preview(context: CallContext, accountId: Uuid, date: LocalDate): Promise<OverduePreview> {
    return this.#ports.storage.read(context.tenant, async (session) => {
      const settings = await this.#settings(session);
      const facts = await loadFacts(session, accountId, context.createdDate);
      checkDay(date, facts.today);
      const { account, unpaid: owed, today } = facts;
      const isExempt = facts.exemptBy !== null;
      const current = storedStateView(facts.prev, settings);
      const { config } = settings;
      const check = isExempt ? null : dayOf(await pendingCheck(session, facts), facts);
      const future = { config, owed, facts, current: current.name, check, today, until: date };
      const steps = overdueCalendar(future).map((step) => {
        return { date: step.date, state: configuredStateView(step.state, settings) };
      });
      const state = steps.at(-1)?.state ?? current;
      const snapshot = billingSnapshot(owed, { ...facts, today: date });
      const reasons = stateReasons({ config, snapshot, date, currency: account.currency });
      return { accountId, date, state, isExempt, steps, reasons };
    });
  }

  explain(context: CallContext, accountId: Uuid): Promise<OverdueExplanation> {
    return this.#ports.storage.read(context.tenant, async (session) => {
      const settings = await this.#settings(session);
      const facts = await loadFacts(session, accountId, context.createdDate);
      const since = await sinceWhen(session, facts, context.createdDate);
      const nextCheck = await pendingCheck(session, facts);
      return explanationOf(facts, { settings, since, nextCheck });
    });
  }

  async #settings(session: ReadSession) {
    const config = await this.#configOf(session);
    return { config, retryDays: (await this.#settingsOf(session))['payment.retry.days'] };
  }
}

async function loadFacts(session: ReadSession, accountId: Uuid, at: Instant) {
  const accounts = await session.accounts.findByIds([accountId]);
  const [facts] = await loadOverdueFacts(session, accounts, { at, responses: true });
  if (facts === undefined) throw noSuchAccount(accountId);
  return facts;
}

/** The time of the pending check, or null if no check is pending. */
async function pendingCheck(session: ReadSession, { account }: OverdueFacts) {
  const [pending] = await session.notifications.findPending([checkKey(account.recordId)]);
  return pending?.effectiveDate ?? null;
}

/** Returns the start of the state. If only flags change, the state does not start again (§5.1 step 5). */
async function sinceWhen(session: ReadSession, { account, prev }: OverdueFacts, now: Instant) {
  if (prev === null) return null;
  const blocks = await session.subscriptions.findBlocksOfAccounts([account.id]);
  const own = blocks
    .filter(({ service, type }) => service === OVERDUE_SERVICE && type === BlockingStateType.ACCOUNT)
    .filter(({ effective }) => effective.at <= now)
    .sort((one, other) => one.effective.at - other.effective.at || one.recordId - other.recordId);
  const before = own.findLastIndex(({ stateName }) => stateName !== prev.stateName);
  return own[before + 1]?.effective.at ?? prev.effective.at;
}

function checkDay(date: LocalDate, today: LocalDate) {
  const [asked, first] = [formatLocalDate(date), formatLocalDate(today)];
  const error = (problem: string) => invalidParameter(`${asked} ${problem}`, { date: asked });
  if (date < today) throw error(`is in the past; the earliest date is ${first}`);
  if (yearOf(date) - yearOf(today) > MAX_REQUESTED_DATE_YEARS)
    throw error(`is more than ${MAX_REQUESTED_DATE_YEARS} years from today, ${first}`);
}

export function explanationOf(
  facts: OverdueFacts,
  known: {
    readonly settings: StateSettings;
    readonly since: Instant | null;
    readonly nextCheck: Instant | null;
  },
): OverdueExplanation {
  const { account, today, payerId, exemptBy } = facts;
  const { settings, since, nextCheck } = known;
  const { config } = settings;
  const snapshot = billingSnapshot(facts.unpaid, facts);
  const state = storedStateView(facts.prev, settings);
  const matched = evaluateOverdue(config, snapshot, today)?.name ?? null;
  const reasons = stateReasons({ config, snapshot, date: today, currency: account.currency });
  return {
    accountId: account.id,
    state,
    since,
    date: today,
    matched,
    exemptBy,
    payingAccountId: payerId,
    currency: account.currency,
    ...debtOf(snapshot),
    controlTags: [...facts.tags].sort(),
    invoices: unpaidOn(facts.unpaid, today).map((invoice) => {
      return { invoiceId: invoice.invoiceId, unpaidSince: agesFrom(invoice), balance: invoice.balance };
    }),
    nextCheck,
    reasons,
    text: explanationText({
      state: state.isClearState ? CLEAR_STATE_NAME : state.name,
      since: dayOf(since, facts),
      matched,
      exempt: exemptBy === null ? null : exemptBy === account.id ? 'SELF' : 'PARENT',
      isPaidByParent: payerId !== account.id,
      reasons,
      nextCheck: dayOf(nextCheck, facts),
    }),
  };
}

function debtOf({ unpaidCount, unpaidTotal, anchor, lastPaymentResponse }: BillingSnapshot) {
  return { unpaidCount, unpaidTotal, unpaidSince: anchor, lastPaymentResponse };
}

export function dayOf(at: Instant | null, { account }: OverdueFacts): LocalDate | null {
  return at === null ? null : localDateOf(at, account.timeZone);
}

export interface StateSettings {
  readonly config: OverdueConfig;
  readonly retryDays: readonly number[];
}

/** Returns the view of a configured state. A null state means clear. */
export function configuredStateView(
  state: OverdueState | null,
  { retryDays }: Pick<StateSettings, 'retryDays'>,
): OverdueStateView {
  return {
    name: state?.name ?? CLEAR_STATE_NAME,
    externalMessage: state?.externalMessage ?? '',
    daysBetweenPaymentRetries: retryDays,
    isDisableEntitlementAndChangesBlocked: state?.disableEntitlement ?? false,
    isBlockChanges: state?.blockChanges ?? false,
    isClearState: state?.isClearState ?? true,
    reevaluationIntervalDays: wholeDays(state?.reevaluationInterval ?? null),
  };
}

/** Returns the view of the stored state. The current configuration may not contain this state (§2.1). */
export function storedStateView(stored: BlockingState | null, settings: StateSettings): OverdueStateView {
  const name = stored?.stateName ?? CLEAR_STATE_NAME;
  if (stored === null || name === CLEAR_STATE_NAME) return configuredStateView(null, settings);
  const known = settings.config.states.find((state) => state.name === name);
  if (known !== undefined) return configuredStateView(known, settings);
  return {
    ...configuredStateView(null, settings),
    name,
    isDisableEntitlementAndChangesBlocked: stored.isBlockEntitlement,
    isBlockChanges: stored.isBlockChange,
    isClearState: false,
  };
}

/** Operations on overdue configurations (§1). A configuration is stored under a key of the tenant (platform §3). */
export class OverdueConfigService implements OverdueConfigOperations<WithContext> {
  readonly #ports: Pick<Ports, 'storage'>;
  readonly #configs: OverdueConfigs;
  readonly #keyValues: Pick<KeyValueService, 'add'>;

  constructor(
    ports: Pick<Ports, 'storage'>,
    configs: OverdueConfigs,
    keyValues: Pick<KeyValueService, 'add'>,
  ) {
    this.#ports = ports;
    this.#configs = configs;
    this.#keyValues = keyValues;
  }

  async upload(
    context: CallContext,
    config: Uint8Array | string | NewOverdueDefinition,
    { format }: OverdueUploadOptions = {},
  ): Promise<void> {
    await this.#keyValues.add(context, SystemKey.OVERDUE_CONFIG, checkedText(config, format));
  }

  async get(context: CallContext): Promise<OverdueDefinition> {
    const config = await this.#ports.storage.read(context.tenant, this.#configs.configOf);
    return overdueDefinition(config);
  }

  async getXml(context: CallContext): Promise<string> {
    const { text, config } = await this.#ports.storage.read(context.tenant, (session) =>
      this.#configs.documentOf(session),
    );
    return formatOf(text) === OverdueFormat.XML ? text : writeOverdueXml(config);
  }
}

/** Returns the text to store. @throws The errors of `upload`. */
function checkedText(config: Uint8Array | string | NewOverdueDefinition, format?: OverdueFormat) {
  if (typeof config !== 'string' && !(config instanceof Uint8Array)) return definitionText(config);
  readOverdueDocument(config, format);
  return overdueXmlText(config);
}

const withAmountsRead = converterOf({
  overdueStates: [{ condition: { totalUnpaidInvoiceBalanceEqualsOrExceeds: 'amount' } }],
});

/** Returns a valid definition as JSON. @throws The errors of `upload`, with problems that have no positions. */
export function definitionText(definition: NewOverdueDefinition): string {
  const text = stringifyExactJson(withAmountsRead(definition, ''));
  try {
    readOverdueJson(text);
  } catch (error) {
    if (!(error instanceof BillingError) || error.problems === undefined) throw error;
    throw invalidOverdueConfig(error.problems.map(({ message }) => ({ message })));
  }
  return text;
}
