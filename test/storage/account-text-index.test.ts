import fc from 'fast-check';
import type { Client } from 'pg';
import { migrate } from '../../adapters/mikro-orm/postgresql.ts';
import { foldedText } from '../../adapters/mikro-orm/stores/account-store.ts';
import { accountSearch } from '../../lib/accounts/index.ts';
import { eachDatabaseAndSuperuser, expect, migrated, onPostgresql, propertyRuns } from '../support/index.ts';
import { type OpenedStorage, openStorage, storageAt } from '../support/storage/opened-storage.ts';
import { withPostgresql } from '../support/storage/statement-plans.ts';
import { account, author, newId } from '../support/storage/stored-records.ts';

const page = { offset: 0, limit: 100 };

/**
 * Letters, marks and signs that case folding changes, and characters that are special in patterns, quotes and words.
 */
const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'B', 'ab', 'É', 'ß', 'Σ', 'ς', 'İ', 'ı', 'Å', 'å', '名前') },
  {
    weight: 2,
    arbitrary: fc.constantFrom('%', '_', '\\', "'", '"', '$1', '?', '*', ' ', '  ', '-', '@', '.'),
  },
  { weight: 1, arbitrary: fc.constantFrom('😀', '👩‍👧', 'e\u0301', 'ﬁ', '\t', '\n', '1', '２') },
);
const words = (longest: number) =>
  fc.array(piece, { minLength: 1, maxLength: longest }).map((pieces) => pieces.join(''));
const person = fc.record({
  name: fc.option(words(8)),
  email: fc.option(words(6)),
  company: fc.option(words(8)),
  externalKey: words(4),
});
/** A random key, or a part of a field of one of the accounts. */
const sought = fc.oneof(
  words(5),
  fc.record({ at: fc.nat(), from: fc.nat(), length: fc.integer({ min: 1, max: 8 }) }),
);

eachDatabaseAndSuperuser((kind, open) => {
  describe(`account text search${kind === 'postgresql' ? ' through the index' : ''}`, () => {
    let opened: OpenedStorage;
    before(async () => {
      opened = await openStorage(kind, async () => {
        const database = await open(migrated);
        // All later connections must use the index.
        if (database.kind === 'postgresql') {
          await withPostgresql(database.url, async (client) => {
            const name = new URL(database.url).pathname.slice(1);
            await client.query(`alter database ${name} set enable_seqscan = off`);
            await client.query(`alter database ${name} set enable_indexscan = off`);
          });
        }
        return database;
      });
    });
    after(() => opened.storage.close());

    it('finds exactly the accounts that contain the text, ignoring case, for any characters', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.uniqueArray(person, { minLength: 1, maxLength: 6, selector: ({ externalKey }) => externalKey }),
          fc.array(sought, { minLength: 1, maxLength: 6 }),
          async (people, keys) => {
            const tenant = await opened.newTenant();
            const stored = await opened.storage.write(tenant, author(), ({ accounts }) =>
              accounts.insert(people.map((each) => account(each))),
            );
            const texts = stored.map(foldedText);
            for (const each of keys) {
              const text = typeof each === 'string' ? each : partOf(texts, each);
              const search = accountSearch(text);
              if (search.kind !== 'text' || text.includes('\u0001')) continue;
              const { rows } = await opened.storage.read(tenant, ({ accounts }) =>
                accounts.search(search, page),
              );
              const holding = stored.filter((_, index) => texts[index]?.includes(text.toLowerCase()));
              expect(rows.map(({ id }) => id)).to.eql(holding.map(({ id }) => id));
            }
          },
        ),
        { numRuns: propertyRuns },
      );
    });

    it('counts all accounts, and the matches beyond the current page', async () => {
      const tenant = await opened.newTenant();
      const names = ['Quagga 1', 'Okapi 1', 'Quagga 2', 'Quagga 3', 'Okapi 2', 'Quagga 4', 'Quagga 5'];
      await opened.storage.write(tenant, author(), ({ accounts }) =>
        accounts.insert(names.map((name) => account({ name }))),
      );
      const windows = [
        { offset: 0, limit: 2, found: ['Quagga 1', 'Quagga 2'] },
        { offset: 2, limit: 2, found: ['Quagga 3', 'Quagga 4'] },
        { offset: 4, limit: 2, found: ['Quagga 5'] },
        { offset: 5, limit: 2, found: [] },
        { offset: 7, limit: 2, found: [] },
        { offset: 0, limit: 5, found: ['Quagga 1', 'Quagga 2', 'Quagga 3', 'Quagga 4', 'Quagga 5'] },
        { offset: 0, limit: -2, found: ['Quagga 5', 'Quagga 4'] },
        { offset: 4, limit: -2, found: ['Quagga 1'] },
      ];
      for (const { offset, limit, found } of windows) {
        const { rows, total, max } = await opened.storage.read(tenant, ({ accounts }) =>
          accounts.search(accountSearch('quagga'), { offset, limit }),
        );
        const shown = { found: rows.map(({ name }) => name), total, max };
        expect(shown, `${offset} ${limit}`).to.eql({ found, total: 5, max: 7 });
      }
      const none = await opened.storage.read(tenant, ({ accounts }) =>
        accounts.search(accountSearch('zebra'), page),
      );
      expect([none.rows, none.total, none.max]).to.eql([[], 0, 7]);
    });

    it('finds the current text of a changed account, not the previous text', async () => {
      const [made] = await opened.writing.accounts.insert([account({ name: 'Quagga' })]);
      if (!made) throw new Error('no account');
      await opened.writing.accounts.update([{ ...made, name: 'Okapi' }]);
      const found = async (key: string) =>
        opened.read(async ({ accounts }) =>
          (await accounts.search(accountSearch(key), page)).rows.map(({ id }) => id),
        );
      expect(await found('QUAGGA')).to.eql([]);
      expect(await found('OKAPI')).to.eql([made.id]);
      expect(await found(made.id.toUpperCase())).to.eql([made.id]);
    });
  });
});

