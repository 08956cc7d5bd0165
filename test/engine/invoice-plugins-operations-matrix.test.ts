import { formatDecimal, type Uuid } from '../../lib/index.ts';
import { inParallel } from '../../lib/runtime/index.ts';
import { anyDatabase, expect, itemLines, openEngine, type TestEngine } from '../support/index.ts';
import type { Answer, InvoiceCall } from '../support/scripted-invoice-plugin.ts';
import { answers, invoiceCalls, ScriptedInvoicePlugin } from '../support/scripted-invoice-plugin.ts';

const operations = ['dry run', 'charge', 'tax', 'credit', 'adjustment', 'commit', 'void'] as const;
type Operation = (typeof operations)[number];

/** Outcome of an operation: done (with the tax that a plugin adds), no result, or an error code. */
type Outcome = 'done' | 'taxed' | 'nothing' | number;

const ABORTED = 4029;
const FAILED = 60_000;
/** Fails because the plugin already did the operation during the call. */
const SPOILT = 4023;

interface Cell {
  readonly operation: Operation;
  readonly call: InvoiceCall;
  readonly answer: Answer;
}

const cells: readonly Cell[] = operations.flatMap((operation) =>
  invoiceCalls.flatMap((call) => answers.map((answer) => ({ operation, call, answer }))),
);

const takesItems = (operation: Operation): boolean => operation !== 'commit' && operation !== 'void';

/** Returns the outcome. Members that a call does not support are ignored, and the last two calls change nothing. */
function outcomeOf({ operation, call, answer }: Cell): Outcome {
  switch (call) {
    case 'priorCall':
      return beforeIt(operation, answer);
    case 'getAdditionalInvoiceItems':
      return takesItems(operation) ? withItems(operation, answer) : 'done';
    case 'onFailureCall':
      return takesItems(operation) ? FAILED : SPOILT;
    case 'getInvoiceGrouping':
    case 'onSuccessCall':
      return 'done';
  }
}

function beforeIt(operation: Operation, answer: Answer): Outcome {
  if (answer === 'abort' || answer === 'reschedule') return operation === 'dry run' ? 'nothing' : ABORTED;
  return answer === 'throw' || answer === 'time out' || answer === 'malformed' ? FAILED : 'done';
}

function withItems(operation: Operation, answer: Answer): Outcome {
  switch (answer) {
    case 'ok':
      return 'taxed';
    case 'abort':
    case 'reschedule':
      return 'done';
    case 'adjusts too much':
      return operation === 'credit' ? 4021 : 4020;
    case 'unknown invoice':
      return 4006;
    default:
      return FAILED;
  }
}

/** Invoices before, after, and after with a tax: each with its status and its balance. */
const stored: Readonly<Record<Operation, Readonly<Record<'before' | 'done' | 'taxed', readonly string[]>>>> =
  {
    'dry run': { before: [], done: [], taxed: [] },
    charge: {
      before: [],
      done: ['COMMITTED EXTERNAL_CHARGE 2024-01-01 10 owes 10'],
      taxed: ['COMMITTED EXTERNAL_CHARGE 2024-01-01 10, TAX 2024-01-01 1 owes 11'],
    },
    tax: {
      before: [],
      done: ['COMMITTED TAX 2024-01-01 10 owes 10'],
      taxed: ['COMMITTED TAX 2024-01-01 10, TAX 2024-01-01 1 owes 11'],
    },
    credit: {
      before: [],
      done: ['COMMITTED CREDIT_ADJ 2024-01-01..2024-01-01 -10, CBA_ADJ 2024-01-01..2024-01-01 10 owes 0'],
      taxed: [
        'COMMITTED CREDIT_ADJ 2024-01-01..2024-01-01 -10, TAX 2024-01-01 1, CBA_ADJ 2024-01-01..2024-01-01 9 owes 0',
      ],
    },
    adjustment: {
      before: ['COMMITTED EXTERNAL_CHARGE 2024-01-01 10 owes 10'],
      done: ['COMMITTED EXTERNAL_CHARGE 2024-01-01 10, ITEM_ADJ 2024-01-01..2024-01-01 -2 owes 8'],
      taxed: [
        'COMMITTED EXTERNAL_CHARGE 2024-01-01 10, ITEM_ADJ 2024-01-01..2024-01-01 -2, TAX 2024-01-01 1 owes 9',
      ],
    },
    commit: {
      before: ['DRAFT EXTERNAL_CHARGE 2024-01-01 10 owes 0'],
      done: ['COMMITTED EXTERNAL_CHARGE 2024-01-01 10 owes 10'],
      taxed: [],
    },
    void: {
      before: ['COMMITTED EXTERNAL_CHARGE 2024-01-01 10 owes 10'],
      done: ['VOID EXTERNAL_CHARGE 2024-01-01 10 owes 0'],
      taxed: [],
    },
  };

const foreseen: Readonly<Record<'done' | 'taxed' | 'nothing', readonly string[]>> = {
  done: ['RECURRING 2024-02-01..2024-03-01 19.95'],
  taxed: ['RECURRING 2024-02-01..2024-03-01 19.95', 'TAX 2024-02-01 1'],
  nothing: [],
};

/** An account, and the invoice and item of its operation. */
interface Stage {
  readonly accountId: Uuid;
  readonly invoiceId: Uuid;
  readonly invoiceItemId: Uuid;
}

