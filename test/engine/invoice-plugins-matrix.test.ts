import { BillingError, formatDecimal, type Uuid } from '../../lib/index.ts';
import { anyDatabase, expect, itemLines, openEngine, type TestEngine } from '../support/index.ts';
import type { Answer, InvoiceCall, ScriptedCall } from '../support/scripted-invoice-plugin.ts';
import { ScriptedInvoicePlugin } from '../support/scripted-invoice-plugin.ts';

/** Outcome of a run: billed (with the tax that a plugin adds), no invoice, postponed, or failed. */
type Outcome = 'billed' | 'nothing' | 'later' | 'fails';

/**
 * Members that a call does not support are ignored. Plugins learn of a failure only after the invoice was calculated,
 * and their response to it changes nothing.
 */
const outcomes: Readonly<Record<InvoiceCall, Readonly<Record<Answer, Outcome>>>> = {
  priorCall: {
    ok: 'billed',
    abort: 'nothing',
    reschedule: 'later',
    throw: 'fails',
    'time out': 'fails',
    malformed: 'fails',
    'adjusts too much': 'billed',
    'unknown invoice': 'billed',
  },
  getAdditionalInvoiceItems: {
    ok: 'billed',
    abort: 'billed',
    reschedule: 'billed',
    throw: 'fails',
    'time out': 'fails',
    malformed: 'fails',
    'adjusts too much': 'fails',
    'unknown invoice': 'fails',
  },
  getInvoiceGrouping: {
    ok: 'billed',
    abort: 'billed',
    reschedule: 'billed',
    throw: 'fails',
    'time out': 'fails',
    malformed: 'fails',
    'adjusts too much': 'billed',
    'unknown invoice': 'fails',
  },
  onSuccessCall: {
    ok: 'billed',
    abort: 'billed',
    reschedule: 'billed',
    throw: 'billed',
    'time out': 'billed',
    malformed: 'billed',
    'adjusts too much': 'billed',
    'unknown invoice': 'billed',
  },
  onFailureCall: {
    ok: 'fails',
    abort: 'fails',
    reschedule: 'fails',
    throw: 'fails',
    'time out': 'fails',
    malformed: 'fails',
    'adjusts too much': 'fails',
    'unknown invoice': 'fails',
  },
};

interface Cell extends ScriptedCall {
  readonly outcome: Outcome;
}

const cells: readonly Cell[] = Object.entries(outcomes).flatMap(([call, answers]) =>
  Object.entries(answers).map(([answer, outcome]) => ({
    call: call as InvoiceCall,
    answer: answer as Answer,
    outcome,
  })),
);

