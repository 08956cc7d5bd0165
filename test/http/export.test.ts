import { PLUGIN } from '../../adapters/koa/routing/path.ts';
import { tables } from '../../adapters/mikro-orm/tables/index.ts';
import { ObjectType } from '../../lib/records/index.ts';
import { EXPORT_BATCH_ROWS } from '../../lib/values/limits.ts';
import { bearer, eachDatabase, expect, populateOnce, rowsOf as storedRows } from '../support/http/index.ts';
import { aliasHeaders, basic, expectRefusal, expectStatus, type Reply } from '../support/http/serving.ts';

/** Parses an export like a reader: the rows of each table by column name. */
function sectionsOf(text: string): ReadonlyMap<string, readonly Readonly<Record<string, string>>[]> {
  const sections = new Map<string, Record<string, string>[]>();
  let columns: readonly string[] = [];
  let rows: Record<string, string>[] = [];
  expect(text.endsWith('\n')).to.equal(true);
  for (const line of text.slice(0, -1).split('\n')) {
    const header = /^-- (\w+) (.*)$/.exec(line);
    if (header !== null) {
      [columns, rows] = [String(header[2]).split('|'), []];
      sections.set(String(header[1]), rows);
      continue;
    }
    const values = line
      .split('|')
      .map((value) => value.replaceAll('\\N{LINE FEED}', '\n').replaceAll('\\N{VERTICAL LINE}', '|'));
    expect(values, line).to.have.length(columns.length);
    rows.push(Object.fromEntries(columns.map((column, index) => [column, String(values[index])])));
  }
  return sections;
}

