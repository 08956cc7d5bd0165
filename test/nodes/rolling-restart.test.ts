import { fileURLToPath } from 'node:url';
import { expect, isLongRun, rowsOf } from '../support/index.ts';
import { Deployment, eventually } from './deployment.ts';

const ACCOUNTS = isLongRun ? 400 : 30;
/** Of each version. */
const NODES = isLongRun ? 2 : 1;
const WITHIN_MS = 240_000;
const NEXT_VERSION = fileURLToPath(new URL('./next-version.ts', import.meta.url));
const TOPIC = 'NEXT_VERSION_EVENT';

describe('nodes of two versions on one PostgreSQL database', function () {
  this.timeout(2 * WITHIN_MS);
  let nodes: Deployment;

  beforeEach(async () => {
    nodes = await Deployment.begin(ACCOUNTS);
  });

  afterEach(() => nodes.end());

  it(`bill ${ACCOUNTS} accounts once each month during a rolling restart with a migration (platform §15 rule 5)`, async () => {
    const older = await nodes.start(named('old'));
    await addEntryOfNextVersion();
    await nodes.fallDue();
    await nodes.allPaid(WITHIN_MS);
    // It does not block other work of its account.
    expect(await entryOfNextVersion()).to.eql({ state: 'AVAILABLE', failures: 0 });

    await nodes.fallDue();
    await eventually(Date.now() + WITHIN_MS, async () => (await nodes.claimed()).length > 0);
    const [migrating, ...others] = named('new');
    if (migrating === undefined) throw new Error('no node was named');
    const newer = [...(await nodes.start([{ ...migrating, migrate: 'yes' }], NEXT_VERSION))];
    for (const [index, node] of older.entries()) {
      await nodes.stop(node);
      const next = others[index];
      if (next !== undefined) newer.push(...(await nodes.start([next], NEXT_VERSION)));
    }
    await nodes.allPaid(WITHIN_MS);
    await eventually(Date.now() + WITHIN_MS, async () => (await entryOfNextVersion())?.state === 'PROCESSED');
    for (const node of newer) await nodes.stop(node);
    await nodes.expectPaidOnce();
  });

  const named = (version: string) =>
    Array.from({ length: NODES }, (_each, index) => ({ name: `${version}-${index}`, 'purchase-ms': '200' }));

  /** An entry of a node of the next version, for an account with other work. */
  async function addEntryOfNextVersion(): Promise<void> {
    await rowsOf(
      nodes.database,
      `insert into bw_queue_entries (tenant_record_id, account_record_id, kind, topic, payload, user_token,
        created_date, effective_date, due_order, error_count, processing_state, done_handlers)
      select tenant_record_id, account_record_id, 'BUS', '${TOPIC}', payload, user_token,
        created_date, effective_date, 0, 0, 'AVAILABLE', done_handlers
      from bw_queue_history where account_record_id is not null order by record_id limit 1`,
    );
  }

  async function entryOfNextVersion() {
    const entry = (table: string) =>
      `select processing_state as state, error_count as failures from ${table} where topic = '${TOPIC}'`;
    const [found] = await rowsOf(
      nodes.database,
      `${entry('bw_queue_entries')} union all ${entry('bw_queue_history')}`,
    );
    return found && { state: found.state, failures: Number(found.failures) };
  }
});