anyDatabase.describe('invoice plugins (invoicing §13) in dry runs and user operations', (open) => {
  let engine: TestEngine;
  let plugin: ScriptedInvoicePlugin;
  const stages = new Map<Cell, Stage>();
  const failures = new Map<Cell, unknown>();
  const answered = new Map<Cell, readonly string[]>();
  const spoiling = new Set<Uuid>();

  before(async () => {
    plugin = new ScriptedInvoicePlugin();
    const options = { now: '2024-01-01T00:00:00Z', invoicePlugins: [plugin], longestTimerMs: 1_500 };
    engine = await openEngine(open, options);
    await engine.settle(inParallel(cells, 8, async (cell) => stages.set(cell, await stageOf(cell))));
    for (const cell of cells) plugin.script.set(stageFor(cell).accountId, cell);
    plugin.completions.clear();
    plugin.spoil = spoil;
    // The plugin must finish its own operation within its time limit, so nothing else runs meanwhile.
    const isSpoilt = (cell: Cell): boolean => outcomeOf(cell) === SPOILT;
    await inParallel(cells.filter(isSpoilt), 1, perform);
    const others = cells.filter((cell) => !isSpoilt(cell));
    await inParallel(others, 16, perform);
  });

  async function perform(cell: Cell): Promise<void> {
    try {
      answered.set(cell, await act(cell, stageFor(cell)));
    } catch (error) {
      failures.set(cell, error);
    }
  }

  function stageFor(cell: Cell): Stage {
    const stage = stages.get(cell);
    if (stage === undefined) throw new Error('the cell has no account');
    return stage;
  }

  async function stageOf({ operation }: Cell): Promise<Stage> {
    const { id: accountId } = await engine.acme.createAccount({ currency: 'USD' });
    const nothing = { accountId, invoiceId: accountId, invoiceItemId: accountId };
    if (operation === 'dry run') {
      await engine.acme.createSubscription({ accountId, planName: 'solo-now' });
      return nothing;
    }
    if (stored[operation].before.length === 0) return nothing;
    const autoCommit = operation !== 'commit';
    const charge = { accountId, autoCommit, items: [{ amount: '10' }] };
    const [item] = await engine.acme.invoices.addCharges(charge);
    if (item === undefined) throw new Error('a charge has an item');
    return { accountId, invoiceId: item.invoiceId, invoiceItemId: item.id };
  }

  async function act({ operation }: Cell, stage: Stage): Promise<readonly string[]> {
    const { invoices } = engine.acme;
    const { accountId, invoiceId } = stage;
    const items = [{ amount: '10' }];
    switch (operation) {
      case 'dry run': {
        const found = await invoices.dryRun({ accountId, dryRunType: 'UPCOMING_INVOICE' });
        return found === null ? [] : itemLines(found);
      }
      case 'charge':
        await invoices.addCharges({ accountId, items, autoCommit: true });
        return [];
      case 'tax':
        await invoices.addTaxes({ accountId, items, autoCommit: true });
        return [];
      case 'credit':
        await invoices.addCredits({ accountId, items, autoCommit: true });
        return [];
      case 'adjustment':
        await invoices.adjustItem({ ...stage, amount: '2' });
        return [];
      case 'commit':
        await invoices.commit(invoiceId);
        return [];
      case 'void':
        await invoices.void(invoiceId);
        return [];
    }
  }

  /** Does the pending operation first, so that it fails afterward. */
  async function spoil(accountId: Uuid): Promise<void> {
    const cell = cells.find((each) => stageFor(each).accountId === accountId);
    if (cell === undefined || takesItems(cell.operation) || spoiling.has(accountId)) return;
    spoiling.add(accountId);
    await act(cell, stageFor(cell));
    plugin.completions.delete(accountId);
  }

  async function linesOf(accountId: Uuid): Promise<readonly string[]> {
    const all = await engine.invoicesOf(accountId);
    return all.map(
      (each) => `${each.status} ${itemLines(each).join(', ')} owes ${formatDecimal(each.balance)}`,
    );
  }

  for (const operation of operations)
    describe(`for ${operation}`, () => {
      for (const cell of cells.filter((each) => each.operation === operation)) {
        const outcome = outcomeOf(cell);
        it(`lead to the outcome "${outcome}" if ${cell.call} answers "${cell.answer}"`, async () => {
          const { accountId } = stageFor(cell);
          const failure = failures.get(cell);
          const completions = plugin.completions.get(accountId) ?? [];
          const isDone = outcome === 'done' || outcome === 'taxed';
          if (typeof outcome === 'number') {
            expect(failure).to.have.property('code', outcome);
            if (outcome !== SPOILT) expect(String(failure)).to.contain('"scripted"');
          } else expect(failure).to.equal(undefined);
          if (operation === 'dry run') {
            expect(completions).to.eql([]);
            expect(answered.get(cell)).to.eql(typeof outcome === 'number' ? undefined : foreseen[outcome]);
            const [only] = await linesOf(accountId);
            expect(only).to.equal('COMMITTED RECURRING 2024-01-01..2024-02-01 19.95 owes 19.95');
            return;
          }
          const { before: unchanged, done, taxed } = stored[operation];
          const isSpoilt = outcome === SPOILT;
          const expected = outcome === 'taxed' ? taxed : isDone || isSpoilt ? done : unchanged;
          expect(await linesOf(accountId)).to.eql(expected);
          const isWorkedOut = typeof outcome === 'number' && cell.call !== 'priorCall';
          expect(completions).to.eql(isDone ? ['success'] : isWorkedOut ? ['failure'] : []);
        });
      }
    });

  it('violate no invariant', async () => {
    expect(await engine.breaches()).to.eql([]);
  });
});
