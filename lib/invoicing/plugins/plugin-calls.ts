import type {
  InvoicePlugin,
  InvoicePluginContext,
  PluginIdentity,
  Ports,
  SeenInvoice,
} from '../../ports/index.ts';
import type { Storage } from '../../ports/storage/index.ts';
import type {
  Account,
  AddedItem,
  Invoice,
  InvoiceItem,
  New,
  PluginProperty,
  TenantRef,
} from '../../records/index.ts';
import { type ActivityPorts, callPlugin, plainError, pluginFailure } from '../../runtime/index.ts';
import { BillingError, InvariantError, MalformedAnswer } from '../../values/errors/index.ts';
import { frozenCopy } from '../../values/given/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant, LocalDate } from '../../values/time/index.ts';
import { invoiceAmounts } from '../invoices/invoice-amounts.ts';
import { itemOf } from '../invoices/new-invoice.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';
import type { InvoicingConfig } from '../proposals/invoicing-config.ts';
import type { RunCaller } from '../runs/ask-usage-sources.ts';
import { type AskedInvoice, withAdditionalItems } from './additional-items.ts';
import { claimedAnswer, claimedGroups, claimedItems, claimedPrior, refusedTo } from './plugin-claims.ts';

/** Time limit of one call of an invoice plugin: no lock is held meanwhile, but the account's run waits for it. */
const INVOICE_PLUGIN_TIMEOUT_MS = 10_000;

/** What plugins are asked about, the same for all calls of one run or operation on one account. */
export interface ConsultedCall
  extends Omit<InvoicePluginContext, 'tenantId' | 'invoice' | 'existingInvoices' | 'now'> {
  readonly tenant: TenantRef;
  readonly now: Instant;
}

/** The call that plugins are told of. */
export function consultedCall(
  { id: accountId, recordId }: Account,
  { userName, reasonCode, comments, userTokenOf }: RunCaller,
  of: Pick<ConsultedCall, 'tenant' | 'now' | 'targetDate' | 'rescheduled' | 'dryRun'>,
): ConsultedCall {
  return { ...of, accountId, userName, reasonCode, comments, userToken: userTokenOf(recordId) };
}

type PriorDecision =
  | { readonly kind: 'go'; readonly properties: Properties }
  | { readonly kind: 'aborted'; readonly pluginName: string }
  | { readonly kind: 'rescheduled'; readonly pluginName: string; readonly to: Instant };

type Properties = readonly PluginProperty[];

/** How plugins see the invoice at hand as it is after the previous one. */
type See = (asked: AskedInvoice) => SeenInvoice;

interface AskingForItems {
  readonly see: See;
  /** Local date of new items that have none. */
  readonly date: LocalDate;
}

type Member = Exclude<keyof InvoicePlugin, keyof PluginIdentity>;

/**
 * The calls of the invoice plugins of one tenant, in their order (§13). Never inside a transaction. What a plugin answers is
 * a claim: it is read as such, and the error for what cannot be names the plugin.
 */
export class InvoicePluginCalls {
  readonly #ports: Pick<Ports, 'storage' | 'systemClock' | 'logger' | 'ids'> & ActivityPorts;
  readonly #plugins: readonly InvoicePlugin[];

  constructor(
    ports: Pick<Ports, 'storage' | 'systemClock' | 'logger' | 'ids'> & ActivityPorts,
    plugins: readonly InvoicePlugin[],
  ) {
    this.#ports = ports;
    this.#plugins = plugins;
  }

  /** True: there is nobody to ask. */
  get isEmpty(): boolean {
    return this.#plugins.length === 0;
  }

  has(member: Member): boolean {
    return this.#plugins.some((plugin) => plugin[member] !== undefined);
  }

