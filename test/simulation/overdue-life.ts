import { expect } from 'chai';
import { Billing } from '../../adapters/node/billwright.ts';
import { formatInstant, instant, type Uuid } from '../../lib/index.ts';
import type { TestEngine } from '../support/engine.ts';
import { type ConfigParts, overdueXml } from '../support/overdue/overdue-documents.ts';
import type { ExpectedAccount } from '../support/overdue/slow-evaluator.ts';
import { CLEAR, debtDigest, evaluateSlowly, UNTOUCHED } from '../support/overdue/slow-evaluator.ts';
import { plainHasher } from '../support/plain-hasher.ts';
import { recordingLogger } from '../support/system-time.ts';
import { is, type OpenTables, openTables } from './books.ts';
import { readDebt } from './debt-books.ts';
import { checksIn, plannedWork } from './overdue-queue.ts';
import { witnessedStorage } from './overdue-witness.ts';

const SETTLE_MS = 30_000;
const NO_STATES: ConfigParts = { states: [] };

/** The engine of a town with dunning, and a slow evaluator that calculates the expected states. */
export class OverdueLife {
  readonly engine: TestEngine;
  evaluations = 0;
  transitions = 0;
  readonly #worker: Billing<never>;
  readonly #open: OpenTables;
  readonly #expected = new Map<string, ExpectedAccount>();
  /** The input of each account's last evaluation. */
  readonly #digests = new Map<string, string>();
  #config = NO_STATES;

  private constructor(engine: TestEngine, worker: Billing<never>, open: OpenTables) {
    this.engine = engine;
    this.#worker = worker;
    this.#open = open;
  }

  static async begin(engine: TestEngine): Promise<OverdueLife> {
    const made: { life?: OverdueLife } = {};
    const worker = await Billing.open({
      storage: witnessedStorage(engine.storage, async (ids) => {
        if (made.life === undefined) throw new Error('the life has not begun');
        return made.life.#witness(ids);
      }),
      clock: engine.clock,
      logger: recordingLogger(),
      hasher: plainHasher(),
      gateways: [engine.gateway],
      nodeName: 'worker',
    });
    const life = new OverdueLife(engine, worker, await openTables(engine.database));
    made.life = life;
    return life;
  }

  async upload(config: ConfigParts): Promise<void> {
    await this.engine.acme.overdue.upload(overdueXml(config));
    this.#config = config;
    // An upload evaluates no account (overdue §1.2 rule 4), so the current data is the new baseline.
    const books = await readDebt(this.#open);
    for (const accountId of books.accounts.keys())
      this.#digests.set(accountId, debtDigest({ accountId, books, config }));
  }

  /** A user has added or removed AUTO_INVOICING_OFF, so overdue no longer owns it (overdue §2.3). */
  tagged(accountId: string, hasInvoicingOff: boolean): void {
    const expected = this.#expected.get(accountId) ?? UNTOUCHED;
    this.#expected.set(accountId, { ...expected, hasInvoicingOff, ownsInvoicingOff: false });
  }

  moveTo(ms: number): void {
    this.engine.clock.set(formatInstant(instant(ms)));
  }

  async settle(about: string): Promise<void> {
    const settled = await this.#worker.settle({ timeoutMs: SETTLE_MS });
    if (!settled) throw new Error(`the queue did not settle after ${about}`);
    await this.#compare(about);
  }

  async close(): Promise<void> {
    await this.#worker.close();
    await this.#open.close();
  }

  async #witness(accountIds: readonly string[]): Promise<() => void> {
    const books = await readDebt(this.#open);
    const atWork = new Set((await checksIn(this.#open, 'IN_PROCESSING')).keys());
    const planned = await plannedWork(this.#open);
    const config = this.#config;
    const nowMs = this.engine.clock.now();
    return () => {
      for (const accountId of accountIds) {
        const before = this.#expected.get(accountId) ?? UNTOUCHED;
        const after = evaluateSlowly(before, {
          accountId,
          books,
          config,
          nowMs,
          isCheck: atWork.has(accountId),
          planned,
        });
        this.evaluations += 1;
        if (after.blocks.length > before.blocks.length) this.transitions += 1;
        this.#expected.set(accountId, after);
        this.#digests.set(accountId, debtDigest({ accountId, books, config }));
      }
    };
  }

  async #compare(about: string): Promise<void> {
    const { clock, acme } = this.engine;
    const stored = await this.#open.tables(['blocking_states', 'overdue_accounts']);
    const checks = await checksIn(this.#open, 'AVAILABLE');
    const books = await readDebt(this.#open);
    for (const accountId of books.accounts.keys()) {
      const expected = this.#expected.get(accountId) ?? UNTOUCHED;
      const blocks = stored.blocking_states
        .filter(
          (row) => row.blocked_id === accountId && row.service === 'overdue-service' && is(row, 'is_active'),
        )
        .toSorted(
          (a, b) => Number(a.effective) - Number(b.effective) || Number(a.sequence) - Number(b.sequence),
        )
        .map((row) =>
          blockLine({
            name: row.state_name ?? '',
            blocksChange: is(row, 'is_block_change'),
            blocksService: is(row, 'is_block_entitlement') && is(row, 'is_block_billing'),
            effectiveMs: Number(row.effective),
          }),
        );
      const owned = stored.overdue_accounts.find((row) => row.account_id === accountId);
      const found = {
        blocks,
        ownsInvoicingOff: owned !== undefined && is(owned, 'is_invoicing_off_owned'),
        hasInvoicingOff: books.tags.get(accountId)?.has('AUTO_INVOICING_OFF') ?? false,
        check: checks.get(accountId)?.asked ?? null,
        state: (await acme.overdue.ofAccount(accountId as Uuid)).name,
      };
      expect(found, `account ${accountId} at ${formatInstant(clock.now())} after ${about}`).to.eql({
        blocks: expected.blocks.map(blockLine),
        ownsInvoicingOff: expected.ownsInvoicingOff,
        hasInvoicingOff: expected.hasInvoicingOff,
        check: expected.checkMs === null ? null : new Date(expected.checkMs).toISOString(),
        state: expected.blocks.at(-1)?.name ?? CLEAR,
      });
      if (this.#config.states.length === 0)
        expect(found.state, `account ${accountId} can leave its state after ${about}`).to.equal(CLEAR);
      const dueMs = checks.get(accountId)?.dueMs ?? Number.POSITIVE_INFINITY;
      expect(dueMs, `what is due of ${accountId} is done after ${about}`).to.be.greaterThan(clock.now());
      this.#expectSeen(accountId, debtDigest({ accountId, books, config: this.#config }), about);
    }
  }

  /** All current inputs have been evaluated. */
  #expectSeen(accountId: string, digest: string, about: string): void {
    if (this.#config.states.length === 0) return;
    const seen = this.#digests.get(accountId);
    if (seen === undefined) this.#digests.set(accountId, digest);
    else expect(seen, `account ${accountId} was evaluated after ${about}`).to.equal(digest);
  }
}

function blockLine({ name, blocksChange, blocksService, effectiveMs }: ExpectedAccount['blocks'][number]) {
  const flags = `${blocksChange ? 'c' : '-'}${blocksService ? 's' : '-'}`;
  return `${name} ${flags} ${new Date(effectiveMs).toISOString()}`;
}
