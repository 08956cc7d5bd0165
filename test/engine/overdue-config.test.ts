import type { BillingError, NewOverdueDefinition, Problem, TenantBilling } from '../../lib/index.ts';
import { decimal } from '../../lib/index.ts';
import { authorshipOf } from '../../lib/runtime/index.ts';
import { eachDatabaseByTurns, itOnPostgresql } from '../support/databases.ts';
import {
  expect,
  expectCode,
  hostedEngine,
  newEvents,
  openBilling,
  openEngine,
  openShop,
  type TestEngine,
} from '../support/index.ts';
import { clearOnly, exampleJson, exampleXml } from '../support/overdue/example-config.ts';

const KEY = 'OVERDUE_CONFIG';
const host: NewOverdueDefinition = {
  overdueStates: [{ name: 'HOUSE', condition: { numberOfUnpaidInvoicesEqualsOrExceeds: 3 } }],
};

eachDatabaseByTurns.describe('overdue configurations', (open) => {
  let engine: TestEngine;
  let acme: TenantBilling;
  let newTypes: () => Promise<readonly string[]>;
  const statements: string[] = [];

  beforeEach(async () => {
    statements.length = 0;
    const trace = (statement: string) => statements.push(statement);
    engine = await openEngine(open, { now: '2024-02-10T09:00:00Z', catalog: null, trace });
    acme = engine.acme;
    newTypes = newEvents(engine.database);
    await newTypes();
  });

  const problemsOf = async (upload: Promise<void>): Promise<readonly Problem[]> => {
    await expectCode(upload, 'OVERDUE_INVALID_FOR_TENANT');
    return ((await upload.catch((thrown: unknown) => thrown)) as BillingError).problems ?? [];
  };

  it('contain only the clear state by default, in XML and JSON (overdue §1.2)', async () => {
    expect(await acme.overdue.get()).to.eql(clearOnly);
    const xml = await acme.overdue.getXml();
    expect(xml.replace(/^<\?xml.*\?>/, '').replace(/\s/g, '')).to.equal(
      '<overdueConfig><accountOverdueStates><statename="Clear"><isClearState>true</isClearState></state></accountOverdueStates></overdueConfig>',
    );
    await acme.overdue.upload(xml);
    expect(await acme.overdue.get()).to.eql(clearOnly);
  });

  it('have the same meaning in XML, in JSON and as a definition in code (overdue §1.4)', async () => {
    const definition: NewOverdueDefinition = exampleJson;
    for (const given of [exampleXml, `\n ${JSON.stringify(exampleJson)}`, definition]) {
      await acme.overdue.upload(host);
      await acme.overdue.upload(given);
      expect(await acme.overdue.get()).to.eql(exampleJson);
    }
  });

  it('are returned unchanged if uploaded as XML, and as equivalent XML if uploaded as JSON (overdue §1.2 rule 3)', async () => {
    const odd = exampleXml.replace('<condition>', '<!-- why -->\r\n<condition>');
    await acme.overdue.upload(odd);
    expect(await acme.overdue.getXml()).to.equal(odd);
    await acme.overdue.upload(JSON.stringify(exampleJson));
    const written = await acme.overdue.getXml();
    expect(written).to.match(/^<\?xml/);
    await acme.overdue.upload(host);
    await acme.overdue.upload(written);
    expect(await acme.overdue.get()).to.eql(exampleJson);
  });

  it('in JSON derive missing intervals from the thresholds (overdue §1.3 rule 5, §12)', async () => {
    const time = (number: number) => ({
      timeSinceEarliestUnpaidInvoiceEqualsOrExceeds: { unit: 'DAYS', number },
    });
    const states = [
      { name: 'BLOCK', condition: time(20), isBlockChanges: true, isDisableEntitlement: true },
      { name: 'WARN', condition: time(8) },
    ];
    await acme.overdue.upload(JSON.stringify({ initialReevaluationInterval: null, overdueStates: states }));
    const { initialReevaluationInterval, overdueStates } = await acme.overdue.get();
    expect(initialReevaluationInterval).to.equal(8);
    expect(overdueStates.map((state) => state.autoReevaluationIntervalDays)).to.eql([null, 12]);
    const swapped = JSON.stringify({ overdueStates: states.toReversed() });
    expect(await problemsOf(acme.overdue.upload(swapped))).to.have.length(1);
    expect((await acme.overdue.get()).overdueStates.map(({ name }) => name)).to.eql(['BLOCK', 'WARN']);
  });

  it('emit one event when replaced, and return to the default when deleted (overdue §1.2 rule 2)', async () => {
    await acme.overdue.upload(exampleXml);
    await acme.overdue.upload(host);
    expect((await acme.overdue.get()).overdueStates.map(({ name }) => name)).to.eql(['HOUSE']);
    const { values } = await acme.keyValues.get(KEY);
    expect(values).to.have.length(1);
    await acme.keyValues.delete(KEY);
    await acme.keyValues.delete(KEY);
    expect(await acme.overdue.get()).to.eql(clearOnly);
    expect(await newTypes()).to.eql([
      'TENANT_CONFIG_CHANGE',
      'TENANT_CONFIG_CHANGE',
      'TENANT_CONFIG_DELETION',
    ]);
  });

  it('can be stored unchanged under the tenant key, after the same validation as an upload', async () => {
    const json = `\ufeff\r\n${JSON.stringify(exampleJson)}`;
    for (const text of [json, exampleXml]) {
      await acme.keyValues.add(KEY, text);
      expect((await acme.keyValues.get(KEY)).values).to.eql([text]);
      expect(await acme.overdue.get()).to.eql(exampleJson);
    }
    const [faulty] = await problemsOf(acme.keyValues.add(KEY, '<overdueConfig>\n <oops/></overdueConfig>'));
    expect(faulty).to.deep.include({ line: 1 });
    expect((await acme.keyValues.get(KEY)).values).to.eql([exampleXml]);
  });

  it('are rejected with all errors and their positions, and are not stored (overdue §1.3)', async () => {
    await acme.overdue.upload(exampleXml);
    await newTypes();
    const bad = exampleXml
      .replace('<unit>DAYS</unit><number>8</number>', '<unit>FORTNIGHTS</unit><number>8</number>')
      .replace('PARTNER', 'FRIEND')
      .replace('name="WARNED"', 'name="BLOCKED"');
    const problems = await problemsOf(acme.overdue.upload(bad));
    expect(problems.map(({ line }) => line)).to.eql([3, 7, 12]);
    for (const problem of problems) expect(problem).to.have.property('column');
    expect(await problemsOf(acme.overdue.upload('{'))).to.have.length(1);
    expect(await problemsOf(acme.overdue.upload(exampleXml, { format: 'JSON' }))).to.have.length(1);
    expect(await problemsOf(acme.overdue.upload('{}', { format: 'XML' }))).to.have.length(1);
    expect(await acme.overdue.getXml()).to.equal(exampleXml);
    expect(await newTypes()).to.eql([]);
  });

  it('can be objects with decimal or string amounts, in which errors are reported without positions', async () => {
    for (const total of [decimal('20.10'), '20.10']) {
      const condition = { totalUnpaidInvoiceBalanceEqualsOrExceeds: total };
      await acme.overdue.upload({ overdueStates: [{ name: 'LATE', condition }] });
      const [state] = (await acme.overdue.get()).overdueStates;
      expect(state?.condition?.totalUnpaidInvoiceBalanceEqualsOrExceeds?.toString()).to.equal('20.1');
    }
    const states = [{ name: 'LATE' }, { name: 'LATE' }];
    const problems = await problemsOf(acme.overdue.upload({ overdueStates: states }));
    expect(problems).to.have.length(3);
    for (const problem of problems) expect(problem).to.have.all.keys('message');
  });

  itOnPostgresql(
    'take effect on another node with its next call after an upload or a deletion (overdue §1.2 rule 4)',
    async () => {
      const second = await openBilling(engine.database, { clock: engine.clock });
      const there = second.as({ tenant: engine.tenant, user: 'test' });
      expect(await there.overdue.get()).to.eql(clearOnly);
      await acme.overdue.upload(exampleXml);
      expect(await there.overdue.get()).to.eql(exampleJson);
      await acme.overdue.upload(host);
      expect((await there.overdue.get()).overdueStates[0]?.name).to.equal('HOUSE');
      await acme.keyValues.delete(KEY);
      expect(await there.overdue.get()).to.eql(clearOnly);
    },
  );

  it('are read from the database once for all callers, and only after the upload is committed (overdue §1.2 rule 4)', async () => {
    statements.length = 0;
    await acme.overdue.upload(exampleXml);
    const reads = () => statements.filter((statement) => /select value from bw_tenant_kvs/.test(statement));
    expect(reads()).to.eql([]);
    await acme.overdue.get();
    statements.length = 0;
    await acme.overdue.get();
    await acme.overdue.get();
    expect(reads()).to.eql([]);
    await acme.overdue.getXml();
    expect(reads()).to.have.length(1);
  });

  it('apply to one tenant only', async () => {
    const other = (await openShop(engine.billing)).acme;
    await acme.overdue.upload(exampleXml);
    expect(await other.overdue.get()).to.eql(clearOnly);
    await other.keyValues.delete(KEY);
    expect(await acme.overdue.get()).to.eql(exampleJson);
  });

  /** Stores a value that no current upload has validated. */
  async function store(value: string): Promise<void> {
    const context = await engine.billing.context({ tenant: engine.tenant, user: 'test' });
    const { createdDate, userToken: id } = context;
    await engine.storage.write(engine.tenant, authorshipOf(context), async (session) => {
      const row = { id, key: KEY, value, isSingle: true, isActive: true };
      const [recordId = 0] = await session.keyValues.insert([
        { ...row, createdDate, updatedDate: createdDate },
      ]);
      await session.keyValues.setOverdueConfig(recordId);
    });
  }

  it('remain in force if a stored state has no criteria, but never apply that state (overdue §1.3 rule 2)', async () => {
    const stored = exampleXml.replace('<state ', '<state name="EMPTY"><condition/></state><state ');
    await store(stored);
    expect(await acme.overdue.getXml()).to.equal(stored);
    const { overdueStates } = await acme.overdue.get();
    expect(overdueStates?.map(({ name }) => name)).to.eql([
      'EMPTY',
      ...(exampleJson.overdueStates ?? []).map(({ name }) => name),
    ]);
    const { id } = await acme.createAccount({ currency: 'USD' });
    await acme.invoices.addCharges({ accountId: id, items: [{ amount: '5' }], autoCommit: true });
    await engine.settle();
    expect((await acme.overdue.ofAccount(id)).name).not.to.equal('EMPTY');
    await expectCode(acme.overdue.upload(stored), 'OVERDUE_INVALID_FOR_TENANT');
  });

  it('are replaced by the default, with a warning, if the stored text is unreadable', async () => {
    await store('<nonsense/>');
    expect(await acme.overdue.get()).to.eql(clearOnly);
    const warned = engine.logger.lines.filter(({ level }) => level === 'warn');
    expect(warned.map(({ message }) => message).join()).to.contain('OVERDUE_CONFIG');
  });
});

