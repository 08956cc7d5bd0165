import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { sqlite } from '../../adapters/mikro-orm/sqlite.ts';
import { expect, freshDatabase, migrated } from '../support/index.ts';
import { rejection } from '../support/storage/opened-storage.ts';

/**
 * Opens the storage of a file, prints that it is open, and keeps running. The interval keeps the storage from being
 * garbage collected, which would release the lock.
 */
const holder = `
  import { sqlite } from '${new URL('../../adapters/mikro-orm/sqlite.ts', import.meta.url)}';
  const storage = sqlite(process.argv[1]);
  await storage.prepare();
  console.log('open');
  setInterval(() => storage, 1_000);
`;

describe('SQLite file lock', () => {
  let path: string;
  beforeEach(async () => {
    const database = await freshDatabase('sqlite', migrated);
    if (database.kind !== 'sqlite') throw new Error('wrong kind');
    path = database.path;
  });

  it('blocks a second node in this process until the first node is closed', async () => {
    const first = sqlite(path);
    await first.prepare();
    const second = sqlite(path);
    expect((await rejection(second.prepare())).message)
      .to.contain(path)
      .and.to.contain('PostgreSQL');
    await second.close();
    await first.close();

    const third = sqlite(path);
    await third.prepare();
    await third.close();
  });

  it('is released if the storage fails to start, and the error names a file that cannot be opened', async () => {
    const schema = new BetterSqlite3(path);
    schema.exec("insert into bw_migrations (name, executed_at) values ('20991231000000-later', 0)");
    const first = sqlite(path);
    const newer = await rejection(first.prepare());
    expect(newer.message).to.contain('20991231000000-later');
    expect((await rejection(sqlite(path).prepare())).message).to.equal(newer.message);
    schema.exec("delete from bw_migrations where name = '20991231000000-later'");
    schema.close();
    await first.prepare();
    await first.system.ping();
    await first.close();

    const text = `${path}.txt`;
    await writeFile(text, 'no database, but a text of some length '.repeat(50));
    const directory = `${path}.d`;
    await mkdir(directory);
    for (const unread of [text, directory]) {
      for (let attempt = 0; attempt < 2; attempt += 1) {
        const { message } = await rejection(sqlite(unread).prepare());
        expect(message).to.match(/cannot be opened: (file is not a database|unable to open database file)$/);
        expect(message).to.contain(unread);
      }
    }
  });

  it('blocks a node in another process while the first node is alive, but not after that node is killed', async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', holder, path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await once(child.stdout, 'data');
      const storage = sqlite(path);
      expect((await rejection(storage.prepare())).message).to.contain('in use by another node');
      await storage.close();
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      const after = sqlite(path);
      await after.prepare();
      await after.close();
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('reports another node only if another node exists', async () => {
    for (const wrong of [join(path, 'x.db'), '/nonexistent/x.db']) {
      const storage = sqlite(wrong);
      const { message } = await rejection(storage.prepare());
      expect(message).to.contain(wrong).and.to.not.contain('another node');
      await storage.close();
    }
  });

  it('is not needed for in-memory storage, because each storage has its own database', async () => {
    const [first, second] = [sqlite(':memory:'), sqlite(':memory:')];
    await Promise.all([first.prepare(), second.prepare()]);
    await Promise.all([first.close(), second.close()]);
  });
});