onPostgresql.describe('account text index on PostgreSQL', (open) => {
  /** Migrates a database after `prepare` and expects to find an account in it. Returns the definition of its index. */
  async function made(prepare: (client: Client, name: string) => Promise<unknown>) {
    const database = await open();
    if (database.kind !== 'postgresql') throw new Error('wrong kind');
    const index = await withPostgresql(database.url, async (client) => {
      await prepare(client, new URL(database.url).pathname.slice(1));
      await migrate(database.url);
      await client.query('set enable_seqscan = off; set enable_indexscan = off');
      const { rows } = await client.query(
        `select indexdef from pg_indexes where indexname = 'bw_accounts_text_index'`,
      );
      const explained = await client.query<Record<string, string>>(
        `explain select record_id from bw_account_texts`,
      );
      expect(JSON.stringify(explained.rows).includes('bw_accounts_text_index')).to.equal(rows.length === 1);
      return rows.map(({ indexdef }) => String(indexdef).replace(/.* using /i, ''));
    });
    const storage = storageAt(database);
    await storage.prepare();
    const tenant = { id: newId(), recordId: 7 };
    const [quagga] = await storage.write(tenant, author(), ({ accounts }) =>
      accounts.insert([account({ name: 'Quagga' })]),
    );
    const { rows: found } = await storage.read(tenant, ({ accounts }) =>
      accounts.search(accountSearch('QUAGGA'), page),
    );
    await storage.close();
    expect(found.map(({ id }) => id)).to.eql([quagga?.id]);
    return index;
  }

  it('is created if the role can create the extension', async () =>
    expect(await made(async () => undefined)).to.eql(['gin (folded_text gin_trgm_ops)']));

  it('uses the host’s extension in a schema outside the search path', async () => {
    const host = 'create schema host_extensions; create extension pg_trgm schema host_extensions';
    expect(await made((client) => client.query(host))).to.eql([
      'gin (folded_text host_extensions.gin_trgm_ops)',
    ]);
  });

  it('is omitted if the role cannot create the extension, without affecting search results', async () => {
    const index = await made((client, name) =>
      client.query(`revoke create on database ${name} from current_user`),
    );
    expect(index).to.eql([]);
  });

  it('is omitted if the role cannot use the host’s extension', async () => {
    const host = `create schema host_extensions; create extension pg_trgm schema host_extensions;
      revoke usage on schema host_extensions from current_user`;
    expect(await made((client) => client.query(host))).to.eql([]);
  });
});

function partOf(
  texts: readonly string[],
  { at, from, length }: { readonly at: number; readonly from: number; readonly length: number },
): string {
  const characters = [...(texts[at % texts.length] ?? '')];
  const start = from % characters.length;
  return characters.slice(start, start + length).join('');
}
