import type { OverrideDefinition } from '../../lib/catalog/index.ts';
import { defineOverrides, obtainOverridePlan, withOverridePlans } from '../../lib/catalog/index.ts';
import { type Catalog, createCatalog } from '../../lib/index.ts';
import type { ReadSession, Storage } from '../../lib/ports/storage/index.ts';
import { decimal } from '../../lib/values/money/index.ts';
import { lists, plan, version } from '../support/catalogs/catalog-document.ts';
import { eachDatabase, expect, migrated, onPostgresql } from '../support/index.ts';
import { rejection, sharedStorage, storageAt } from '../support/storage/opened-storage.ts';
import { author, newId, tenant } from '../support/storage/stored-records.ts';

const gold = version({
  plans: ['gold', 'silver'].map((name) => plan(name, 'P')).join(''),
  priceLists: lists({ DEFAULT: ['gold', 'silver'] }),
});

const sold = (): Catalog => createCatalog([gold]);

/** Overrides the EVERGREEN price of the plan with this amount. */
function definition(amount: number, planName = 'gold'): OverrideDefinition {
  return defineOverrides({
    plan: gold.findPlan(planName),
    chosen: undefined,
    currency: 'USD',
    requests: [{ phaseType: 'EVERGREEN', recurringPrice: decimal(amount) }],
  });
}

const making = { nextId: newId, currentCatalog: async () => sold() };

eachDatabase.describe('override plans', (open, kind) => {
  const opened = sharedStorage(kind, open);

  const make = (amount: number) =>
    opened.write((session) => obtainOverridePlan(session, definition(amount), making));
  const accountId = newId();
  const find = (session: ReadSession, catalog: Catalog, planNames: readonly (string | null)[]) =>
    withOverridePlans(session, { catalogOf: () => catalog, accountIds: [accountId], planNames });
  const read = (catalog: Catalog, planNames: readonly (string | null)[]) =>
    opened.read(async (session) => (await find(session, catalog, planNames))(accountId));

  it('require no statement if they are cached, and one statement for any number of uncached plans', async () => {
    const names: string[] = [];
    for (const amount of [1, 2, 3]) names.push((await make(amount)).name);
    expect(names).to.eql(['gold-1', 'gold-2', 'gold-3']);
    opened.statements();
    const catalog = sold();
    const first = await read(catalog, ['gold-1', 'gold', null, 'gold-1', 'gold-9']);
    expect(opened.statements()).to.have.length(1);
    expect(first.planIn(gold, 'gold-1')?.finalPhase.recurring?.price?.prices[0]?.amount?.text).to.equal('1');
    expect(first.planIn(gold, 'gold-2'), 'was not requested').to.equal(undefined);
    await read(catalog, ['gold', 'silver']);
    await read(catalog, ['gold-1', 'silver']);
    expect(opened.statements()).to.have.length(0);
    const all = await read(catalog, ['gold-1', 'gold-2', 'gold-3']);
    expect(opened.statements()).to.have.length(1);
    expect(all.planIn(gold, 'gold-1')).to.equal(first.planIn(gold, 'gold-1'));
    expect(all.planIn(gold, 'gold-3')?.name).to.equal('gold-3');
  });

  it('require one statement if the same overrides already exist', async () => {
    const { name } = await make(4);
    opened.statements();
    expect((await make(4)).name).to.equal(name);
    expect(opened.statements()).to.have.length(1);
  });

  it('disappear with a failed transaction and free their names for the next transaction', async () => {
    const catalog = sold();
    const failure = await rejection(
      opened.write(async (session) => {
        const { name } = await obtainOverridePlan(session, definition(50), making);
        expect(name).to.equal('gold-5');
        const plans = (await find(session, catalog, [name]))(accountId);
        expect(plans.planIn(gold, name)?.finalPhase.recurring?.price?.prices[0]?.amount?.text).to.equal('50');
        throw new Error('undone');
      }),
    );
    expect(failure.message).to.equal('undone');
    expect((await read(catalog, ['gold-5'])).planIn(gold, 'gold-5')).to.equal(undefined);
    expect((await make(51)).name).to.equal('gold-5');
    const plans = await read(catalog, ['gold-5']);
    expect(plans.planIn(gold, 'gold-5')?.finalPhase.recurring?.price?.prices[0]?.amount?.text).to.equal('51');
  });

  it('are numbered across all parents, and skip names in the catalog', async () => {
    const other = await opened.storage.write(opened.tenant, author(), (session) =>
      obtainOverridePlan(session, definition(1, 'silver'), making),
    );
    expect(other.name).to.equal('silver-6');
    const taken = version({
      plans: ['gold', 'gold-7', 'gold-8'].map((name) => plan(name, 'P')).join(''),
      priceLists: lists({ DEFAULT: ['gold', 'gold-7', 'gold-8'] }),
    });
    const passing = await opened.write((session) =>
      obtainOverridePlan(session, definition(7), {
        ...making,
        currentCatalog: async () => createCatalog([taken]),
      }),
    );
    expect(passing.name).to.equal('gold-9');
  });
});

onPostgresql.describe('override plans on PostgreSQL with two nodes', (open) => {
  it('have one number for equal concurrent overrides, and separate numbers for different overrides', async () => {
    const database = await open(migrated);
    const nodes: readonly Storage<never>[] = [storageAt(database), storageAt(database)];
    await Promise.all(nodes.map((node) => node.prepare()));
    const [first] = nodes;
    if (!first) throw new Error('no node');
    const { id, recordId } = await first.system.insertTenant(tenant({ apiKey: newId() }), author());
    const amounts = Array.from({ length: 40 }, (_, index) => 1 + (index % 8));
    const made = await Promise.all(
      amounts.map((amount, index) =>
        (nodes[index % 2] ?? first).write({ id, recordId }, author(), (session) =>
          obtainOverridePlan(session, definition(amount), making),
        ),
      ),
    );
    const namesOf = Map.groupBy(made, (_, index) => amounts[index]);
    const names = [...namesOf.values()].map((plans) => new Set(plans.map((each) => each.name)));
    expect(names.map((each) => each.size)).to.eql([1, 1, 1, 1, 1, 1, 1, 1]);
    expect(names.flatMap((each) => [...each]).toSorted()).to.eql(
      [1, 2, 3, 4, 5, 6, 7, 8].map((number) => `gold-${number}`),
    );
    const last = await first.read({ id, recordId }, (session) => session.catalogs.lastOverridePlanNumber());
    expect(last).to.equal(8);
    await Promise.all(nodes.map((node) => node.close()));
  });
});