anyDatabase.describe('invoice plugin answers (invoicing §13)', (open) => {
  let engine: TestEngine;
  let plugin: ScriptedInvoicePlugin;
  const accountOf = new Map<Cell, Uuid>();

  before(async () => {
    plugin = new ScriptedInvoicePlugin();
    const options = { now: '2024-01-01T00:00:00Z', invoicePlugins: [plugin], longestTimerMs: 300 };
    engine = await openEngine(open, options);
  });

  async function signUp(): Promise<void> {
    accountOf.clear();
    for (const cell of cells) {
      const { id } = await engine.acme.createAccount({ currency: 'USD' });
      await engine.acme.createSubscription({ accountId: id, planName: 'solo-now' });
      accountOf.set(cell, id);
    }
  }

  function script(): void {
    plugin.completions.clear();
    for (const [cell, id] of accountOf) plugin.script.set(id, cell);
  }

  async function linesOf(accountId: Uuid): Promise<readonly string[]> {
    const invoices = await engine.acme.invoices.ofAccount({ accountId, withItems: true });
    return invoices.map((each) => `${itemLines(each).join(', ')} owes ${formatDecimal(each.balance)}`);
  }

  async function parkReason(id: Uuid): Promise<string> {
    const tags = await engine.acme.tags.ofObject({ type: 'ACCOUNT', id });
    const mark = tags.find(({ tagDefinitionName }) => tagDefinitionName === '__PARK__');
    if (mark === undefined) return '';
    const rows = await engine.acme.audit.history({ type: 'TAG', id: mark.id });
    return rows.map(({ comments }) => comments).join();
  }

  async function isPending(accountId: Uuid, kind: string, date: string): Promise<boolean> {
    const { recordId } = await engine.acme.getAccount(accountId);
    const keys = [`${kind}:${recordId}:${date}`];
    const { storage, tenant } = engine;
    return (await storage.read(tenant, ({ notifications }) => notifications.findPending(keys))).length > 0;
  }

  interface Run {
    /** The billed items, and the due time of the next run. */
    readonly billed: string;
    readonly tax: string;
    readonly nextDue: string;
    readonly today: string;
    /** Invoices before the run. */
    readonly before: readonly string[];
    readonly isAutomatic: boolean;
  }

  async function check(cell: Cell, accountId: Uuid, run: Run): Promise<void> {
    const { call, answer, outcome } = cell;
    const hasTax = call === 'getAdditionalInvoiceItems' && answer === 'ok';
    const amount = hasTax ? `${run.billed}, ${run.tax} owes 20.95` : `${run.billed} owes 19.95`;
    const expected = outcome === 'billed' ? [...run.before, amount] : run.before;
    expect(await linesOf(accountId)).to.eql(expected);
    const completions = plugin.completions.get(accountId) ?? [];
    const isWorkedOut = outcome === 'fails' && call !== 'priorCall';
    if (outcome === 'billed') expect(completions).to.eql(['success']);
    else expect(completions).to.eql(isWorkedOut ? ['failure'] : []);
    const reason = await parkReason(accountId);
    if (outcome === 'fails' && run.isAutomatic) expect(reason).to.contain('"scripted"');
    else expect(reason).to.equal('');
    const isDue = await isPending(accountId, 'invoice-run', run.nextDue);
    expect(isDue, 'next due entry').to.equal(outcome === 'billed' || isWorkedOut);
    const isPutOff = await isPending(accountId, 'rescheduled-run', run.today);
    expect(isPutOff, 'rescheduled entry').to.equal(outcome === 'later');
  }

  describe('in a run after an event', () => {
    before(async () => {
      await signUp();
      script();
      await engine.settle();
    });

    for (const cell of cells)
      it(`lead to the outcome "${cell.outcome}" if ${cell.call} answers "${cell.answer}"`, async () => {
        await check(cell, idOf(accountOf, cell), {
          billed: 'RECURRING 2024-01-01..2024-02-01 19.95',
          tax: 'TAX 2024-01-01 1',
          nextDue: '2024-02-01',
          today: '2024-01-01',
          before: [],
          isAutomatic: true,
        });
      });

    it('let postponed items be billed when they fall due', async () => {
      const cell = cells.find(({ outcome }) => outcome === 'later');
      await engine.runTo('2024-01-01T01:00:00Z');
      expect(await linesOf(idOf(accountOf, cell))).to.eql([
        'RECURRING 2024-01-01..2024-02-01 19.95 owes 19.95',
      ]);
    });
  });

  describe('without an event', () => {
    const january = 'RECURRING 2024-01-02..2024-02-02 19.95';

    before(async () => {
      plugin.script.clear();
      engine.clock.set('2024-01-02T00:00:00Z');
      await engine.settle(signUp());
    });

    describe('in requested runs', () => {
      const failures = new Map<Cell, unknown>();

      before(async () => {
        script();
        for (const [cell, accountId] of accountOf) {
          const targetDate = '2024-02-02';
          const splits = cell.call === 'getInvoiceGrouping';
          const request = { accountId, targetDate };
          const run: Promise<unknown> = splits
            ? engine.acme.invoices.generateGroup(request)
            : engine.acme.generateInvoice(request);
          await run.catch((error: unknown) => failures.set(cell, error));
        }
      });

      for (const cell of cells)
        it(`lead to the outcome "${cell.outcome}" if ${cell.call} answers "${cell.answer}"`, async () => {
          await check(cell, idOf(accountOf, cell), {
            billed: 'RECURRING 2024-02-02..2024-03-02 19.95',
            tax: 'TAX 2024-01-02 1',
            nextDue: '2024-03-02',
            today: '2024-01-02',
            before: [`${january} owes 19.95`],
            isAutomatic: false,
          });
          const failure = failures.get(cell);
          if (cell.outcome === 'billed') expect(failure).to.equal(undefined);
          else if (cell.outcome !== 'fails') expect(failure).to.have.property('code', 4007);
          else if (cell.answer === 'unknown invoice' && cell.call === 'getAdditionalInvoiceItems')
            expect(failure).to.have.property('code', 4006);
          else if (failure instanceof BillingError) expect(failure.message).to.contain('"scripted"');
          else expect.fail(String(failure));
        });
    });

    describe('in due runs', () => {
      before(async () => {
        plugin.script.clear();
        engine.clock.set('2024-01-03T00:00:00Z');
        await engine.settle(signUp());
        script();
        await engine.runTo('2024-02-03T00:00:00Z');
      });

      for (const cell of cells)
        it(`lead to the outcome "${cell.outcome}" if ${cell.call} answers "${cell.answer}"`, async () => {
          await check(cell, idOf(accountOf, cell), {
            billed: 'RECURRING 2024-02-03..2024-03-03 19.95',
            tax: 'TAX 2024-02-03 1',
            nextDue: '2024-03-03',
            today: '2024-02-03',
            before: ['RECURRING 2024-01-03..2024-02-03 19.95 owes 19.95'],
            isAutomatic: true,
          });
        });
    });
  });
});

function idOf(accountOf: ReadonlyMap<Cell, Uuid>, cell: Cell | undefined): Uuid {
  const id = cell && accountOf.get(cell);
  if (id === undefined) throw new Error('the cell has no account');
  return id;
}
