import { randomUUID } from 'node:crypto';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { DatabaseTemplate } from '../databases.ts';
import { consoleShop } from './shop.ts';

export const ACCOUNTS = 10_000;

/** Returns the name of an account of the template. */
export function customerName(index: number): string {
  return `Customer ${String(index).padStart(5, '0')}`;
}

/** The shop with many more accounts, as copies of a row. Only on SQLite. */
export const manyAccounts: DatabaseTemplate = {
  name: 'console_many_accounts',
  from: consoleShop,
  async prepare(database) {
    if (database.kind !== 'sqlite') throw new Error('Accounts are copied only on SQLite');
    const connection = new DatabaseSync(database.path);
    const row = connection.prepare("SELECT * FROM bw_accounts WHERE external_key = 'chiyo'").get();
    if (row === undefined) throw new Error('The shop has no account to copy');
    const { record_id: _, ...copied } = row;
    const columns = Object.keys(copied);
    const insert = connection.prepare(
      `INSERT INTO bw_accounts (${columns.join()}) VALUES (${columns.map((name) => `:${name}`).join()})`,
    );
    connection.exec('BEGIN');
    for (let index = 1; index <= ACCOUNTS; index += 1) {
      const name = customerName(index);
      const email = `customer-${index}@example.com`;
      const external_key = `customer-${index}`;
      const folded_text = `${name} ${email} ${external_key}`.toLowerCase();
      const own: Record<string, SQLInputValue> = { id: randomUUID(), external_key, name, email, folded_text };
      insert.run({ ...copied, ...own });
    }
    connection.exec('COMMIT');
    connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    connection.close();
  },
};
