import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { customers } from '../../examples/demo-story.ts';
import { QUEUE_LEASE_MS } from '../../lib/values/limits.ts';
import { bundled } from '../support/bundled.ts';
import type { DatabaseKind, OpenDatabase, TestDatabase } from '../support/databases.ts';
import { eachDatabase, expect, expectBelow, isLongRun, migrated } from '../support/index.ts';

/** One customer's purchase per commit, another one on PostgreSQL. The long run takes every step. */
const PURCHASES = { sqlite: [0, 2], postgresql: [4, 6] } as const satisfies Record<DatabaseKind, object>;
const KILL_POINTS = {
  sqlite: pointsOf(isLongRun ? Number.POSITIVE_INFINITY : 4),
  postgresql: pointsOf(isLongRun ? Number.POSITIVE_INFINITY : 2),
} as const satisfies Record<DatabaseKind, number>;

function pointsOf(usual: number): number {
  return Number(process.env.BILLWRIGHT_KILL_POINTS ?? usual);
}

/** After each customer's first payment and its recovery. */
const STORY_ENDS = '2024-02-20';
const AT_A_TIME = 3;
const PROCESS = new URL('./story-process.ts', import.meta.url);

interface Report {
  readonly steps: number;
  /** Steps right before and after each purchase. */
  readonly purchases: readonly number[];
  readonly outcome: Readonly<Record<string, unknown>>;
  readonly numbers: readonly number[];
}

eachDatabase((kind, open) => {
  describe('process killed between any two steps', function () {
    this.timeout(isLongRun ? 0 : 600_000);
    let directory: string;
    let unchangedWalk: Report;

    before(async () => {
      directory = mkdtempSync(join(tmpdir(), 'billwright-faults-'));
      unchangedWalk = reportOf(await play(await open(migrated), join(directory, 'undisturbed'), 0));
    });

    after(() => rmSync(directory, { recursive: true, force: true }));

    it('executes enough steps and purchases for a meaningful test', () => {
      expect(Object.keys(unchangedWalk.outcome)).to.have.members(['ada', 'bruno', 'chiyo']);
      expect(unchangedWalk.steps).to.be.greaterThan(50);
      expect(unchangedWalk.numbers).to.eql(Array.from(unchangedWalk.numbers, (_, index) => index + 1));
      expect(unchangedWalk.purchases).to.have.length(2 * customers.length);
    });

    it(`ends with the same invoices and payments after a restart (${isLongRun ? 'all' : KILL_POINTS[kind]} points, ${kind})`, async () => {
      const points = killPoints(unchangedWalk, kind);
      const disturbed = await inGroups(points, AT_A_TIME, (point) =>
        playTwice(open, join(directory, `at-${point}`), point),
      );
      for (const { point, killed, report, charges, tookMs } of disturbed) {
        expect(killed, `kill point ${point} was reached`).to.equal(true);
        expect(report.outcome, `after a kill at step ${point} of ${unchangedWalk.steps}`).to.eql(
          unchangedWalk.outcome,
        );
        expect(report.numbers, `invoicing §1.6 rule 1: numbers after a kill at step ${point}`).to.eql(
          unchangedWalk.numbers,
        );
        // It does not wait for a lease of the killed process.
        expectBelow(QUEUE_LEASE_MS, tookMs, `started again after a kill at step ${point}`);
        expect(charges.doubled, `charged twice after a kill at step ${point}`).to.eql([]);
      }
    });
  });

  async function playTwice(openDatabase: OpenDatabase, files: string, point: number) {
    const database = await openDatabase(migrated);
    const first = await play(database, files, point);
    const startedAt = Date.now();
    const second = await play(database, files, 0);
    return {
      point,
      tookMs: Date.now() - startedAt,
      killed: first.signal === 'SIGKILL',
      report: reportOf(second),
      charges: await chargesOf(files),
    };
  }
});

interface Ended {
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

function play(database: TestDatabase, files: string, killAt: number): Promise<Ended> {
  const where = database.kind === 'sqlite' ? database.path : database.url;
  const program = bundled(PROCESS, { beside: ['examples/catalogs'] });
  const args = [program, '--kind', database.kind, '--database', where, '--files', files];
  return new Promise((resolve) => {
    const full = [...args, '--until', STORY_ENDS, '--kill-at', String(killAt)];
    execFile(process.execPath, full, (error, stdout, stderr) => {
      resolve({ signal: error?.signal ?? null, stdout, stderr });
    });
  });
}

function reportOf({ stdout, stderr, signal }: Ended): Report {
  const line = stdout.trim().split('\n').at(-1) ?? '';
  if (line === '') throw new Error(`the process reported nothing (${signal ?? 'exit'}): ${stderr}`);
  return JSON.parse(line) as Report;
}

/** Points around purchases, and others spread evenly over the story. */
function killPoints({ steps, ...report }: Report, kind: DatabaseKind): readonly number[] {
  const count = KILL_POINTS[kind];
  const purchases = report.purchases.slice(...PURCHASES[kind]);
  if (count >= steps) return Array.from({ length: steps }, (_, index) => index + 1);
  const spread = Math.max(0, count - purchases.length);
  const share = steps / Math.max(1, spread);
  const even = Array.from({ length: spread }, (_, index) => Math.max(1, Math.floor(share * (index + 0.5))));
  return [...new Set([...purchases, ...even])];
}

/** Transactions that the gateway charged more than once. */
async function chargesOf(files: string) {
  const lines = (await readFile(`${files}.ledger`, 'utf8').catch(() => ''))
    .split('\n')
    .filter((line) => line !== '');
  const charged = lines
    .map((line) => JSON.parse(line) as { readonly transactionId?: string; readonly status?: string })
    .filter((entry) => entry.status === 'PROCESSED')
    .map((entry) => entry.transactionId);
  return { doubled: charged.filter((id, index) => charged.indexOf(id) !== index) };
}

async function inGroups<T, R>(all: readonly T[], atATime: number, work: (each: T) => Promise<R>) {
  const results: R[] = [];
  for (let from = 0; from < all.length; from += atATime)
    results.push(...(await Promise.all(all.slice(from, from + atATime).map(work))));
  return results;
}
