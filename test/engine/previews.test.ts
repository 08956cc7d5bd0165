import type { HostInput, PreviewRequest, Uuid } from '../../lib/index.ts';
import { ErrorCode, formatDecimal, SystemTag } from '../../lib/index.ts';
import { eachDatabase, expect, itemLines, openEngine, type TestEngine } from '../support/index.ts';
import type { ChangePreview, InvoiceView } from '../support/plain-views.ts';
import { rejection } from '../support/storage/opened-storage.ts';
import { performChange } from '../support/subscriptions/perform-change.ts';
import { UsageStage } from '../support/usage/usage-stage.ts';

type Change = HostInput<PreviewRequest>;

eachDatabase.describe('change previews (invoicing §11.1)', (open) => {
  let engine: TestEngine;
  let accountId: Uuid;
  let subscriptionId: Uuid;
  let bundleId: Uuid;

  beforeEach(async () => {
    engine = await openEngine(open, { now: '2024-01-05T06:00:00Z' });
    accountId = (await engine.payingAccount({ currency: 'USD' })).id;
  });

  async function subscribe(now: string): Promise<void> {
    ({ subscriptionId, bundleId } = await engine.subscribe({ accountId, planName: 'solo-now' }));
    await engine.runTo(now);
  }

  const preview = (change: Change) => engine.acme.subscriptions.preview(change);
  const linesOf = (invoice: InvoiceView | ChangePreview['next']) =>
    invoice && [invoice.invoiceDate, ...[...itemLines(invoice)].sort()];

  /** Previews the change and makes it. Expects the due invoice and the remaining credit of the preview. */
  async function previewedAndMade(change: Change) {
    const found = await preview(change);
    const before = (await engine.invoicesOf(accountId)).length;
    await engine.settle(performChange(engine.acme, change));
    const made = (await engine.invoicesOf(accountId)).slice(before);
    expect(made.map(linesOf)).to.eql(found.dueNow === null ? [] : [linesOf(found.dueNow)]);
    const { effective, dueNow, next, credit } = found;
    const after = { next: linesOf(next), credit: formatDecimal(credit) };
    return { effective: effective.date, dueNow: linesOf(dueNow), ...after };
  }

  describe('by type of change', () => {
    it('return the first two invoices for CREATE (V1)', async () => {
      expect(await previewedAndMade({ change: 'CREATE', accountId, planName: 'solo-now' })).to.eql({
        effective: '2024-01-05',
        dueNow: ['2024-01-05', 'RECURRING 2024-01-05..2024-02-05 19.95'],
        next: ['2024-02-05', 'RECURRING 2024-02-05..2024-03-05 19.95'],
        credit: '0',
      });
    });

    it('return the prorated difference for CHANGE_PLAN (V2)', async () => {
      await subscribe('2024-01-15T06:00:00Z');
      const change = { planName: 'team-now', billingPolicy: 'IMMEDIATE' } as const;
      expect(await previewedAndMade({ change: 'CHANGE_PLAN', subscriptionId, ...change })).to.eql({
        effective: '2024-01-15',
        dueNow: [
          '2024-01-15',
          'RECURRING 2024-01-15..2024-02-05 20.29',
          'REPAIR_ADJ 2024-01-15..2024-02-05 -13.51',
        ],
        next: ['2024-02-05', 'RECURRING 2024-02-05..2024-03-05 29.95'],
        credit: '0',
      });
    });

    it('return the price of additional seats for CHANGE_QUANTITY (V3)', async () => {
      await subscribe('2024-01-15T06:00:00Z');
      expect(await previewedAndMade({ change: 'CHANGE_QUANTITY', subscriptionId, quantity: 3 })).to.eql({
        effective: '2024-01-15',
        dueNow: [
          '2024-01-15',
          'RECURRING 2024-01-15..2024-02-05 40.54',
          'REPAIR_ADJ 2024-01-15..2024-02-05 -13.51',
        ],
        next: ['2024-02-05', 'RECURRING 2024-02-05..2024-03-05 59.85'],
        credit: '0',
      });
    });

    it('return no invoice for CANCEL at the end of the term (V4)', async () => {
      await subscribe('2024-01-15T06:00:00Z');
      expect(await previewedAndMade({ change: 'CANCEL', subscriptionId })).to.eql({
        effective: '2024-02-05',
        dueNow: null,
        next: null,
        credit: '0',
      });
    });

    it('return the credit for an immediate CANCEL (V4)', async () => {
      await subscribe('2024-01-15T06:00:00Z');
      expect(await previewedAndMade({ change: 'CANCEL', subscriptionId, billingPolicy: 'IMMEDIATE' })).to.eql(
        {
          effective: '2024-01-15',
          dueNow: [
            '2024-01-15',
            'CBA_ADJ 2024-01-15..2024-01-15 13.51',
            'REPAIR_ADJ 2024-01-15..2024-02-05 -13.51',
          ],
          next: null,
          credit: '13.51',
        },
      );
    });

    it('return the credit for PAUSE, and use that credit for RESUME (V5 and V6)', async () => {
      await subscribe('2024-01-15T06:00:00Z');
      expect(await previewedAndMade({ change: 'PAUSE', bundleId })).to.eql({
        effective: '2024-01-15',
        dueNow: [
          '2024-01-15',
          'CBA_ADJ 2024-01-15..2024-01-15 13.51',
          'REPAIR_ADJ 2024-01-15..2024-02-05 -13.51',
        ],
        next: null,
        credit: '13.51',
      });
      await engine.runTo('2024-01-20T06:00:00Z');
      expect(await previewedAndMade({ change: 'RESUME', bundleId })).to.eql({
        effective: '2024-01-20',
        dueNow: [
          '2024-01-20',
          'CBA_ADJ 2024-01-20..2024-01-20 -10.3',
          'RECURRING 2024-01-20..2024-02-05 10.3',
        ],
        next: [
          '2024-02-05',
          'CBA_ADJ 2024-02-05..2024-02-05 -3.21',
          'RECURRING 2024-02-05..2024-03-05 19.95',
        ],
        credit: '0',
      });
    });

    it('return the next invoice for UNCANCEL (V7)', async () => {
      await subscribe('2024-01-15T06:00:00Z');
      await engine.acme.subscriptions.cancel(subscriptionId);
      expect(await previewedAndMade({ change: 'UNCANCEL', subscriptionId })).to.eql({
        effective: '2024-01-15',
        dueNow: null,
        next: ['2024-02-05', 'RECURRING 2024-02-05..2024-03-05 19.95'],
        credit: '0',
      });
    });

    it('return the next invoice at the current price for UNDO_CHANGE_PLAN, without the coupons of the change (V8)', async () => {
      await subscribe('2024-01-15T06:00:00Z');
      await engine.acme.coupons.create({ code: 'HALF', percentOff: '50', duration: 'FOREVER' });
      await engine.acme.subscriptions.changePlan(subscriptionId, {
        planName: 'team-now',
        billingPolicy: 'END_OF_TERM',
        coupons: ['HALF'],
      });
      const change = { change: 'UNDO_CHANGE_PLAN', subscriptionId } as const;
      const found = await previewedAndMade(change);
      expect(found).to.eql({
        effective: '2024-01-15',
        dueNow: null,
        next: ['2024-02-05', 'RECURRING 2024-02-05..2024-03-05 19.95'],
        credit: '0',
      });
      await engine.runTo('2024-02-05T06:00:00Z');
      expect(linesOf((await engine.invoicesOf(accountId)).at(-1) ?? null)).to.eql(found.next);
      expect(await rejection(preview(change))).to.include({
        code: ErrorCode.SUBSCRIPTION_UNDO_CHANGE_BAD_STATE,
      });
    });

    it('return the charge for the partial period up to the new day for CHANGE_BILL_CYCLE_DAY (V9)', async () => {
      await subscribe('2024-01-15T06:00:00Z');
      const change = { change: 'CHANGE_BILL_CYCLE_DAY', subscriptionId, billCycleDayLocal: 20 } as const;
      const found = await previewedAndMade(change);
      expect(found).to.eql({
        effective: '2024-01-20',
        dueNow: null,
        next: ['2024-01-20', 'RECURRING 2024-02-05..2024-02-20 9.65'],
        credit: '0',
      });
      await engine.runTo('2024-01-20T06:00:00Z');
      expect(linesOf((await engine.invoicesOf(accountId)).at(-1) ?? null)).to.eql(found.next);
    });

    it('return no invoice due now while AUTO_INVOICING_OFF is in effect (rule 2)', async () => {
      await subscribe('2024-01-15T06:00:00Z');
      await engine.acme.tags.add({ type: 'ACCOUNT', id: accountId }, [SystemTag.AUTO_INVOICING_OFF]);
      const { dueNow, next } = await preview({ change: 'CHANGE_QUANTITY', subscriptionId, quantity: 3 });
      expect(dueNow).to.equal(null);
      expect(linesOf(next)).to.include('RECURRING 2024-01-15..2024-02-05 40.54');
    });

    it('explain each item exactly as on the invoice of the change (rule 5)', async () => {
      await subscribe('2024-01-15T06:00:00Z');
      const { dueNow } = await preview({ change: 'PAUSE', bundleId });
      await engine.settle(engine.acme.blocking.pauseBundle(bundleId));
      const items = (await engine.invoicesOf(accountId)).at(-1)?.items ?? [];
      const texts = await Promise.all(
        items.map(async ({ id }) => (await engine.acme.invoices.explain(id)).text),
      );
      expect(dueNow?.items.map(({ explanation }) => explanation.text)).to.have.members(texts);
      expect(texts).to.have.length(2);
    });

    it('are rejected if the name or object of the change is missing or unknown (rule 6)', async () => {
      await subscribe('2024-01-15T06:00:00Z');
      const valid =
        'Use one of CREATE, CHANGE_PLAN, CHANGE_QUANTITY, CHANGE_BILL_CYCLE_DAY, CANCEL, UNCANCEL, UNDO_CHANGE_PLAN, PAUSE, RESUME';
      const unknownId = '00000000-0000-7000-8000-00000000dead';
      const cases = [
        [undefined, 'MISSING_OR_INVALID_FIELD', valid],
        [{}, 'MISSING_OR_INVALID_FIELD', `change is missing. ${valid}`],
        [{ change: 'CANCLE' }, 'MISSING_OR_INVALID_FIELD', `change "CANCLE" is invalid. ${valid}`],
        [{ change: 'CREATE' }, 'MISSING_OR_INVALID_FIELD', 'accountId needs to be set'],
        [{ change: 'CANCEL' }, 'MISSING_OR_INVALID_FIELD', 'subscriptionId needs to be set'],
        [{ change: 'PAUSE', subscriptionId }, 'MISSING_OR_INVALID_FIELD', 'bundleId needs to be set'],
        [
          { change: 'CHANGE_PLAN', subscriptionId },
          'MISSING_OR_INVALID_FIELD',
          'productName needs to be set',
        ],
        [
          { change: 'CHANGE_QUANTITY', subscriptionId },
          'MISSING_OR_INVALID_FIELD',
          'quantity needs to be set',
        ],
        [{ change: 'CANCEL', subscriptionId: unknownId }, 'SUBSCRIPTION_INVALID_SUBSCRIPTION_ID', unknownId],
        [{ change: 'RESUME', bundleId: unknownId }, 'SUBSCRIPTION_GET_INVALID_BUNDLE_ID', unknownId],
        [
          { change: 'CREATE', accountId: unknownId, planName: 'solo-now' },
          'ACCOUNT_DOES_NOT_EXIST_FOR_ID',
          '',
        ],
      ] as const;
      for (const [change, code, message] of cases) {
        const error = await rejection(preview(change as never));
        expect(error).to.include({ code: ErrorCode[code] });
        expect(error.message).to.contain(message);
      }
    });

    it('include the usage up to an immediate end of the subscription (rule 4)', async () => {
      const stage = await UsageStage.begin(open, { planName: 'api-std', from: '2026-04-01' });
      const { acme } = stage.engine;
      await stage.use('3 calls 2026-04-12');
      await stage.runTo('2026-04-20');
      const { subscriptionId } = stage;
      const change = { subscriptionId, billingPolicy: 'IMMEDIATE' } as const;
      const { dueNow, next } = await acme.subscriptions.preview({ change: 'CANCEL', ...change });
      expect(next).to.equal(null);
      await stage.engine.settle(acme.subscriptions.cancel(subscriptionId, change));
      expect(dueNow && [...itemLines(dueNow)]).to.eql([...itemLines(await stage.last())]);
      expect(dueNow && [...itemLines(dueNow)]).to.eql(['USAGE 2026-04-01..2026-04-20 3']);
    });

    it('need the same number of SQL statements for any number of items (rule 5)', async () => {
      const request = { change: 'CREATE', accountId, planName: 'solo-now' } as const;
      const counts: number[] = [];
      for (const more of [2, 6]) {
        const plans = Array.from({ length: more }, () => ({ accountId, planName: 'solo-monthly' }));
        for (const plan of plans) await engine.subscribe(plan);
        counts.push((await engine.statementsOf(() => preview(request))).length);
      }
      expect(counts[1]).to.equal(counts[0]);
    });
  });
});
