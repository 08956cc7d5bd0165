import type { InvoiceSearch } from '../../lib/ports/storage/index.ts';
import type { Invoice, InvoiceStatus, New, SearchClause } from '../../lib/records/index.ts';
import { decimal } from '../../lib/values/money/index.ts';
import { addDays, formatLocalDate, instant } from '../../lib/values/time/index.ts';
import { eachDatabase, expect } from '../support/index.ts';
import { searchedInvoiceField } from '../support/searched-invoice-field.ts';
import { type OpenedStorage, sharedStorage } from '../support/storage/opened-storage.ts';
import { author, invoice, newId, now, ownerOf, today } from '../support/storage/stored-records.ts';

/** With more invoices than this in a range, the search walks the list instead of sorting. */
const countThreshold = 20;
const perWriter = 60;
/** Every six hours: several instants per day, on several days. */
const quarterMs = 6 * 60 * 60 * 1_000;

type Written = Invoice & { readonly createdBy: string };
type Operator = SearchClause['operator'];

eachDatabase.describe('invoice search (invoicing §15)', (open, kind) => {
  const opened = sharedStorage(kind, open);
  let all: readonly Written[];
  before(async () => {
    await opened.storage.prepare({ countThreshold });
    all = await fill(opened);
  });

  /** Returns the ids of the page and the totals for the headers. */
  async function found(search: InvoiceSearch, offset: number, limit: number) {
    const page = await opened.reading.invoices.search(search, { offset, limit });
    return { ids: page.rows.map(({ id }) => id), total: page.total, max: page.max };
  }

  /** Compares pages in both directions, at the start and at later offsets. */
  async function expectAll(search: InvoiceSearch, matches: (each: Written) => boolean): Promise<number> {
    const matching = all.filter(matches).map(({ id }) => id);
    for (const [offset, limit] of [
      [5, 7],
      [0, 1_000],
      [3, -7],
    ] as const) {
      const inOrder = limit < 0 ? matching.toReversed() : matching;
      const { ids, total, max } = await found(search, offset, limit);
      const shown = JSON.stringify({ search, offset, limit });
      expect(ids, shown).to.eql(inOrder.slice(offset, offset + Math.abs(limit)));
      expect(total, shown).to.equal(Math.min(matching.length, countThreshold + 1));
      expect(max, shown).to.equal(countThreshold + 1);
    }
    return matching.length;
  }

  const clauses = (...given: readonly SearchClause[]): InvoiceSearch =>
    ({ kind: 'clauses', clauses: given }) as InvoiceSearch;
  const holds = (one: string | number, operator: Operator, other: string | number): boolean =>
    ({
      eq: one === other,
      neq: one !== other,
      gt: one > other,
      gte: one >= other,
      lt: one < other,
      lte: one <= other,
      like: false,
    })[operator];
  const compared = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte'] as const;

  it('matches a number, an id and an account', async () => {
    const [first] = all;
    if (!first) throw new Error('no invoice');
    const { id, accountId, invoiceNumber } = first;
    expect(await expectAll({ kind: 'number', invoiceNumber }, (each) => each.id === id)).to.equal(1);
    expect(await expectAll({ kind: 'id', id }, (each) => each.id === id)).to.equal(1);
    const ofAccount = (each: Written) => each.accountId === accountId;
    expect(await expectAll({ kind: 'id', id: accountId }, ofAccount)).to.be.greaterThan(20);
    await expectAll({ kind: 'id', id: newId() }, () => false);
    await expectAll(
      clauses({ property: 'accountId', type: 'uuid', operator: 'eq', value: accountId }),
      ofAccount,
    );
    await expectAll(
      clauses({ property: 'id', type: 'uuid', operator: 'eq', value: id }),
      (each) => each.id === id,
    );
  });

  it('matches equal values in each column', async () => {
    const values = {
      currency: ['EUR', 'USD', 'JPY', 'GBP'],
      status: ['DRAFT', 'COMMITTED', 'VOID', 'nonsense'],
      created_by: ['ada', 'bob', 'nobody'],
      grp_id: [...new Set(all.map(({ groupId }) => groupId))].slice(0, 12),
    } as const;
    const read = {
      currency: (each: Written) => each.currency,
      status: (each: Written) => each.status,
      created_by: (each: Written) => each.createdBy,
      grp_id: (each: Written) => each.groupId,
    };
    for (const column of ['currency', 'status', 'created_by', 'grp_id'] as const) {
      const field = searchedInvoiceField(column);
      for (const value of values[column]) {
        await expectAll(clauses({ ...field, operator: 'eq', value }), (each) => read[column](each) === value);
        await expectAll(
          clauses({ ...field, operator: 'neq', value }),
          (each) => read[column](each) !== value,
        );
      }
    }
    for (const value of [true, false]) {
      await expectAll(
        clauses({ property: 'isMigration', type: 'boolean', operator: 'eq', value }),
        (each) => each.isMigration === value,
      );
      await expectAll(
        clauses({ property: 'isParentInvoice', type: 'boolean', operator: 'neq', value }),
        (each) => each.isParentInvoice !== value,
      );
    }
  });

  it('matches ranges of days and instants, with few or many results', async () => {
    for (const operator of compared) {
      for (const days of [-1, 1, 4, 9]) {
        const day = formatLocalDate(addDays(today, days));
        await expectAll(clauses({ property: 'invoiceDate', type: 'date', operator, value: day }), (each) =>
          holds(formatLocalDate(each.invoiceDate), operator, day),
        );
        await expectAll(
          clauses({ property: 'targetDate', type: 'date', operator, value: day }),
          (each) => each.targetDate !== null && holds(formatLocalDate(each.targetDate), operator, day),
        );
        const at = instant(now + days * quarterMs);
        await expectAll(clauses({ property: 'createdDate', type: 'instant', operator, value: at }), (each) =>
          holds(each.createdDate, operator, at),
        );
      }
    }
    const [from, to] = [2, 7].map((days) => formatLocalDate(addDays(today, days)));
    await expectAll(
      clauses(
        { property: 'invoiceDate', type: 'date', operator: 'gte', value: from ?? '' },
        { property: 'currency', type: 'text', operator: 'neq', value: 'EUR' },
        { property: 'invoiceDate', type: 'date', operator: 'lt', value: to ?? '' },
      ),
      ({ invoiceDate, currency }) =>
        formatLocalDate(invoiceDate) >= (from ?? '') &&
        formatLocalDate(invoiceDate) < (to ?? '') &&
        currency !== 'EUR',
    );
  });

  it('matches the exact balance with any number of digits', async () => {
    const owed = (each: Written) =>
      each.status === 'COMMITTED' && !each.isMigration && !each.isWrittenOff && !isSettled(each)
        ? each.rawBalance
        : decimal(0);
    const isSettled = ({ parentInvoiceId }: Written): boolean => {
      const parent = all.find(({ id }) => id === parentInvoiceId);
      return parent !== undefined && owed(parent).isZero();
    };
    for (const operator of compared) {
      for (const value of [...balances, '-1', '11']) {
        const balance = decimal(value);
        await expectAll({ kind: 'balance', operator, balance }, (each) =>
          holds(owed(each).comparedTo(balance), operator, 0),
        );
      }
    }
  });
});

