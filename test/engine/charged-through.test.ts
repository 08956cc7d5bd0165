import { type InvoicePlugin, parseLocalDate, SystemTag, type Uuid } from '../../lib/index.ts';
import { catalogXml, lists, plan, product, TRIAL } from '../support/catalogs/catalog-document.ts';
import { eachDatabaseByTurns } from '../support/databases.ts';
import type { TestEngine } from '../support/index.ts';
import { expect, expectCode, itemLines, openEngine, shelfOf, subscribed } from '../support/index.ts';

const catalog = shelfOf({
  'annual-trial': plan('annual-trial', 'S', { initialPhases: TRIAL, price: '365.00', period: 'ANNUAL' }),
  annual: plan('annual', 'S', { price: '365.00', period: 'ANNUAL' }),
  monthly: plan('monthly', 'S', { price: '31.00' }),
});

type Options = Omit<Parameters<typeof subscribed>[1], 'catalog'>;

eachDatabaseByTurns.describe('charged-through date', (open) => {
  let engine: TestEngine;
  let accountId: Uuid;
  let subscriptionId: Uuid;
  let bundleId: Uuid;

  async function subscribe(options: Options): Promise<void> {
    ({ engine, accountId, subscriptionId, bundleId } = await subscribed(open, { catalog, ...options }));
  }

  /** Starts a trial on 2030-02-12, which continues on 2030-03-14 with a year for 365.00. */
  async function begin(): Promise<void> {
    await subscribe({ now: '2030-02-12T06:00:00Z', billCycleDayLocal: 14, planName: 'annual-trial' });
  }

  const tag = (tagDefinitionId: Uuid) =>
    engine.acme.tags.add({ type: 'ACCOUNT', id: accountId }, [tagDefinitionId]);

  const untag = (tagDefinitionId: Uuid) =>
    engine.settle(engine.acme.tags.remove({ type: 'ACCOUNT', id: accountId }, [tagDefinitionId]));

  const writeOff = (id: Uuid) => engine.acme.tags.add({ type: 'INVOICE', id }, [SystemTag.WRITTEN_OFF]);

  const chargedThrough = async () =>
    (await engine.acme.getSubscription(subscriptionId)).chargedThrough?.date ?? null;

  const invoices = () => engine.acme.invoices.ofAccount({ accountId, withItems: true });

  async function invoiceAt(index: number) {
    const invoice = (await invoices()).at(index);
    if (invoice === undefined) throw new Error(`No invoice ${index}`);
    return invoice;
  }

  const voidAt = async (index: number) =>
    engine.settle(engine.acme.invoices.void((await invoiceAt(index)).id));

  async function pause(): Promise<void> {
    await engine.settle(engine.acme.blocking.pauseBundle(bundleId));
  }

  async function changeTo(planName: string): Promise<void> {
    await engine.acme.subscriptions.changePlan(subscriptionId, { planName, billingPolicy: 'IMMEDIATE' });
    await engine.settle();
  }

  /** Subscribes to ten seats of a plan on 2026-01-01, the bill cycle day. */
  async function beginWithSeats(planName: string, more: Partial<Options> = {}): Promise<void> {
    const now = '2026-01-01T06:00:00Z';
    await subscribe({ now, billCycleDayLocal: 1, planName, quantity: 10, ...more });
  }

  async function seats(quantity: number, from: string): Promise<void> {
    const request = { quantity, effectiveFromDate: from, allowPastDate: true };
    await engine.settle(engine.acme.subscriptions.changeQuantity(subscriptionId, request));
  }

  async function seatsOn(date: string, quantity: number): Promise<void> {
    await engine.runTo(`${date}T06:00:00Z`);
    await seats(quantity, date);
  }

  it('stays the same if a backdated change bills a partial period before days that remain billed (invoicing §8.5)', async () => {
    await beginWithSeats('annual');
    await seatsOn('2026-06-10', 15);
    expect(await chargedThrough()).to.equal('2027-01-01');
    await engine.runTo('2026-06-20T06:00:00Z');
    await seats(12, '2026-06-05');
    expect(itemLines(await invoiceAt(-1)).filter((line) => line.startsWith('R'))).to.eql([
      'RECURRING 2026-06-05..2026-06-10 60',
      'REPAIR_ADJ 2026-06-05..2026-06-10 -50',
    ]);
    expect(await chargedThrough()).to.equal('2027-01-01');
    const before = (await invoices()).length;
    const options = { entitlementPolicy: 'END_OF_TERM', billingPolicy: 'END_OF_TERM' } as const;
    await engine.acme.subscriptions.cancel(subscriptionId, options);
    await engine.settle();
    expect(await engine.acme.getSubscription(subscriptionId)).to.include({ state: 'ACTIVE' });
    expect(await invoices()).to.have.lengthOf(before);
  });

  it('stays the same if a backdated change splits a month that is already split at a later day (invoicing §8.5)', async () => {
    await beginWithSeats('monthly');
    for (const day of ['2026-02-01', '2026-03-01', '2026-03-10']) await engine.runTo(`${day}T06:00:00Z`);
    await seats(15, '2026-03-10');
    await engine.runTo('2026-03-20T06:00:00Z');
    await seats(12, '2026-03-05');
    expect(await chargedThrough()).to.equal('2026-04-01');
  });

  it('stays the same if a partial period is billed before a year that starts at a moved bill cycle day (invoicing §8.5)', async () => {
    await beginWithSeats('annual');
    await engine.runTo('2026-09-15T06:00:00Z');
    await engine.acme.subscriptions.changeBillCycleDay(subscriptionId, { billCycleDayLocal: 15 });
    await engine.settle();
    await seatsOn('2026-09-20', 15);
    await seats(12, '2026-09-10');
    expect(await chargedThrough()).to.equal('2027-09-15');
  });

  /**
   * Sets 15 seats from 2026-06-10 and then 12 from 2026-06-05, which adds a part of five days before the billed one.
   */
  async function seatsInFront(): Promise<void> {
    await seatsOn('2026-06-10', 15);
    await engine.runTo('2026-06-20T06:00:00Z');
    await seats(12, '2026-06-05');
  }

  it('stays the same if a committed draft bills a partial period before days that remain billed (invoicing §8.5)', async () => {
    await beginWithSeats('annual');
    await seatsOn('2026-06-10', 15);
    await tag(SystemTag.AUTO_INVOICING_DRAFT);
    await seats(12, '2026-06-05');
    await engine.acme.invoices.commit((await invoiceAt(-1)).id);
    expect(await chargedThrough()).to.equal('2027-01-01');
  });

  it('stays the same if a run adds a partial period before billed days to a draft and commits the draft (invoicing §8.5)', async () => {
    await beginWithSeats('annual');
    await seatsOn('2026-06-10', 15);
    await engine.acme.invoices.addCharges({ accountId, autoCommit: false, items: [{ amount: '5.00' }] });
    await tag(SystemTag.AUTO_INVOICING_REUSE_DRAFT);
    await seats(12, '2026-06-05');
    expect(itemLines(await invoiceAt(-1))).to.include('RECURRING 2026-06-05..2026-06-10 60');
    expect((await invoiceAt(-1)).status).to.equal('COMMITTED');
    expect(await chargedThrough()).to.equal('2027-01-01');
  });

  /** Bills 15 seats from 2026-06-10 until a pause on 2026-06-25, and then the part before it. */
  async function seatsInFrontOfPause(): Promise<void> {
    await seatsOn('2026-06-10', 15);
    await engine.runTo('2026-06-25T06:00:00Z');
    await pause();
    await seats(12, '2026-06-05');
  }

  it('moves back to a pause if a backdated change bills a partial period before the pause (invoicing §8.5)', async () => {
    await beginWithSeats('annual');
    await seatsInFrontOfPause();
    expect(await chargedThrough()).to.equal('2026-06-25');
  });

  it('moves back to the start of a pause even if a plugin puts each item on its own invoice (invoicing §8.5)', async () => {
    const groups: InvoicePlugin = {
      name: 'groups',
      getInvoiceGrouping: async ({ items }) => ({ groups: items.map(({ id }) => ({ itemIds: [id] })) }),
    };
    await beginWithSeats('annual', { host: { invoicePlugins: [groups] } });
    await seatsInFrontOfPause();
    expect((await invoices()).flatMap(itemLines)).to.include('RECURRING 2026-06-05..2026-06-10 60');
    expect(await chargedThrough()).to.equal('2026-06-25');
  });

  it('stays the same in a run that has nothing to add to a draft (invoicing §8.5)', async () => {
    await beginWithSeats('annual', { tags: [SystemTag.AUTO_INVOICING_DRAFT] });
    await tag(SystemTag.AUTO_INVOICING_REUSE_DRAFT);
    await untag(SystemTag.AUTO_INVOICING_DRAFT);
    await expectCode(engine.acme.generateInvoice({ accountId }), 'INVOICE_NOTHING_TO_DO');
    expect((await invoiceAt(0)).status).to.equal('DRAFT');
    expect(await chargedThrough()).to.equal(null);
  });

  it('moves to the end of a committed older draft that ends after the last charge (invoicing §8.5)', async () => {
    await beginWithSeats('annual', { tags: [SystemTag.AUTO_INVOICING_DRAFT] });
    await untag(SystemTag.AUTO_INVOICING_DRAFT);
    await seatsInFront();
    await voidAt(1);
    expect(await chargedThrough()).to.equal('2026-06-10');
    await engine.acme.invoices.commit((await invoiceAt(0)).id);
    expect(await chargedThrough()).to.equal('2027-01-01');
  });

  it('stays at the end of the days that a void restores if the last charge ends earlier (invoicing §8.5)', async () => {
    await beginWithSeats('annual');
    await seatsInFront();
    await voidAt(1);
    expect(await chargedThrough()).to.equal('2027-01-01');
  });

  it('stays the same if a free trial is voided while the days after a partial charge are paused (invoicing §8.5)', async () => {
    await begin();
    await engine.runTo('2030-03-14T06:00:00Z');
    await seatsOn('2030-06-10', 15);
    await seats(12, '2030-06-05');
    await engine.runTo('2030-06-25T06:00:00Z');
    await pause();
    expect(await chargedThrough()).to.equal('2031-03-14');
    await voidAt(0);
    expect(await chargedThrough()).to.equal('2031-03-14');
  });

  it('moves back to the end of the remaining days if the month after a partial charge is voided (invoicing §8.5)', async () => {
    await beginWithSeats('monthly');
    await seatsOn('2026-01-05', 15);
    await engine.runTo('2026-02-01T06:00:00Z');
    await seats(12, '2026-01-03');
    expect(await chargedThrough()).to.equal('2026-03-01');
    await voidAt(2);
    expect(await chargedThrough()).to.equal('2026-02-01');
  });

  it('moves back to the date of a plan change that repairs everything billed after that date (invoicing §8.5)', async () => {
    await beginWithSeats('annual');
    await engine.runTo('2026-06-10T06:00:00Z');
    await changeTo('monthly');
    expect(await chargedThrough()).to.equal('2026-07-01');
  });

  it('stays the same if a free trial is voided while the plan is paused (invoicing §8.5)', async () => {
    await begin();
    await engine.runTo('2030-03-14T06:00:00Z');
    await engine.runTo('2030-03-16T06:00:00Z');
    await pause();
    expect((await invoices()).flatMap(itemLines)).to.eql([
      'FIXED 2030-02-12..2030-03-14 0',
      'RECURRING 2030-03-14..2031-03-14 365',
      'CBA_ADJ 2030-03-16..2030-03-16 -363',
      'REPAIR_ADJ 2030-03-16..2031-03-14 -363',
      'CBA_ADJ 2030-03-16..2030-03-16 363',
    ]);
    expect(await chargedThrough()).to.equal('2031-03-14');
    await voidAt(0);
    expect(await chargedThrough()).to.equal('2031-03-14');
  });

  it('stays the same if a free trial is voided after the whole charge of the plan was repaired (invoicing §8.5)', async () => {
    await begin();
    await engine.runTo('2030-03-14T06:00:00Z');
    await pause();
    await voidAt(0);
    expect(await chargedThrough()).to.equal('2031-03-14');
  });

  it('stays at the last charge even if an earlier charge ended later (invoicing §8.5)', async () => {
    await begin();
    await engine.runTo('2030-03-14T06:00:00Z');
    await engine.runTo('2030-03-20T06:00:00Z');
    await changeTo('monthly');
    expect(await chargedThrough()).to.equal('2030-04-14');
    await voidAt(0);
    expect(await chargedThrough()).to.equal('2030-04-14');
  });

  it('moves back to the end of the previous charge if the last charge is voided (invoicing §8.5)', async () => {
    await begin();
    await engine.runTo('2030-03-14T06:00:00Z');
    await writeOff((await invoiceAt(1)).id);
    await engine.runTo('2030-03-20T06:00:00Z');
    await changeTo('monthly');
    await voidAt(-1);
    expect(await chargedThrough()).to.equal('2031-03-14');
    await voidAt(-1);
    expect(await chargedThrough()).to.equal('2030-03-14');
    await voidAt(-1);
    expect(await chargedThrough()).to.equal(null);
  });

  it('stays the same after write-offs, adjustments, and voids of charges without a subscription (invoicing §8.5)', async () => {
    await begin();
    await engine.runTo('2030-03-14T06:00:00Z');
    await engine.runTo('2030-03-16T06:00:00Z');
    await pause();
    const year = await invoiceAt(1);
    const [item] = year.items;
    if (item === undefined) throw new Error('no item');
    const adjustment = { accountId, invoiceId: year.id, invoiceItemId: item.id, amount: '1.00' };
    await engine.acme.invoices.adjustItem(adjustment);
    await writeOff(year.id);
    const [charge] = await engine.acme.invoices.addCharges({
      accountId,
      autoCommit: true,
      items: [{ amount: '5.00', subscriptionId, endDate: '2032-01-01' }],
    });
    await engine.acme.invoices.void(charge?.invoiceId ?? year.id);
    expect(await chargedThrough()).to.equal('2031-03-14');
  });

  it('stays the same if an older draft is committed while the plan is paused (invoicing §8.5)', async () => {
    await begin();
    await voidAt(0);
    await tag(SystemTag.AUTO_INVOICING_DRAFT);
    await engine.acme.generateInvoice({ accountId });
    await untag(SystemTag.AUTO_INVOICING_DRAFT);
    await engine.runTo('2030-03-14T06:00:00Z');
    await engine.runTo('2030-03-16T06:00:00Z');
    await pause();
    expect((await invoiceAt(0)).status).to.equal('DRAFT');
    await engine.acme.invoices.commit((await invoiceAt(0)).id);
    expect(await chargedThrough()).to.equal('2031-03-14');
  });

  it('stays the same after a plan change, even if an older draft that ends later is committed (invoicing §8.5)', async () => {
    await begin();
    await tag(SystemTag.AUTO_INVOICING_DRAFT);
    await engine.runTo('2030-03-14T06:00:00Z');
    await untag(SystemTag.AUTO_INVOICING_DRAFT);
    await engine.runTo('2030-03-20T06:00:00Z');
    await changeTo('monthly');
    await engine.acme.invoices.commit((await invoiceAt(1)).id);
    expect(await chargedThrough()).to.equal('2030-04-14');
  });
});

