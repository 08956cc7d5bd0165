import type {
  InvoiceForPlugins,
  InvoicePlugin,
  InvoicePluginContext,
  PluginIdentity,
  Ports,
} from '../../ports/index.ts';
import type { Storage } from '../../ports/storage/index.ts';
import {
  type Account,
  type AddedItem,
  type Invoice,
  type InvoiceItem,
  invoiceFields,
  invoiceItemFields,
  type New,
  type PluginProperty,
  type TenantRef,
} from '../../records/index.ts';
import { type ActivityPorts, callPlugin, plainError, pluginFailure } from '../../runtime/index.ts';
import { BillingError, InvariantError, MalformedAnswer } from '../../values/errors/index.ts';
import { shapeOf } from '../../values/fields/index.ts';
import { frozenCopy, plainerOf } from '../../values/host-values/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant, LocalDate } from '../../values/time/index.ts';
import { invoiceAmounts } from '../invoices/invoice-amounts.ts';
import { itemOf } from '../invoices/new-invoice.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';
import type { InvoicingConfig } from '../proposals/invoicing-config.ts';
import type { RunCaller } from '../runs/call-usage-sources.ts';
import { type ConsultedInvoice, withAdditionalItems } from './additional-items.ts';
import {
  claimedAnswer,
  claimedGroups,
  claimedItems,
  claimedPrior,
  pluginAnswerError,
} from './plugin-claims.ts';

/** Time limit of one plugin call in milliseconds. No lock is held during the call, but the account's run waits. */
const INVOICE_PLUGIN_TIMEOUT_MS = 10_000;

/** The context shared by all plugin calls about one account in a run or an operation. */
export interface ConsultedCall
  extends Omit<InvoicePluginContext, 'tenantId' | 'invoice' | 'existingInvoices' | 'targetDate' | 'now'> {
  readonly tenant: TenantRef;
  readonly targetDate: LocalDate | null;
  readonly now: Instant;
}

const plainCall = plainerOf<Omit<ConsultedCall, 'tenant'>>({ targetDate: 'date', now: 'instant' });

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

type Member = Exclude<keyof InvoicePlugin, keyof PluginIdentity>;

