import { readFile } from 'node:fs/promises';
import { Billing } from '../../adapters/node/billwright.ts';
import { createVersion } from '../../lib/catalog/index.ts';
import { withHash } from '../../lib/catalog/operations/catalog-service.ts';
import { BillingError, type Uuid } from '../../lib/index.ts';
import { timeSlices } from '../../lib/runtime/index.ts';
import { parse } from '../support/catalogs/catalog-document.ts';
import { eachDatabaseByTurns } from '../support/databases.ts';
import type { TestEngine } from '../support/index.ts';
import {
  expect,
  expectCode,
  newEvents,
  openEngine,
  openShop,
  rowsOf,
  specCatalog,
} from '../support/index.ts';
import { author } from '../support/storage/stored-records.ts';

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
const slices = timeSlices({ systemClock: { nowMs: () => performance.now(), nextTurn } });

eachDatabaseByTurns.describe('catalog uploads', (open) => {
  let engine: TestEngine;
  let source: string;

  beforeEach(async () => {
    source = await readFile(specCatalog, 'utf8');
    engine = await openEngine(open, { now: '2024-01-01T00:00:00Z' });
  });

  const at = (date: string): string =>
    source.replace(/<effectiveDate>[^<]*<\/effectiveDate>/, `<effectiveDate>${date}</effectiveDate>`);

  const boundedTier =
    '<tiers><tier><blocks><tieredBlock><unit>call</unit><size>1</size><prices/><max>5</max></tieredBlock></blocks></tier></tiers>';

  /** Returns the catalog with a usage section in each plan. */
  function withUsage(date: string, content: string, mode = 'IN_ARREAR'): string {
    const usage = `<usages><usage name="calls" billingMode="${mode}" usageType="CONSUMABLE">
        <billingPeriod>MONTHLY</billingPeriod>${content}</usage></usages>`;
    return at(date)
      .replace('<products>', '<units><unit name="call"/></units><products>')
      .replace('</recurring>', `</recurring>${usage}`);
  }

  async function storeUnchecked(document: string): Promise<void> {
    const version = createVersion(parse(document).content);
    const { parts, contentHash } = await withHash({ version }, slices);
    const id = crypto.randomUUID() as Uuid;
    await engine.storage.write(engine.tenant, author(), async (session) => {
      await session.catalogs.lock();
      const { effectiveDate } = version;
      const createdDate = engine.clock.now();
      const row = { id, effectiveDate, uploadId: id, parts, sourceText: document, contentHash, createdDate };
      await session.catalogs.insert([row]);
    });
  }

  async function dates(): Promise<readonly string[]> {
    const { versions } = await engine.acme.catalogs.current();
    return versions.map((version) => version.effectiveDate.toISOString().slice(0, 10));
  }

  async function refusal(document: string): Promise<BillingError> {
    try {
      await engine.acme.uploadCatalog(document);
    } catch (error) {
      if (error instanceof BillingError) return error;
      throw error;
    }
    throw new Error('the document was accepted');
  }

  it('skip repeated versions, reject altered versions, and fail if no version is new (catalog W16 "Envelope")', async () => {
    await engine.acme.uploadCatalog(at('2024-03-01'));
    const envelope = (await engine.acme.catalogs.current()).toXml();
    const extended = envelope.replace(
      '</versions>',
      `<version>${inner(at('2024-05-01'))}</version></versions>`,
    );
    await engine.acme.uploadCatalog(extended);
    expect(await dates()).to.eql(['2010-01-01', '2024-03-01', '2024-05-01']);
    expect((await refusal(extended)).code).to.equal(2080);
    expect((await refusal(envelope.replaceAll('29.95', '39.95'))).code).to.equal(2080);
    expect(await dates()).to.eql(['2010-01-01', '2024-03-01', '2024-05-01']);
  });

  it('are rejected with an error that names the tenant and lists every fault, and store nothing', async () => {
    const events = newEvents(engine.database);
    await events();
    const error = await refusal(
      at('2024-03-01').replaceAll('<product>Solo</product>', '<product>Ghost</product>'),
    );
    expect(error.message).to.match(new RegExp(`^Invalid catalog for tenant ${engine.tenant.id}`));
    expect(error.problems?.length).to.be.greaterThan(1);
    for (const { line, column } of error.problems ?? []) {
      expect(line).to.be.greaterThan(1);
      expect(column).to.be.greaterThan(0);
    }
    expect(await dates()).to.eql(['2010-01-01']);
    expect(await events()).to.eql([]);
  });

  it('emit one TENANT_CONFIG_CHANGE, are audited, and change the catalog and its revision for the next call', async () => {
    const revision = () => engine.storage.read(engine.tenant, (session) => session.catalogs.revision());
    const before = await revision();
    const events = newEvents(engine.database);
    await events();
    await engine.acme.uploadCatalog(at('2024-03-01'));
    expect(await revision()).to.equal(before + 1);
    const rows = await rowsOf(engine.database, 'select id from bw_catalog_versions order by record_id');
    const id = String(rows.at(-1)?.id) as Uuid;
    const audit = await engine.storage.read(engine.tenant, (session) => session.audit.findByTargets([id]));
    expect(audit.map(({ tableName, changeType }) => `${tableName} ${changeType}`)).to.eql([
      'TENANT_KVS INSERT',
    ]);
    expect(await events()).to.eql(['TENANT_CONFIG_CHANGE']);
    expect(await dates()).to.eql(['2010-01-01', '2024-03-01']);
    expect(engine.logger.lines.filter(({ level }) => level === 'warn')).to.eql([]);
  });

  it('log the warnings of a document, but store the document', async () => {
    await engine.acme.uploadCatalog(withUsage('2024-03-01', boundedTier));
    expect(await dates()).to.eql(['2010-01-01', '2024-03-01']);
    const [warning, ...others] = engine.logger.lines.filter(({ level }) => level === 'warn');
    expect(others).to.eql([]);
    expect(warning?.message).to.match(
      /^catalog upload: Plan ".*", usage "calls": the last tier limits "call"/,
    );
    expect(warning?.fields)
      .to.deep.include({ tenantId: engine.tenant.id })
      .and.have.property('line')
      .above(1);
  });

  it('cannot contain usage billed in advance, except in a version that is already stored with such usage (catalog V21)', async () => {
    const inAdvance = withUsage(
      '2024-03-01',
      '<blocks><block><unit>call</unit><size>1</size><prices/></block></blocks>',
      'IN_ADVANCE',
    );
    const error = await refusal(inAdvance);
    expect(error.code).to.equal(2080);
    expect(error.problems?.map(({ message }) => message)).to.eql([
      'Usage "calls" is IN_ADVANCE, which is never billed. Use IN_ARREAR with tiers, or the recurring price of the phase',
    ]);
    const { errors } = await engine.acme.catalogs.validate(inAdvance);
    expect(errors.map(({ message }) => message)).to.eql(error.problems?.map(({ message }) => message));
    expect(await dates()).to.eql(['2010-01-01']);

    // Stored like an earlier release did.
    await storeUnchecked(inAdvance);
    const stored = (await engine.acme.catalogs.current()).toXml();
    expect(stored).to.contain('billingMode="IN_ADVANCE"');
    await engine.acme.uploadCatalog(
      stored.replace('</versions>', `<version>${inner(at('2024-05-01'))}</version></versions>`),
    );
    expect(await dates()).to.eql(['2010-01-01', '2024-03-01', '2024-05-01']);
  });

  it('store only one of two simultaneous versions with the same date', async () => {
    const uploads = [at('2024-03-01'), at('2024-03-01')].map((document) =>
      engine.acme.uploadCatalog(document),
    );
    const outcomes = (await Promise.allSettled(uploads)).map(({ status }) => status);
    expect(outcomes.toSorted()).to.eql(['fulfilled', 'rejected']);
    expect(await dates()).to.eql(['2010-01-01', '2024-03-01']);
  });

  it('are rejected in every operation if a document exceeds the size limit of the engine', async () => {
    const { storage, clock, tenant } = engine;
    const bounded = await Billing.open({ storage, clock, maxDocumentBytes: at('2024-03-01').length });
    const acme = bounded.as({ tenant, user: 'test' });
    const longer = `${at('2024-03-01')} `;
    for (const work of [acme.uploadCatalog, acme.catalogs.validate, acme.catalogs.changeReport])
      await expectCode(work(longer), 'TOO_LARGE');
    await acme.uploadCatalog(at('2024-03-01'));
    expect(await dates()).to.eql(['2010-01-01', '2024-03-01']);
  });

  it('are invisible to other tenants', async () => {
    const { acme: other } = await openShop(engine.billing);
    expect((await other.catalogs.current()).name).to.equal('Meadow');
    expect(await dates()).to.eql(['2010-01-01']);
  });
});

/** Returns the content of the root element `catalog`. */
const inner = (document: string) =>
  document.slice(document.indexOf('<catalog>') + '<catalog>'.length, document.lastIndexOf('</catalog>'));