eachDatabaseByTurns.describe('overdue configurations in host transactions', (open) => {
  it('are not cached if the host rolls back its transaction', async () => {
    const engine = await openEngine(open, { now: '2024-02-10T09:00:00Z', catalog: null });
    const { acme, inside } = await hostedEngine(engine);
    const undone = inside(async ({ overdue }) => {
      await overdue.upload(exampleXml);
      expect(await overdue.get()).to.eql(exampleJson);
      throw new Error('undone');
    });
    expect(await undone.catch((error: unknown) => String(error))).to.equal('Error: undone');
    expect(await acme.overdue.get()).to.eql(clearOnly);
    // SQLite gives the new row the number of the removed one.
    await acme.overdue.upload(host);
    expect((await acme.overdue.get()).overdueStates[0]?.name).to.equal('HOUSE');
  });
});

eachDatabaseByTurns.describe('default overdue configurations', (open) => {
  it('of the host, as text or as a definition, apply to tenants without their own configuration', async () => {
    for (const defaultOverdueConfig of [exampleXml, JSON.stringify(exampleJson), exampleJson]) {
      const engine = await openEngine(open, { now: '2024-02-10', catalog: null, defaultOverdueConfig });
      expect(await engine.acme.overdue.get()).to.eql(exampleJson);
      await engine.acme.overdue.upload(host);
      expect((await engine.acme.overdue.get()).overdueStates[0]?.name).to.equal('HOUSE');
      await engine.acme.keyValues.delete(KEY);
      expect(await engine.acme.overdue.get()).to.eql(exampleJson);
    }
  });

  it('of the host prevent the engine from opening if they are invalid', async () => {
    for (const defaultOverdueConfig of ['<nonsense/>', { overdueStates: [{ name: 'LATE' }] }]) {
      const opening = openEngine(open, { now: '2024-02-10T09:00:00Z', defaultOverdueConfig });
      await expectCode(opening, 'OVERDUE_INVALID_FOR_TENANT');
    }
  });
});
