import { isPaidByParent } from '../../accounts/index.ts';
import { hasEffect, systemDefinition, TagEffect } from '../../control-tags/index.ts';
import { balanceOf } from '../../invoicing/index.ts';
import type { Logger } from '../../ports/index.ts';
import type { ActiveValue, LastFailure, ReadSession } from '../../ports/storage/index.ts';
import {
  type Account,
  type BlockingState,
  ObjectType,
  OVERDUE_SERVICE,
  PaymentResponse,
  type Tag,
} from '../../records/index.ts';
import { ActiveValueCache } from '../../tenants/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Instant, type LocalDate, localDateOf } from '../../values/time/index.ts';
import { defaultOverdueConfig, type OverdueConfig, writeOverdueXml } from '../config/overdue-config.ts';
import { readOverdueDocument, readStoredOverdueDocument } from '../config/read-config.ts';
import { type UnpaidInvoice, unpaidOn } from '../evaluation/evaluate.ts';

export interface OverdueFacts {
  readonly account: Account;
  readonly today: LocalDate;
  /** The latest blocking state that overdue processing has set, or null if the account was always clear. */
  readonly prev: BlockingState | null;
  /** The account whose unpaid invoices are evaluated: the account itself or its paying parent (§8 rule 2). */
  readonly payerId: Uuid;
  readonly unpaid: readonly UnpaidInvoice[];
  readonly lastPaymentResponse: PaymentResponse | null;
  readonly tags: ReadonlySet<string>;
  readonly hasInvoicingOff: boolean;
  /**
   * The exempt account: the account itself or its paying parent (§7 rule 3). The value is null if neither is exempt.
   */
  readonly exemptBy: Uuid | null;
}

/**
 * Loads the overdue data of accounts in a constant number of statements (§3.2).
 * @param of `responses` specifies whether to read the reasons for failed payments.
 */
export async function loadOverdueFacts(
  session: ReadSession,
  accounts: readonly Account[],
  of: { readonly at: Instant; readonly responses: boolean },
): Promise<readonly OverdueFacts[]> {
  if (accounts.length === 0) return [];
  const ids = accounts.map(({ id }) => id);
  const payerIds = [...new Set(accounts.map(payerOf))];
  const asOf = { service: OVERDUE_SERVICE, at: of.at };
  const states = await session.subscriptions.findLatestBlockingStates(ids, asOf);
  const taggedIds = [...new Set([...ids, ...payerIds])];
  const tags = await session.tags.findByObjects(ObjectType.ACCOUNT, taggedIds, { includeDeleted: false });
  // Invoices that a parent pays remain the parent's debt (§8 rule 2).
  // The debt stays with the parent even after the account pays its own invoices again.
  const open = await session.invoices.findOpen(payerIds);
  const invoices = open.filter(({ contributedAmount }) => contributedAmount === null);
  const failures = of.responses ? await session.payments.findLastFailures(invoices.map(({ id }) => id)) : [];
  const failureOf = new Map(failures.map((failure) => [failure.invoiceId, failure]));
  const stateOf = new Map(states.map((state) => [state.blockedId, state]));
  const tagsOf = Map.groupBy(tags, ({ objectId }) => objectId);
  const invoicesOf = Map.groupBy(invoices, ({ accountId }) => accountId);
  return accounts.map((account): OverdueFacts => {
    const payerId = payerOf(account);
    const own = tagsOf.get(account.id) ?? [];
    const owed = invoicesOf.get(payerId) ?? [];
    const today = localDateOf(of.at, account.timeZone);
    const isExempt = (id: Uuid) => carries(tagsOf.get(id) ?? [], TagEffect.EXEMPTS_FROM_OVERDUE);
    return {
      account,
      today,
      prev: stateOf.get(account.id) ?? null,
      payerId,
      unpaid: owed.map((invoice) => {
        const { id: invoiceId, invoiceDate, commitDate, targetDate } = invoice;
        return { invoiceId, invoiceDate, commitDate, targetDate, balance: balanceOf(invoice) };
      }),
      lastPaymentResponse: lastResponse(unpaidOn(owed, today).flatMap(({ id }) => failureOf.get(id) ?? [])),
      tags: new Set(own.flatMap(({ tagDefinitionId }) => controlTagName(tagDefinitionId) ?? [])),
      hasInvoicingOff: carries(own, TagEffect.STOPS_INVOICING),
      exemptBy: [account.id, payerId].find(isExempt) ?? null,
    };
  });
}

/** Returns the reason for the newest failed payment, or null if no payment failed (§3.2). */
function lastResponse(failures: readonly LastFailure[]) {
  const [last] = failures.toSorted((one, other) => other.transactionRecordId - one.transactionRecordId);
  return last === undefined ? null : (last.paymentResponse ?? PaymentResponse.OTHER);
}

function payerOf(account: Account) {
  return isPaidByParent(account) && account.parentAccountId !== null ? account.parentAccountId : account.id;
}

function controlTagName(id: Uuid) {
  const definition = systemDefinition(id);
  return definition?.isControlTag ? definition.name : null;
}

function carries(tags: readonly Tag[], effect: TagEffect) {
  return tags.some(({ tagDefinitionId }) => hasEffect(tagDefinitionId, effect));
}

export type OverdueConfigOf = (session: ReadSession) => Promise<OverdueConfig>;

interface OverdueDocument {
  readonly text: string;
  readonly config: OverdueConfig;
}

/**
 * The overdue configurations of tenants (§1.2). Each configuration is parsed once. Nodes detect an upload by a changed
 * revision of the tenant.
 */
export class OverdueConfigs {
  readonly #logger: Logger;
  readonly #default: OverdueDocument;
  readonly #cache = new ActiveValueCache<OverdueConfig>();

  /**
   * Parses the host's default configuration.
   * @throws BillingError OVERDUE_INVALID_FOR_TENANT (5010), TOO_LARGE (60012) if it is invalid.
   */
  constructor(logger: Logger, defaultText?: string) {
    this.#logger = logger;
    this.#default =
      defaultText === undefined
        ? { text: writeOverdueXml(defaultOverdueConfig), config: defaultOverdueConfig }
        : { text: defaultText, config: readOverdueDocument(defaultText) };
  }

  readonly configOf: OverdueConfigOf = async (session) => {
    const { overdueConfig: active } = await session.revisions();
    if (active === null) return this.#default.config;
    return this.#cache.find(active) ?? (await this.#read(session, active)).config;
  };

  async documentOf(session: ReadSession): Promise<OverdueDocument> {
    const { overdueConfig: active } = await session.revisions();
    return active === null ? this.#default : this.#read(session, active);
  }

  async #read(session: ReadSession, active: ActiveValue) {
    const document = this.#parseDocument(session, await session.keyValues.valueOf(active.recordId));
    this.#cache.keep(session, active, document.config);
    return document;
  }

  /**
   * Returns the tenant's configuration, or the default configuration if the stored text is invalid, which is possible
   * if the text was stored without an upload (R13).
   */
  #parseDocument(session: ReadSession, text: string) {
    try {
      return { text, config: readStoredOverdueDocument(text) };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const facts = { tenantId: session.tenant.id };
      this.#logger.warn(facts, `tenant key OVERDUE_CONFIG: ${reason}; the default configuration applies`);
      return this.#default;
    }
  }
}