/**
 * Calls the invoice plugins of one tenant in order (§13), never inside a transaction. Each result is validated;
 * errors name the plugin.
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

  /** True if the tenant has no invoice plugins. */
  get isEmpty(): boolean {
    return this.#plugins.length === 0;
  }

  has(member: Member): boolean {
    return this.#plugins.some((plugin) => plugin[member] !== undefined);
  }

  /**
   * Calls the plugins before a run or operation (§8.2 step 6). If a plugin aborts, returns the abort. Otherwise returns
   * the earliest date that a plugin requested.
   * @param invoice The invoice of an operation; null for runs.
   * @throws BillingError UNEXPECTED (60000) for a plugin that fails.
   */
  async prior(
    call: ConsultedCall,
    given: Properties,
    invoice: InvoiceForPlugins | null = null,
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
      const { rescheduledTo: to } = prior;
      if (to !== null && (earliest === null || to < earliest.to)) {
        earliest = { kind: 'rescheduled', pluginName: plugin.name, to };
      }
      properties = frozenOr(prior.properties, properties);
    }
    return earliest ?? { kind: 'go', properties };
  }

  /**
   * Returns the invoice with the items that the plugins add and change (§8.2 step 11).
   * @param see returns the invoice as the next plugin sees it.
   * @param date default local date of new items.
   * @throws BillingError UNEXPECTED (60000) for a plugin that fails, and the errors of `withAdditionalItems`.
   */
  async additionalItems(
    call: ConsultedCall,
    given: { readonly invoice: ConsultedInvoice; readonly properties: Properties },
    { see, date }: { readonly see: (asked: ConsultedInvoice) => InvoiceForPlugins; readonly date: LocalDate },
  ): Promise<{ readonly invoice: ConsultedInvoice; readonly properties: Properties }> {
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
        const { items, note, properties: next } = claimedItems(claimed);
        const nextItemId = (): Uuid => this.#ports.ids.next();
        const added = withAdditionalItems(asked, items, { pluginName: plugin.name, date, nextItemId });
        return { ...withNote(added, note, seen.note), next };
      });
      if (answer.passedOver.length > 0) this.#warn(plugin, call, answer.passedOver);
      invoice = answer.invoice;
      properties = frozenOr(answer.next, properties);
    }
    return { invoice, properties };
  }

  /**
   * Returns the groups of the items (§8.2 step 12) from the first plugin that returns groups, or null. `read`
   * validates the groups, so that its error names the plugin.
   * @throws BillingError UNEXPECTED (60000) for a plugin that fails.
   */
  async grouping<G>(
    call: ConsultedCall,
    given: { readonly invoice: InvoiceForPlugins; readonly properties: Properties },
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

  /** Reports the stored invoice to the plugins (null if there was nothing to do). Never throws (§13 rule 8). */
  succeeded(call: ConsultedCall, properties: Properties, invoice: InvoiceForPlugins | null): Promise<void> {
    return this.#report('onSuccessCall', call, { properties, invoice });
  }

  /** Reports to the plugins that an invoice was not stored. Never throws (§13 rule 8). */
  failed(call: ConsultedCall, properties: Properties, invoice: InvoiceForPlugins | null): Promise<void> {
    return this.#report('onFailureCall', call, { properties, invoice });
  }

  async #report(
    member: 'onSuccessCall' | 'onFailureCall',
    call: ConsultedCall,
    given: { readonly properties: Properties; readonly invoice: InvoiceForPlugins | null },
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
        const { accountId } = call;
        const facts = { err: error, pluginName: plugin.name, accountId, invoiceId: invoice?.id ?? null };
        this.#ports.logger.error(facts, 'an invoice plugin failed to handle the outcome');
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
      if (error instanceof BillingError) throw pluginAnswerError(name, error);
      if (error instanceof InvariantError) throw error;
      // The result may contain a getter or a proxy, so reading it can run plugin code.
      const what = `returned an unreadable answer (${member}); see the server log for the reason`;
      throw pluginFailure(called, what, error);
    }
  }

  #warn({ name }: InvoicePlugin, { accountId }: ConsultedCall, passedOver: readonly string[]): void {
    const facts = { pluginName: name, accountId, passedOver };
    this.#ports.logger.warn(
      facts,
      'an invoice plugin changed fields that plugins cannot change; the changes are ignored',
    );
  }

  #contextOf({ tenant, ...call }: ConsultedCall, invoice: InvoiceForPlugins | null): InvoicePluginContext {
    const loadExistingInvoices = () => existingInvoices(this.#ports.storage, tenant, call.accountId);
    return Object.freeze({
      ...plainCall(call),
      tenantId: tenant.id,
      invoice,
      existingInvoices: loadExistingInvoices,
    });
  }
}

type WithItems = ReturnType<typeof withAdditionalItems>;

/**
 * Returns the invoice with the note that a plugin set. A committed invoice keeps its own note (§14 rule 10).
 * @param current The stored note of the invoice.
 */
function withNote(
  { invoice, passedOver }: WithItems,
  note: string | null,
  current: string | null,
): WithItems {
  if (note === null || note === (current ?? '')) return { invoice, passedOver };
  if (invoice.isFixed === true)
    return { invoice, passedOver: [...passedOver, `note of ${invoice.invoiceId}`] };
  return { invoice: { ...invoice, note }, passedOver };
}

/** Returns the invoice with the plugins' note, if plugins set a note. */
export function applyPluginNote<I extends Pick<Invoice, 'note'>>(invoice: I, note: string | undefined): I {
  return note === undefined ? invoice : { ...invoice, note: note || null };
}

function frozenOr(answered: Properties | null | undefined, properties: Properties): Properties {
  return answered == null ? properties : frozenCopy(answered);
}

