import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import pg from 'pg';
import { type DatabaseTemplate, eachDatabase, freshDatabase, type TestDatabase } from './databases.ts';

let timesPrepared = 0;
const template: DatabaseTemplate = {
  name: 'databases_test',
  async prepare(database) {
    timesPrepared++;
    await run(database, 'CREATE TABLE note (body text)');
    await run(database, "INSERT INTO note VALUES ('from the template')");
  },
};

eachDatabase((kind, open) => {
  it('returns an empty database of the given kind', async () => {
    const database = await open();
    expect(database.kind).to.equal(kind);
    await run(database, 'CREATE TABLE note (body text)');
    expect(await run(database, 'SELECT body FROM note')).to.eql([]);
  });

  it('prepares the template only once, and copies it', async () => {
    timesPrepared = 0;
    const first = await open(template);
    const second = await open(template);
    expect(timesPrepared).to.equal(1);

    await run(first, "INSERT INTO note VALUES ('only here')");
    expect(await run(first, 'SELECT count(*) AS notes FROM note')).to.eql([{ notes: 2 }]);
    expect(await run(second, 'SELECT count(*) AS notes FROM note')).to.eql([{ notes: 1 }]);
  });
});

describe('freshDatabase', () => {
  it('connects as a non-superuser role with synchronous commits', async () => {
    const database = await freshDatabase('postgresql');
    const [settings] = await run(
      database,
      "SELECT usesuper, current_setting('synchronous_commit') AS sync FROM pg_user WHERE usename = current_user",
    );
    expect(settings).to.eql({ usesuper: false, sync: 'on' });
  });
});

async function run(database: TestDatabase, statement: string): Promise<readonly unknown[]> {
  if (database.kind === 'sqlite') {
    const connection = new DatabaseSync(database.path);
    try {
      return connection
        .prepare(statement)
        .all()
        .map((row) => ({ ...row }));
    } finally {
      connection.close();
    }
  }
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(statement);
    return rows.map((row) => ('notes' in row ? { notes: Number(row.notes) } : row));
  } finally {
    await client.end();
  }
}
