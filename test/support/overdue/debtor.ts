import { expect } from 'chai';
import { type AccountInput, decimal, formatDecimal, type Uuid } from '../../../lib/index.ts';
import type { OpenDatabase, TestDatabase } from '../databases.ts';
import { openEngine, type TestEngine } from '../engine.ts';
import type { InvoiceView } from '../plain-views.ts';
import { type AccountFacts, factsByLibrary } from './account-facts.ts';
import {
  eventsOfAccount,
  lastWritten,
  linesOf,
  pendingChecks,
  shortDate,
  shownName,
} from './overdue-rows.ts';

/** Start of the stories of overdue §12. */
export const BEGINS = '2012-05-01T00:03:42Z';
/** Eight retries, eight days apart. */
export const EIGHT_RETRIES = '8,8,8,8,8,8,8,8';

export async function openStory(
  open: OpenDatabase,
  config: string,
  options: Partial<Parameters<typeof openEngine>[1]> & { readonly retryDays?: string } = {},
): Promise<TestEngine> {
  const { retryDays = '8,8,8', configuration, ...rest } = options;
  const engine = await openEngine(open, {
    now: BEGINS,
    ...rest,
    configuration: { 'org.service.payment.retry.days': retryDays, ...configuration },
  });
  await engine.acme.overdue.upload(config);
  return engine;
}

interface DebtorOptions extends AccountInput {
  /** Default `pro-monthly`: 30 days free, then 249.95 a month in advance. Null = no subscription. */
  readonly planName?: string | null;
  /** Default true. */
  readonly hasCard?: boolean;
}

/** An account whose invoices go unpaid. */
export class Debtor {
  readonly engine: TestEngine;
  readonly accountId: Uuid;
  readonly bundleId: Uuid | null;
  readonly subscriptionId: Uuid | null;
  readonly chronicle: Chronicle;

  private constructor(
    engine: TestEngine,
    accountId: Uuid,
    made: { readonly bundleId: Uuid | null; readonly subscriptionId: Uuid | null },
  ) {
    this.engine = engine;
    this.accountId = accountId;
    this.bundleId = made.bundleId;
    this.subscriptionId = made.subscriptionId;
    const { database, runTo } = engine;
    const read = () => factsByLibrary(engine.acme, accountId);
    this.chronicle = new Chronicle({ database, accountId, runTo, read });
  }

  /** Creates the account and its subscription, which `news` does not report. */
  static async sign(engine: TestEngine, options: DebtorOptions = {}): Promise<Debtor> {
    const { planName = 'pro-monthly', hasCard = true, ...input } = options;
    const account = { currency: 'USD', ...input };
    const { id } = await (hasCard ? engine.payingAccount(account) : engine.acme.createAccount(account));
    const nothing = { bundleId: null, subscriptionId: null };
    const made =
      planName === null ? nothing : await engine.acme.createSubscription({ accountId: id, planName });
    await engine.settle();
    const debtor = new Debtor(engine, id, made);
    await debtor.chronicle.news();
    return debtor;
  }

  static decline(engine: TestEngine, response?: string): void {
    engine.gateway.configure({
      CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR',
      METHODS: 'purchasePayment',
      ...(response === undefined ? {} : { PAYMENT_RESPONSE: response }),
    });
  }

  static accept(engine: TestEngine): void {
    engine.gateway.configure({ CONFIGURE_ACTION: 'ACTION_CLEAR' });
  }

  /** `OD1` or `clear`. */
  async state(): Promise<string> {
    return shownName((await this.engine.acme.overdue.ofAccount(this.accountId)).name);
  }

  /** `OD1 from 06-05T00:03:42`, in time order. */
  async states(): Promise<readonly string[]> {
    const { blocks } = await factsByLibrary(this.engine.acme, this.accountId);
    return blocks.map(
      ({ stateName, effectiveDate }) => `${shownName(stateName)} from ${shortDate(effectiveDate)}`,
    );
  }

  /** Date of the next check, such as `06-30T00:03:42`. */
  async check(): Promise<string | null> {
    const checks = (await pendingChecks(this.engine.database, this.accountId)).map(shortDate);
    expect(checks, 'overdue §6: one pending check per account').to.have.length.of.at.most(1);
    return checks[0] ?? null;
  }

  /** The tags set by the engine. */
  async tags(): Promise<readonly string[]> {
    const tags = await this.engine.acme.tags.ofObject({ type: 'ACCOUNT', id: this.accountId });
    return tags.map(({ tagDefinitionName }) => tagDefinitionName);
  }

  /** In creation order. */
  async invoices(): Promise<readonly InvoiceView[]> {
    const all = await this.engine.invoicesOf(this.accountId);
    return all.toSorted((a, b) => a.invoiceNumber - b.invoiceNumber);
  }