  /**
   * Asks before anything is done (§8.2 step 6): an abort wins, then the earliest date.
   * @param invoice the invoice that an operation is about; null for runs.
   * @throws BillingError UNEXPECTED (60000) for a plugin that fails.
   */
  async prior(
    call: ConsultedCall,
    given: Properties,
    invoice: SeenInvoice | null = null,
  ): Promise<PriorDecision> {
    let properties = frozenCopy(given);
    let earliest: Extract<PriorDecision, { kind: 'rescheduled' }> | null = null;
    const context = this.#contextOf(call, invoice);
    for (const plugin of this.#plugins) {
      if (plugin.priorCall === undefined) continue;
      const ask = async () => plugin.priorCall?.(context, properties);
      const prior = await this.#ask({ plugin, member: 'priorCall' }, ask, (answer) =>
        claimedPrior(answer, call.now),
      );
      if (prior.isAborted) return { kind: 'aborted', pluginName: plugin.name };
      const to = prior.rescheduledTo;
      if (to !== null && (earliest === null || to < earliest.to)) {
        earliest = { kind: 'rescheduled', pluginName: plugin.name, to };
      }
      properties = frozenOr(prior.properties, properties);
    }
    return earliest ?? { kind: 'go', properties };
  }

  /**
   * The invoice with the items that the plugins add and change (§8.2 step 11).
   * @throws BillingError UNEXPECTED (60000) for a plugin that fails, and those of `withAdditionalItems`.
   */
  async additionalItems(
    call: ConsultedCall,
    given: { readonly invoice: AskedInvoice; readonly properties: Properties },
    { see, date }: AskingForItems,
  ): Promise<{ readonly invoice: AskedInvoice; readonly properties: Properties }> {
    let { invoice } = given;
    let properties = frozenCopy(given.properties);
    for (const plugin of this.#plugins) {
      if (plugin.getAdditionalInvoiceItems === undefined) continue;
      const asked = invoice;
      const seen = see(asked);
      const context = this.#contextOf(call, seen);
      const member = 'getAdditionalInvoiceItems';
      const ask = async () => plugin[member]?.(seen, call.dryRun, properties, context);
      const answer = await this.#ask({ plugin, member }, ask, (claimed) => {
        const { items, properties: next } = claimedItems(claimed);
        const nextItemId = (): Uuid => this.#ports.ids.next();
        return { ...withAdditionalItems(asked, items, { pluginName: plugin.name, date, nextItemId }), next };
      });
      if (answer.passedOver.length > 0) this.#warn(plugin, call, answer.passedOver);
      invoice = answer.invoice;
      properties = frozenOr(answer.next, properties);
    }
    return { invoice, properties };
  }

  /**
   * How the items are to be grouped (§8.2 step 12): the first answer that is not empty; null = not at all. What the groups
   * come to is checked by `read`, so that its error names the plugin.
   * @throws BillingError UNEXPECTED (60000) for a plugin that fails.
   */
  async grouping<G>(
    call: ConsultedCall,
    given: { readonly invoice: SeenInvoice; readonly properties: Properties },
    read: (groups: readonly (readonly Uuid[])[]) => G,
  ): Promise<{ readonly groups: G | null; readonly properties: Properties }> {
    const { invoice } = given;
    let properties = frozenCopy(given.properties);
    let groups: G | null = null;
    const context = this.#contextOf(call, invoice);
    for (const plugin of this.#plugins) {
      if (plugin.getInvoiceGrouping === undefined) continue;
      const member = 'getInvoiceGrouping';
      const ask = async () => plugin[member]?.(invoice, call.dryRun, properties, context);
      const answer = await this.#ask({ plugin, member }, ask, (claimed) => {
        const { groups: ids, properties: next } = claimedGroups(claimed);
        return { grouped: ids.length === 0 ? null : read(ids), next };
      });
      properties = frozenOr(answer.next, properties);
      groups = answer.grouped;
      if (groups !== null) break;
    }
    return { groups, properties };
  }

  /** Tells that an invoice is stored, or that there was nothing to do (null). Never throws (§13 rule 8). */
  succeeded(call: ConsultedCall, properties: Properties, invoice: SeenInvoice | null): Promise<void> {
    return this.#tell('onSuccessCall', call, { properties, invoice });
  }

  /** Tells that an invoice is not stored after all. Never throws (§13 rule 8). */
  failed(call: ConsultedCall, properties: Properties, invoice: SeenInvoice | null): Promise<void> {
    return this.#tell('onFailureCall', call, { properties, invoice });
  }

  async #tell(
    member: 'onSuccessCall' | 'onFailureCall',
    call: ConsultedCall,
    given: { readonly properties: Properties; readonly invoice: SeenInvoice | null },
  ): Promise<void> {
    const { invoice } = given;
    let properties = frozenCopy(given.properties);
    const context = this.#contextOf(call, invoice);
    for (const plugin of this.#plugins) {
      if (plugin[member] === undefined) continue;
      try {
        const ask = async () => plugin[member]?.(context, properties);
        const answer = await this.#ask({ plugin, member }, ask, claimedAnswer);
        properties = frozenOr(answer.properties, properties);
      } catch (error) {
        this.#ports.logger.error(
          { err: error, pluginName: plugin.name, accountId: call.accountId, invoiceId: invoice?.id ?? null },
          'an invoice plugin failed when it was told the outcome',
        );
      }
    }
  }

  async #ask<T>(
    { plugin: { name }, member }: { readonly plugin: InvoicePlugin; readonly member: Member },
    ask: () => Promise<unknown>,
    read: (answer: unknown) => T,
  ): Promise<T> {
    const called = { kind: 'invoice plugin', name, member, timeoutMs: INVOICE_PLUGIN_TIMEOUT_MS };
    const answer = await callPlugin(called, this.#ports, ask);
    try {
      return read(answer);
    } catch (thrown) {
      const error = plainError(thrown);
      if (error instanceof MalformedAnswer) throw pluginFailure(called, `${error.message} (${member})`);
      if (error instanceof BillingError) throw refusedTo(name, error);
      if (error instanceof InvariantError) throw error;
      // A getter or a proxy in the answer is code of the plugin too.
      const what = `gave an answer that cannot be read (${member}); the log of the server tells why`;
      throw pluginFailure(called, what, error);
    }
  }

  #warn({ name }: InvoicePlugin, { accountId }: ConsultedCall, passedOver: readonly string[]): void {
    this.#ports.logger.warn(
      { pluginName: name, accountId, passedOver },
      'an invoice plugin changed what plugins cannot change; it stays as it was',
    );
  }

  #contextOf({ tenant, ...call }: ConsultedCall, invoice: SeenInvoice | null): InvoicePluginContext {
    const existing = () => existingInvoices(this.#ports.storage, tenant, call.accountId);
    return Object.freeze({ ...call, tenantId: tenant.id, invoice, existingInvoices: existing });
  }
}

