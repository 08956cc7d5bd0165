import { MikroORM } from '@mikro-orm/postgresql';
import type { Client } from 'pg';
import { tenantCondition } from '../../adapters/mikro-orm/migrations/postgresql/20261129000000-initial.ts';
import { batchedTransactions } from '../../adapters/mikro-orm/postgresql/batched-transactions.ts';
import { ServerWatch } from '../../adapters/mikro-orm/postgresql/server-watch.ts';
import { postgresqlTransactions } from '../../adapters/mikro-orm/postgresql/transactions.ts';
import { postgresql } from '../../adapters/mikro-orm/postgresql.ts';
import type {
  Reach,
  Transaction,
  TransactionKind,
  Transactions,
} from '../../adapters/mikro-orm/sql/connection.ts';
import { compileStatement, EVERY_TENANT } from '../../adapters/mikro-orm/sql/connection.ts';
import { tables } from '../../adapters/mikro-orm/tables/index.ts';
import type { Account, TenantRef } from '../../lib/index.ts';
import type { Storage } from '../../lib/ports/storage/index.ts';
import { connectedAs, expect, onPostgresql } from '../support/index.ts';
import { rejection, sharedStorage } from '../support/storage/opened-storage.ts';
import { withPostgresql } from '../support/storage/statement-plans.ts';
import { account, author, now } from '../support/storage/stored-records.ts';

const notReached = /violates row-level security policy/;