  /** The n-th invoice with a positive amount, from 0. */
  async bill(index: number): Promise<InvoiceView> {
    const bills = (await this.invoices()).filter(({ amount }) => amount.greaterThan(0));
    const bill = bills.at(index);
    if (bill === undefined) throw new Error(`there are ${bills.length} invoices`);
    return bill;
  }

  /** The unpaid balances, in creation order. */
  async owed(): Promise<readonly string[]> {
    return (await this.invoices())
      .filter(({ balance }) => balance.greaterThan(0))
      .map(({ balance }) => formatDecimal(balance));
  }

  /** Pays the n-th invoice, by transfer by default. */
  async pay(index: number, more: { readonly amount?: string; readonly isExternal?: boolean } = {}) {
    const { id: invoiceId } = await this.bill(index);
    const { amount, isExternal = true } = more;
    const result = await this.engine.acme.invoicePayments.pay({
      invoiceId,
      isExternal,
      ...(amount === undefined ? {} : { amount: decimal(amount) }),
    });
    await this.engine.settle();
    return result;
  }

  /** Pays all unpaid invoices in one call, by transfer. */
  async payAll(isExternal = true): Promise<void> {
    await this.engine.acme.invoicePayments.payAll({ accountId: this.accountId, isExternal });
    await this.engine.settle();
  }

  async charge(amount: string, autoCommit = true): Promise<InvoiceView> {
    const [item] = await this.engine.acme.invoices.addCharges({
      accountId: this.accountId,
      items: [{ amount: decimal(amount) }],
      autoCommit,
    });
    if (item === undefined) throw new Error('no charge was made');
    await this.engine.settle();
    return this.engine.acme.getInvoice(item.invoiceId);
  }

  async tag(definition: Uuid, on: 'on' | 'off' = 'on', invoiceId?: Uuid): Promise<void> {
    const object =
      invoiceId === undefined
        ? ({ type: 'ACCOUNT', id: this.accountId } as const)
        : ({ type: 'INVOICE', id: invoiceId } as const);
    if (on === 'on') await this.engine.acme.tags.add(object, [definition]);
    else await this.engine.acme.tags.remove(object, [definition]);
    await this.engine.settle();
  }
}

/** Time of day at which the account was created, and therefore of all its dates. */
const TIME_OF_DAY = 'T00:03:42Z';
const DAY_MS = 86_400_000;
/** Lines that later ones do not replace: items, attempts, blocks and timeline rows. */
const STAYS = /: | blocks | by /;

export interface ChronicleOptions {
  readonly database: TestDatabase;
  readonly accountId: Uuid;
  /** Reads the account by the library or over HTTP. */
  readonly read: () => Promise<AccountFacts>;
  /** Moves the clock and completes due work. */
  readonly runTo: (when: string) => Promise<void>;
  /** Whether published events are listed; default true. */
  readonly withEvents?: boolean;
}

/** The changes of an account as lines. Days without a change are omitted. */
export class Chronicle {
  readonly #options: ChronicleOptions;
  #known: ReadonlySet<string> = new Set();
  #eventsSeen = 0;
  #mark = '';

  constructor(options: ChronicleOptions) {
    this.#options = options;
  }

  /** Plays the days from the first to the last inclusive, each at the account's time of day. */
  async days(first: string, last: string): Promise<readonly string[]> {
    const lines: string[] = [];
    for (let at = Date.parse(first); at <= Date.parse(last); at += DAY_MS) {
      const day = new Date(at).toISOString().slice(0, 10);
      await this.#options.runTo(`${day}${TIME_OF_DAY}`);
      if (at < Date.parse(last) && !(await this.#isWritten())) continue;
      lines.push(...(await this.news()).map((line) => `${shortDate(day)} ${line}`));
    }
    return lines;
  }

  /** Returns true if anything was written since the last call. Otherwise the expensive reads are skipped. */
  async #isWritten(): Promise<boolean> {
    const mark = await lastWritten(this.#options.database);
    const isWritten = mark !== this.#mark;
    this.#mark = mark;
    return isWritten;
  }

  /** The lines since the last call. */
  async news(): Promise<readonly string[]> {
    const { database, accountId, read, withEvents = true } = this.#options;
    const checks = await pendingChecks(database, accountId);
    const check = checks.length === 0 ? 'no check' : `check ${checks.map(shortDate).join(' and ')}`;
    const lines = [...linesOf(await read()), check];
    const known = this.#known;
    this.#known = new Set(lines);
    const gone = [...known].filter((line) => STAYS.test(line) && !this.#known.has(line));
    const news = [...lines.filter((line) => !known.has(line)), ...gone.map((line) => `no longer: ${line}`)];
    const events = (await eventsOfAccount(database, accountId)).map(({ topic }) => topic);
    const fresh = events.slice(this.#eventsSeen).toSorted();
    this.#eventsSeen = events.length;
    return withEvents && fresh.length > 0 ? [...news, `published ${fresh.join(' ')}`] : news;
  }
}