function frozenOr(answered: Properties | null | undefined, properties: Properties): Properties {
  return answered == null ? properties : frozenCopy(answered);
}

/** The invoice plugins that the engine was opened with, and which of them a tenant has. */
export class RegisteredInvoicePlugins {
  readonly #ports: Pick<Ports, 'storage' | 'systemClock' | 'logger' | 'ids'>;
  readonly #plugins: readonly InvoicePlugin[];

  constructor(
    ports: Pick<Ports, 'storage' | 'systemClock' | 'logger' | 'ids'>,
    plugins: readonly InvoicePlugin[],
  ) {
    this.#ports = ports;
    this.#plugins = plugins;
  }

  /** True: no tenant has any, so that nothing has to be read to know it. */
  get isEmpty(): boolean {
    return this.#plugins.length === 0;
  }

  /** Those of a tenant (§13 rule 1): by its configuration, else all by name; names that are not registered are skipped. */
  of({ plugins }: Pick<InvoicingConfig, 'plugins'>): InvoicePluginCalls {
    const byName = new Map(this.#plugins.map((plugin) => [plugin.name, plugin]));
    const names = plugins.length > 0 ? [...new Set(plugins)] : [...byName.keys()].sort();
    return new InvoicePluginCalls(
      this.#ports,
      names.flatMap((name) => byName.get(name) ?? []),
    );
  }
}

type AnyItem = (AddedItem | InvoiceItem) & { readonly recordId?: number };

export function seenInvoice(
  invoice: New<Invoice> & { readonly recordId?: number },
  items: readonly AnyItem[],
): SeenInvoice {
  const { recordId: _, accountRecordId: __, ...shown } = invoice;
  return Object.freeze({ ...shown, items: Object.freeze(items.map(seenItem)) });
}

function seenItem({ recordId: _, accountRecordId: __, basis: ___, ...item }: AnyItem & { basis?: unknown }) {
  return Object.freeze(item);
}

/**
 * The invoice at hand as the next plugin sees it: what is stored of it, what it gets, and the account credit that it would
 * have without plugins, with the amounts of them all while it is unpaid.
 */
export function seenAsked(
  invoice: New<Invoice>,
  { existing, items }: AskedInvoice,
  credit: readonly NewInvoiceItem[],
): SeenInvoice {
  const added = [...items, ...credit].map((item) => itemOf(invoice, item, invoice.createdDate));
  const all = [...existing, ...added];
  return seenInvoice({ ...invoice, ...invoiceAmounts(all) }, all);
}

/** Invoices that a plugin's look at those of an account reads at once. */
const INVOICES_SEEN_AT_ONCE = 100;

/** The stored invoices of an account in creation order, read some at a time as they are asked for. */
async function* existingInvoices(
  storage: Pick<Storage, 'read'>,
  tenant: TenantRef,
  accountId: Uuid,
): AsyncGenerator<SeenInvoice> {
  const limit = INVOICES_SEEN_AT_ONCE;
  for (let offset = 0; ; offset += limit) {
    const seen = await storage.read(tenant, async (session) => {
      const { rows } = await session.invoices.pageOfAccount(accountId, { offset, limit });
      const items = await session.invoices.findItems(rows.map(({ id }) => id));
      const itemsOf = Map.groupBy(items, ({ invoiceId }) => invoiceId);
      return rows.map((invoice) => seenInvoice(invoice, itemsOf.get(invoice.id) ?? []));
    });
    yield* seen;
    if (seen.length < limit) return;
  }
}

export async function loadSeenInvoices(
  storage: Pick<Storage, 'read'>,
  tenant: TenantRef,
  ids: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, SeenInvoice>> {
  if (ids.length === 0) return new Map();
  return storage.read(tenant, async (session) => {
    const invoices = await session.invoices.findByIds(ids);
    const items = Map.groupBy(await session.invoices.findItems(ids), ({ invoiceId }) => invoiceId);
    return new Map(
      invoices.map((invoice) => [invoice.id, seenInvoice(invoice, items.get(invoice.id) ?? [])]),
    );
  });
}