/** The registered invoice plugins. `of` selects the plugins of a tenant. */
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

  /** True if no tenant has invoice plugins, so that no configuration needs to be read. */
  get isEmpty(): boolean {
    return this.#plugins.length === 0;
  }

  /**
   * Returns the plugins that the tenant's configuration names or, if it names none, all plugins sorted by name. Skips
   * unknown names (§13 rule 1).
   */
  of({ plugins }: Pick<InvoicingConfig, 'plugins'>): InvoicePluginCalls {
    const byName = new Map(this.#plugins.map((plugin) => [plugin.name, plugin]));
    const names = plugins.length > 0 ? [...new Set(plugins)] : [...byName.keys()].sort();
    const own = names.flatMap((name) => byName.get(name) ?? []);
    return new InvoicePluginCalls(this.#ports, own);
  }
}

type AnyItem = (AddedItem | InvoiceItem) & { readonly recordId?: number };

const plainInvoice = plainerOf<Omit<Invoice, 'recordId' | 'accountRecordId'>>(shapeOf(invoiceFields));
const plainItem = plainerOf<Omit<InvoiceItem, 'recordId' | 'accountRecordId'>>(shapeOf(invoiceItemFields));

export function viewOfInvoice(
  invoice: New<Invoice> & { readonly recordId?: number },
  items: readonly AnyItem[],
): InvoiceForPlugins {
  const { recordId: _, accountRecordId: __, ...shown } = invoice;
  return Object.freeze({ ...plainInvoice(shown), items: Object.freeze(items.map(viewOfItem)) });
}

function viewOfItem({
  recordId: _,
  accountRecordId: __,
  basis: ___,
  ...item
}: AnyItem & { basis?: unknown }) {
  return Object.freeze(plainItem(item));
}

/**
 * Returns the invoice as the next plugin sees it. It contains the stored and new items, the account credit that would
 * apply without plugins, and the amounts before payment.
 */
export function viewToExtend(
  invoice: New<Invoice>,
  { existing, items, note }: ConsultedInvoice,
  credit: readonly NewInvoiceItem[],
): InvoiceForPlugins {
  const added = [...items, ...credit].map((item) => itemOf(invoice, item, invoice.createdDate));
  const all = [...existing, ...added];
  return viewOfInvoice({ ...applyPluginNote(invoice, note), ...invoiceAmounts(all) }, all);
}

/** Page size when a plugin reads an account's invoices. */
const INVOICES_SEEN_AT_ONCE = 100;

/** Yields the stored invoices of an account in creation order. Reads them page by page. */
async function* existingInvoices(
  storage: Pick<Storage, 'read'>,
  tenant: TenantRef,
  accountId: Uuid,
): AsyncGenerator<InvoiceForPlugins> {
  const limit = INVOICES_SEEN_AT_ONCE;
  for (let offset = 0; ; offset += limit) {
    const seen = await storage.read(tenant, async (session) => {
      const { rows } = await session.invoices.pageOfAccount(accountId, { offset, limit });
      const items = await session.invoices.findItems(rows.map(({ id }) => id));
      const itemsOf = Map.groupBy(items, ({ invoiceId }) => invoiceId);
      return rows.map((invoice) => viewOfInvoice(invoice, itemsOf.get(invoice.id) ?? []));
    });
    yield* seen;
    if (seen.length < limit) return;
  }
}

export async function loadInvoicesForPlugins(
  storage: Pick<Storage, 'read'>,
  tenant: TenantRef,
  ids: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, InvoiceForPlugins>> {
  if (ids.length === 0) return new Map();
  return storage.read(tenant, async (session) => {
    const invoices = await session.invoices.findByIds(ids);
    const items = Map.groupBy(await session.invoices.findItems(ids), ({ invoiceId }) => invoiceId);
    return new Map(
      invoices.map((invoice) => [invoice.id, viewOfInvoice(invoice, items.get(invoice.id) ?? [])]),
    );
  });
}