eachDatabase.describe('account export', (open) => {
  const world = populateOnce(open);
  before(async () => {
    const renamed = `/1.0/kb/bundles/${world.bundleId}/renameKey`;
    await world.serving.call('PUT', renamed, { body: { externalKey: 'renamed' } });
  });

  const exported = (accountId = world.accountId, headers = {}): Promise<Reply> =>
    world.serving.get(`/export/${accountId}`, headers);
  const rowsOf = async (table: string) => sectionsOf((await exported()).text).get(table) ?? [];

  it('escapes separators and line feeds in values (accounts E15 "Export")', async () => {
    const notes = 'a|b\nc';
    await world.serving.put(`/accounts/${world.accountId}`, { notes });
    const reply = expectStatus(await exported(), 201);
    expect(reply.headers.get('content-type')).to.equal('application/octet-stream');
    const lines = reply.text.split('\n');
    const header = lines.findIndex((line) => line.startsWith('-- accounts '));
    expect(lines[header]).to.match(/^-- accounts record_id\|id\|external_key\|email\|name\|/);
    expect(lines[header + 1]).to.include('|a\\N{VERTICAL LINE}b\\N{LINE FEED}c|');
    const sections = sectionsOf(reply.text);
    expect(sections.get('accounts')).to.have.length(1);
    expect(sections.get('accounts')?.[0]).to.include({ external_key: 'customer', name: 'Ada', notes });
    const history = sections.get('account_history') ?? [];
    expect(history.at(-1)).to.include({ change_type: 'UPDATE', external_key: 'customer', notes });
    expect(history[0]).to.include({ change_type: 'INSERT', name: 'Ada', notes: '' });
  });

  it('formats all times the same in rows and history and leaves similar strings unchanged (accounts §16 rule 1)', async () => {
    const notes = '2024-01-31T10:00:00.000Z';
    await world.serving.put(`/accounts/${world.accountId}`, { notes });
    const sections = sectionsOf((await exported()).text);
    const cells = [...sections].flatMap(([table, rows]) =>
      rows.flatMap((row) => Object.entries(row).map(([column, text]) => ({ table, column, text }))),
    );
    const inWireForm = cells.filter(
      ({ column, text }) => column !== 'notes' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text),
    );
    expect(inWireForm).to.eql([]);
    const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/;
    for (const [table, column] of [
      ['account_history', 'reference_time'],
      ['bundle_history', 'original_created_date'],
      ['subscription_history', 'bundle_start_date'],
      ['subscription_event_history', 'effective_date'],
      ['invoice_payment_history', 'payment_date'],
      ['payment_transaction_history', 'effective_date'],
    ] as const)
      expect(sections.get(table)?.[0]?.[column], table).to.match(time);
    expect(sections.get('account_history')?.at(-1)).to.include({ notes });
  });

  it('returns 200 in dialect K', async () =>
    expect((await exported(world.accountId, aliasHeaders)).status).to.equal(200));

  it('contains every table of the account in alphabetical order, and no data of another account', async () => {
    const { text } = await exported();
    const names = [...sectionsOf(text).keys()];
    expect(names).to.eql(names.toSorted());
    expect(names).to.include.members([
      'account_emails',
      'account_email_history',
      'account_history',
      'accounts',
      'audit_log',
      'blocking_states',
      'bundles',
      'custom_fields',
      'former_bundle_keys',
      'invoice_items',
      'invoice_item_history',
      'invoice_payments',
      'invoices',
      'payment_attempts',
      'payment_methods',
      'payment_transactions',
      'payments',
      'queue_entries',
      'queue_history',
      'subscription_events',
      'subscriptions',
      'tags',
    ]);
    expect(names).not.to.include.members(['tenants']);
    expect(text).not.to.include(world.foreignAccountId);
    // Search columns are derived from other columns.
    expect(text).not.to.include('folded_');
  });

  it('contains every row of the account from every table', async () => {
    const sections = sectionsOf((await exported()).text);
    const names = tables
      .filter(({ columns }) => columns.some(({ name }) => name === 'account_record_id'))
      .filter(({ columns }) => columns.some(({ name }) => name === 'record_id'))
      .map(({ name }) => name);
    const own = `(select record_id from bw_accounts where id = '${world.accountId}')`;
    const parts = names.map(
      (name) => `select '${name}' as name, record_id from ${name} where account_record_id = ${own}`,
    );
    const rows = await storedRows(
      world.serving.database,
      `${parts.join(' union all ')} order by name, record_id`,
    );
    const stored = Map.groupBy(rows, ({ name }) => String(name));
    for (const name of names) {
      const numbers = (stored.get(name) ?? []).map((row) => String(row.record_id));
      const shown = (sections.get(name.slice('bw_'.length)) ?? []).map((row) => row.record_id);
      expect(shown, name).to.eql(numbers);
    }
    expect(stored.size).to.be.greaterThan(15);
  });

  it('contains the account’s catalog entries with their history and readable audit rows', async () => {
    const { call, get } = world.serving;
    const evergreen = {
      type: 'EVERGREEN',
      durationUnit: 'UNLIMITED',
      recurringPrices: { billingPeriod: 'MONTHLY', prices: [{ currency: 'USD', value: '10' }] },
    };
    const plan = {
      name: 'own-monthly',
      recurringBillingMode: 'IN_ADVANCE',
      effectiveDate: '2024-02-10',
      productName: 'Own',
      pricelistName: 'DEFAULT',
      phases: [evergreen],
    };
    const reply = await call('POST', `${PLUGIN}/catalog/inputData?accountId=${world.accountId}`, {
      body: { plans: [plan], products: [{ name: 'Own', category: 'BASE' }] },
      // Without the header, the author is the subject of the token (http-api §2).
      headers: { authorization: await bearer(world.serving, 'admin'), 'x-service-createdby': undefined },
    });
    expect(reply.status, reply.text).to.equal(201);
    const sections = sectionsOf((await exported()).text);
    const namesIn = (table: string) => (sections.get(table) ?? []).map(({ name }) => name);
    expect(namesIn('catalog_entries')).to.include.members(['Own', 'own-monthly']);
    expect(namesIn('catalog_entry_history')).to.eql(namesIn('catalog_entries'));
    for (const table of ['catalog_plan_rows', 'catalog_plan_row_history'])
      expect(sections.get(table)?.map((row) => row.plan_name)).to.eql(['own-monthly']);
    const audit = expectStatus(await get(`/accounts/${world.accountId}/auditLogs`), 200);
    const types = (audit.json as { readonly objectType: string }[]).map(({ objectType }) => objectType);
    const written = (sections.get('audit_log') ?? []).filter(
      ({ table_name: table }) => table === 'CATALOG_ENTRIES',
    );
    expect(new Set(written.map(({ changed_by: author }) => author))).to.eql(new Set(['admin']));
    expect(types).to.include('ACCOUNT');
    expect(types.filter((type) => !Object.hasOwn(ObjectType, type))).to.eql([]);
  });

  it('formats booleans, times, amounts and nulls the same on both databases', async () => {
    const [account] = await rowsOf('accounts');
    expect(account).to.include({
      is_payment_delegated_to_parent: 'false',
      created_date: '2024-02-10T08:15:30.000+00:00',
      parent_account_id: '',
    });
    const [email] = await rowsOf('account_emails');
    expect(email).to.include({ email: 'other@example.com', is_active: 'true' });
    const [item] = await rowsOf('invoice_items');
    expect(Number(item?.amount)).to.be.greaterThan(0);
    expect(item?.start_date).to.equal('2024-02-10');
  });

  it('reads more rows than fit in a batch, each once and in order', async () => {
    const definition = { name: 'many', value: 'x' };
    const count = EXPORT_BATCH_ROWS + 1;
    const body = Array.from({ length: count }, (_, index) => ({ ...definition, name: `many ${index}` }));
    const path = `/1.0/kb/accounts/${world.accountId}/customFields`;
    expect((await world.serving.call('POST', path, { body })).status).to.equal(201);
    const many = (await rowsOf('custom_fields')).filter((row) => row.name?.startsWith('many'));
    expect(many.map((row) => row.name)).to.eql(body.map(({ name }) => name));
    expect((await rowsOf('custom_field_history')).length).to.be.at.least(count);
    const numbers = (await rowsOf('audit_log')).map((row) => Number(row.record_id));
    expect(numbers).to.eql(numbers.toSorted((one, other) => one - other));
  });

  it('rejects an unknown account or an account of another tenant before sending the first byte', async () => {
    for (const id of [world.unknownId, world.foreignAccountId]) {
      expectRefusal(await exported(id), 404, 3002);
    }
  });

  it('requires the permission admin:export', async () => {
    const { post } = world.serving;
    await post('/security/roles', { role: 'exporter', permissions: ['admin:export'] });
    for (const [username, roles] of [
      ['exporter', ['exporter']],
      ['clerk', []],
    ] as const) {
      const body = { username, password: 'password', roles };
      expect((await post('/security/users', body)).status).to.equal(201);
    }
    const as = (name: string) => exported(world.accountId, { authorization: basic(name, 'password') });
    expect((await as('exporter')).status).to.equal(201);
    expect((await as('clerk')).status).to.equal(403);
  });
});