const balances = [
  '0',
  '10.5',
  '9',
  '100',
  '99.999999999',
  '123456789012345.12',
  '123456789012345.13',
  '-3',
  '-20',
];

/** Creates invoices of several accounts, by two callers, whose dates are not in insertion order. */
async function fill(opened: OpenedStorage): Promise<readonly Written[]> {
  const owners = (await opened.newAccounts(4)).map(ownerOf);
  const statuses: readonly InvoiceStatus[] = ['COMMITTED', 'COMMITTED', 'DRAFT', 'VOID'];
  const summaries: New<Invoice>[] = [];
  const made = (index: number): New<Invoice> => {
    const owner = owners[(index * 7) % 4];
    if (!owner) throw new Error('no account');
    const id = newId();
    const day = addDays(today, (index * 11) % 10);
    const isSummary = index % 13 === 0;
    const isLinked = index % 5 === 0 && !isSummary;
    const each = invoice(owner, {
      id,
      // An account has at most one summary in draft status.
      status: isSummary ? 'COMMITTED' : (statuses[index % 4] ?? 'VOID'),
      invoiceDate: day,
      targetDate: index % 6 === 0 ? null : addDays(day, -1),
      currency: (['EUR', 'USD', 'JPY'] as const)[index % 3] ?? 'EUR',
      isMigration: index % 9 === 0,
      isWrittenOff: index % 17 === 0,
      isParentInvoice: isSummary,
      parentInvoiceId: isLinked ? (summaries.at(-1)?.id ?? null) : null,
      groupId: index % 4 === 0 ? id : (groups.at(-1) ?? id),
      rawBalance: decimal(balances[index % balances.length] ?? '0'),
      createdDate: instant(now + ((index * 3) % 10) * quarterMs),
    });
    if (each.groupId === id) groups.push(id);
    if (isSummary) summaries.push(each);
    return each;
  };
  const groups: New<Invoice>['groupId'][] = [];
  const creator = new Map<string, string>();
  for (const [turn, userName] of ['ada', 'bob', 'ada'].entries()) {
    const invoices = Array.from({ length: perWriter }, (_, index) => made(turn * perWriter + index));
    for (const { id } of invoices) creator.set(id, userName);
    await opened.write((session) => session.invoices.insertInvoices(invoices), { ...author(), userName });
  }
  const stranger = await opened.newTenant();
  const [owner] = owners;
  if (!owner) throw new Error('no account');
  await opened.storage.write(stranger, author(), (session) =>
    session.invoices.insertInvoices([invoice(owner)]),
  );
  const { rows } = await opened.reading.invoices.page({ offset: 0, limit: 1_000 });
  return rows.map((row) => ({ ...row, createdBy: creator.get(row.id) ?? '' }));
}