onPostgresql.describe('PostgreSQL row-level security (platform §2 isolation 2)', (open) => {
  const opened = sharedStorage('postgresql', open);
  let url: string;
  let acme: TenantRef;
  let other: TenantRef;
  let ours: Account;
  let theirs: Account;

  before(async () => {
    if (opened.database.kind !== 'postgresql') throw new Error('wrong kind');
    url = opened.database.url;
    acme = opened.tenant;
    other = await opened.newTenant();
    [ours, theirs] = [await newAccount(acme), await newAccount(other)];
  });

  async function newAccount(tenant: TenantRef): Promise<Account> {
    const [made] = await opened.storage.write(tenant, author(), async (session) => {
      const stored = await session.accounts.insert([account({})]);
      session.publish([{ type: 'ACCOUNT_CREATION', accountRecordId: stored[0]?.recordId ?? 0, payload: {} }]);
      return stored;
    });
    if (!made) throw new Error('no account');
    return made;
  }

  const counts = async (client: Pick<Client, 'query'>, names: readonly string[]) => {
    const found: (readonly [string, number])[] = [];
    for (const name of names) {
      const { rows } = await client.query(`select count(*)::int as found from ${name}`);
      found.push([name, rows[0].found]);
    }
    return found;
  };

  const guarded = ['bw_tenants', 'bw_accounts', 'bw_audit_log', 'bw_queue_entries'];

  it('applies a policy to every table with tenant rows, even for the owner', async () => {
    const { rows } = await withPostgresql(url, (client) =>
      client.query(`
        select relname as name, relrowsecurity and relforcerowsecurity
          and exists (select 1 from pg_policy where polrelid = c.oid) as guarded
        from pg_class c join pg_attribute a on a.attrelid = c.oid and not a.attisdropped
        where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace
          and (attname = 'tenant_record_id' or relname = 'bw_tenants' and attname = 'record_id')`),
    );
    expect(rows.filter((row) => !row.guarded).map(({ name }) => name)).to.eql([]);
    const known = tables
      .filter(
        ({ name, columns }) =>
          name === 'bw_tenants' || columns.some((each) => each.name === 'tenant_record_id'),
      )
      .map(({ name }) => name);
    expect(rows.map(({ name }) => name)).to.have.members([...known, 'bw_account_texts']);
  });

  it('hides and protects all rows on a connection without settings', async () => {
    await withPostgresql({ connectionString: url }, async (client) => {
      const none = guarded.map((name) => [name, 0]);
      expect(await counts(client, guarded)).to.eql(none);
      await client.query("set billwright.tenant_record_id = ''");
      expect(await counts(client, guarded)).to.eql(none);
      expect((await client.query("update bw_accounts set name = 'x'")).rowCount).to.equal(0);
      const added = await rejection(
        client.query('insert into bw_counters (tenant_record_id, name, value) values ($1, $2, 1)', [
          acme.recordId,
          'x',
        ]),
      );
      expect(added.message).to.match(notReached);
    });
  });

  it('shows all rows on a connection with operator access', async () => {
    const found = await withPostgresql(url, (client) => counts(client, guarded));
    expect(found).to.eql([2, 2, 4, 2].map((count, index) => [guarded[index], count]));
  });

  it('protects the same rows with the Citus policies, which have no subqueries', async () => {
    const settings = [null, '', String(acme.recordId), String(other.recordId), '*', '99'];
    await withPostgresql({ connectionString: url }, async (client) => {
      const outcomes = async () => {
        const found: (readonly unknown[])[] = [];
        for (const setting of settings) {
          await client.query('savepoint begun');
          if (setting !== null) await client.query(`set local billwright.tenant_record_id = '${setting}'`);
          const added = `insert into bw_counters (tenant_record_id, name, value) values (${acme.recordId}, 'x', 1)`;
          const seen = await counts(client, guarded);
          const isRefused = await client.query(added).then(
            () => false,
            ({ message }: Error) => notReached.test(message),
          );
          found.push([setting, seen, isRefused]);
          await client.query('rollback to begun');
        }
        return found;
      };
      await client.query('begin');
      const usual = await outcomes();
      for (const name of [...guarded, 'bw_counters']) {
        const condition = tenantCondition(name === 'bw_tenants' ? 'record_id' : 'tenant_record_id', true);
        expect(condition).not.to.contain('select');
        await client.query(
          `alter policy ${name}_tenant on ${name} using (${condition}) with check (${condition})`,
        );
      }
      expect(await outcomes()).to.eql(usual);
      await client.query('rollback');
    });
  });

  for (const kind of ['our own', 'our own unbatched', 'a host’s'] as const)
    describe(`on ${kind} connection`, () => {
      let orm: MikroORM;
      let transactions: Transactions;
      before(() => {
        orm = new MikroORM({
          entities: [],
          discovery: { warnWhenNoEntities: false },
          clientUrl: url,
          pool: { max: 1 },
        });
        const connection = orm.em.getConnection();
        const watch = new ServerWatch(
          async () => ({ host: '127.0.0.1', port: Number(new URL(url).port) }),
          () => undefined,
        );
        transactions =
          kind === 'a host’s'
            ? postgresqlTransactions(connection)
            : batchedTransactions(() => connection.getNativeClient(), {
                watch,
                keepsPlans: true,
                batchesStatements: kind === 'our own',
              });
      });
      after(() => orm.close(true));

      const run = <T>(kindOf: TransactionKind, work: (transaction: Transaction) => Promise<T>) =>
        transactions.run(kindOf, async (transaction) => ({
          result: await work(transaction),
          last: Promise.resolve(),
        }));
      const ids = async (transaction: Transaction) =>
        (
          await transaction.executeQuery(compileStatement('select id from bw_accounts order by record_id'))
        ).rows.map((row) => (row as { readonly id: string }).id);
      const reached = (reach: Reach) => (reach === EVERY_TENANT ? [ours.id, theirs.id] : [ours.id]);

      const cases: readonly (readonly [name: string, reach: () => Reach])[] = [
        ['a tenant', () => acme.recordId],
        ['every tenant', () => EVERY_TENANT],
      ];
      for (const [name, reach] of cases)
        it(`limits a statement without a tenant to the rows of ${name}, and resets this access afterward`, async () => {
          for (const mode of ['read', 'write'] as const)
            expect(await run({ reach: reach(), mode }, ids)).to.eql(reached(reach()));
          const single = transactions.single(reach());
          expect(await ids(single)).to.eql(reached(reach()));
          const text = 'select id from bw_accounts where record_id > $1 order by 1';
          for (const parameters of [[0], [0]]) {
            const { rows } = await single.executeQuery(compileStatement(text, parameters));
            expect(rows).to.have.length(reached(reach()).length);
          }
          expect(await orm.em.getConnection().execute('select id from bw_accounts')).to.eql([]);
        });

      it('rejects changes, deletions and additions of another tenant’s rows', async () => {
        const touch = (text: string) =>
          run({ reach: acme.recordId, mode: 'write' }, async (transaction) => {
            const { numAffectedRows } = await transaction.executeQuery(compileStatement(text));
            throw new Error(`undone: ${numAffectedRows}`);
          });
        const outcome = async (text: string) => (await rejection(touch(text))).message;
        expect(await outcome("update bw_accounts set name = 'x'")).to.equal('undone: 1');
        expect(await outcome('delete from bw_accounts')).to.equal('undone: 1');
        expect(
          await outcome(
            `insert into bw_counters (tenant_record_id, name, value) values (${other.recordId}, 'x', 1)`,
          ),
        ).to.match(notReached);
        expect(await outcome(`update bw_accounts set tenant_record_id = ${other.recordId}`)).to.match(
          notReached,
        );
      });

      it('keeps the connection usable after a single failed statement', async () => {
        const single = transactions.single(acme.recordId);
        expect(
          (await rejection(single.executeQuery(compileStatement('select 1 / $1::int', [0])))).message,
        ).to.contain('division by zero');
        expect(
          (await rejection(single.executeQuery(compileStatement('select 1 from bw_none where 1 = $1', [1]))))
            .message,
        ).to.contain('bw_none');
        expect(await ids(single)).to.eql([ours.id]);
      });
    });

  describe('in a host transaction', () => {
    let orm: MikroORM;
    let storage: Storage<MikroORM['em']>;
    before(() => {
      orm = new MikroORM({ entities: [], discovery: { warnWhenNoEntities: false }, clientUrl: url });
      storage = postgresql(orm) as Storage<MikroORM['em']>;
    });
    after(async () => {
      await storage.close();
      await orm.close(true);
    });

    const hosted = <T>(
      work: (
        inside: Storage<MikroORM['em']>,
        own: () => Promise<number>,
        run: (sql: string) => Promise<unknown>,
      ) => Promise<T>,
    ) =>
      orm.em.fork().transactional(async (em) => {
        const run = (sql: string) => em.getConnection().execute(sql, [], 'all', em.getTransactionContext());
        const own = async () => ((await run('select id from bw_accounts')) as readonly unknown[]).length;
        return work(storage.within(em as MikroORM['em']), own, run);
      });

    const found = (inside: Storage<MikroORM['em']>, tenant: TenantRef) =>
      inside.read(tenant, async (session) =>
        (await session.accounts.page({ offset: 0, limit: 10 })).rows.map(({ id }) => id),
      );

    it('shows each engine operation only the rows of its tenant, and shows the host no rows', async () => {
      await hosted(async (inside, own) => {
        expect(await own()).to.equal(0);
        expect(await found(inside, acme)).to.eql([ours.id]);
        expect(await own()).to.equal(0);
        await inside.write(other, author(), (session) =>
          session.accounts.update([{ ...theirs, name: 'renamed by a host' }]),
        );
        expect(await own()).to.equal(0);
        await rejection(
          inside.write(acme, author(), async (session) => {
            await session.accounts.insert([account({ externalKey: ours.externalKey })]);
          }),
        );
        expect(await own()).to.equal(0);
      });
    });

    it('keeps concurrent operations of two tenants separate', async () => {
      const [first, second, third] = await hosted((inside) =>
        Promise.all([found(inside, acme), found(inside, other), found(inside, acme)]),
      );
      expect([first, second, third]).to.eql([[ours.id], [theirs.id], [ours.id]]);
    });

    it('preserves the access that the host has set itself', async () => {
      await hosted(async (inside, own, run) => {
        await run("set local billwright.tenant_record_id = '*'");
        expect(await found(inside, acme)).to.eql([ours.id]);
        expect(await own()).to.equal(2);
      });
    });
  });

  describe('with a bypass check', () => {
    const asRole = async (role: 'owner' | 'bypassing' | 'superuser', options = {}) => {
      const database = await connectedAs(role, opened.database);
      if (database.kind !== 'postgresql') throw new Error('wrong kind');
      return postgresql({ url: database.url, ...options });
    };

    it('reports a bypassing role (a superuser, a role with BYPASSRLS, or any role if a table has no security)', async () => {
      const known = async (role: Parameters<typeof asRole>[0]) => {
        const storage = await asRole(role);
        try {
          return await storage.system.unboundRole();
        } finally {
          await storage.close();
        }
      };
      expect(await known('owner')).to.equal(null);
      expect(await known('bypassing')).to.equal('billwright_bypassing');
      expect(await known('superuser')).to.equal('postgres');
      await withPostgresql({ connectionString: url }, async (client) => {
        await client.query('alter table bw_tags disable row level security');
        expect(await known('owner')).to.equal('billwright');
        await client.query('alter table bw_tags enable row level security');
        expect(await known('owner')).to.equal(null);
      });
    });

    it('rejects a bypassing role before that role creates tables that it would own', async () => {
      const database = await open();
      const options = { migrate: true, requireRowSecurity: true };
      const storageAs = async (role: 'owner' | 'superuser') => {
        const connected = await connectedAs(role, database);
        if (connected.kind !== 'postgresql') throw new Error('wrong kind');
        return postgresql({ url: connected.url, ...options });
      };
      const refused = await storageAs('superuser');
      expect((await rejection(refused.prepare())).message).to.match(
        /^Row-level security is required .*"postgres"/,
      );
      await refused.close();
      const owned = await storageAs('owner');
      await owned.prepare();
      await owned.close();
    });

    it('rejects a bypassing role if row-level security is required, but not the owner of the tables', async () => {
      const required = { requireRowSecurity: true };
      const owner = await asRole('owner', required);
      await owner.prepare();
      await owner.close();
      for (const role of ['bypassing', 'superuser'] as const) {
        const storage = await asRole(role, required);
        expect((await rejection(storage.prepare())).message).to.match(
          /^Row-level security is required but does not apply to the role "(billwright_bypassing|postgres)"/,
        );
        await storage.close();
      }
    });
  });

  it('shows all tenants to the engine’s own work', async () => {
    const { system, queue } = opened.storage;
    const found = await system.findTenantsByIds([acme.id, other.id]);
    expect(found.map(({ id }) => id)).to.have.members([acme.id, other.id]);
    expect(await queue.countPending(null, now)).to.equal(2);
    expect(await queue.countPending(acme.recordId, now)).to.equal(1);
  });
});