const shelf = catalogXml({
  effectiveDate: '2012-01-01T00:00:00Z',
  products: product('S'),
  plans:
    plan('advance', 'S', { price: '30.00' }) +
    plan('arrears', 'S', { price: '31.00', more: '<recurringBillingMode>IN_ARREAR</recurringBillingMode>' }),
  priceLists: lists({ DEFAULT: ['advance', 'arrears'] }),
});

eachDatabaseByTurns.describe('coverage of billed days', (open) => {
  let engine: TestEngine;
  let accountId: Uuid;

  async function begin(planName: string, configuration: Record<string, string> = {}): Promise<Uuid> {
    engine = await openEngine(open, { now: '2024-01-01T00:00:00Z', catalog: shelf, configuration });
    accountId = (await engine.acme.createAccount({ currency: 'USD', billCycleDayLocal: 1 })).id;
    const { subscriptionId } = await engine.subscribe({ accountId, planName });
    return subscriptionId;
  }

  it('agrees with the full history after a run bills arrears in GREEDY mode between their due dates', async () => {
    await begin('arrears', { 'org.service.invoice.inArrear.mode': 'GREEDY' });
    engine.clock.set('2024-01-10T00:00:00Z');
    const invoice = await engine.acme.generateInvoice({ accountId });
    expect(itemLines(invoice)).to.eql(['RECURRING 2024-01-01..2024-02-01 31']);
    expect(await engine.acme.invoices.verifyCoverage(accountId)).to.eql([]);
  });

  it('can be verified against the full history, which reveals a cursor that hides due days', async () => {
    const subscriptionId = await begin('advance');
    await engine.runTo('2024-02-01T00:00:00Z');
    engine.clock.set('2024-02-15T00:00:00Z');
    expect(await engine.acme.invoices.verifyCoverage(accountId)).to.eql([]);

    const { storage, tenant } = engine;
    const authorship = {
      userName: 'test',
      reasonCode: null,
      comments: null,
      createdDate: engine.clock.now(),
    };
    await storage.write(tenant, { ...authorship, userTokenOf: () => subscriptionId }, async (session) => {
      const cursors = await session.invoices.findCursors([subscriptionId]);
      const nextDueDate = parseLocalDate('2024-06-01');
      await session.invoices.saveCursors(cursors.map((cursor) => ({ ...cursor, nextDueDate })));
    });
    const [difference, ...others] = await engine.acme.invoices.verifyCoverage(accountId);
    expect(others).to.eql([]);
    expect(difference).to.include({ subscriptionId });
    expect(difference?.found).to.eql([]);
    expect(difference?.expected.map(({ itemType }) => itemType)).to.eql(
      Array.from({ length: 3 }, () => 'RECURRING'),
    );
    expect(await engine.linesOf(accountId)).to.eql([
      'RECURRING 2024-01-01..2024-02-01 30',
      'RECURRING 2024-02-01..2024-03-01 30',
    ]);
  });

  it('cannot be verified for an unknown account or an account without a currency', async () => {
    const subscriptionId = await begin('advance');
    const { invoices, createAccount } = engine.acme;
    await expectCode(invoices.verifyCoverage(subscriptionId), 'ACCOUNT_DOES_NOT_EXIST_FOR_ID');
    const { id } = await createAccount({});
    await expectCode(invoices.verifyCoverage(id), 'CURRENCY_INVALID');
  });
});
