import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { memoryCatalogPlugin } from '../../../adapters/testing/index.ts';
import { EffectiveCatalogs, MAX_CACHED_ACCOUNT_CATALOGS } from '../../../lib/catalog/cache/catalog-cache.ts';
import { MAX_CACHED_PLUGIN_CATALOGS, pluginCatalogs } from '../../../lib/catalog/cache/plugin-catalogs.ts';
import { StoredCatalogs } from '../../../lib/catalog/cache/stored-catalogs.ts';
import { partsOf, shapedText } from '../../../lib/catalog/cache/stored-parts.ts';
import type { Catalog } from '../../../lib/catalog/index.ts';
import { textOfPlan } from '../../../lib/catalog/model/plan.ts';
import type { CatalogEntry, PlanRow, Uuid } from '../../../lib/index.ts';
import type { ReadSession } from '../../../lib/ports/storage/index.ts';
import {
  CatalogPartKind,
  type StoredCatalogContent,
  type StoredCatalogPart,
  type StoredCatalogVersion,
} from '../../../lib/records/catalog/catalog-version.ts';
import type { TenantRef } from '../../../lib/records/context.ts';
import { inOneTurn } from '../../../lib/runtime/wait/turns.ts';
import { MAX_CACHED_CATALOG_CHARACTERS, MAX_CACHED_CATALOGS } from '../../../lib/values/limits.ts';
import { version } from '../../support/catalogs/catalog-document.ts';
import { boatPlan, harbour } from '../../support/catalogs/priced-catalog.ts';
import { catalogEntry, planRow } from '../../support/storage/entry-records.ts';
import { pushableSystemClock } from '../../support/system-time.ts';
import { expect, instant } from '../../support/unit.ts';

/** Includes the shape of its plan. */
const PARTS_OF_VERSION = 4;
const DAY_MS = 86_400_000;

/** A tenant in storage with any number of versions of one plan. The versions share no parts. */
interface TenantOnDisk {
  readonly recordId: number;
  readonly revision: number;
  /** Numbers of its versions, ascending. Their parts are derived from them. */
  readonly versions: readonly number[];
  /** Text of the plan, which is decoded only on demand. */
  readonly planText: string;
}

const collect = (() => {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
})();

describe('cached catalogs', () => {
  let frame: string;
  let product: string;
  let plan: string;
  let reads: number;

  before(async () => {
    const parts = await partsOf(version(), inOneTurn);
    [frame, product] = [parts.frame.text, parts.products[0]?.text ?? ''];
    plan = version().plans.map(textOfPlan).join();
  });
  beforeEach(() => {
    reads = 0;
  });

  function sessionOf(
    tenant: TenantOnDisk,
    entries: Partial<ReadSession['catalogEntries']> = {},
  ): ReadSession {
    const first = (number: number): number => number * PARTS_OF_VERSION;
    const { shape, filling } =
      tenant.planText === plan ? shapedText(plan) : { shape: tenant.planText, filling: '' };
    const part = (recordId: number): StoredCatalogPart => {
      const [kind, name, text] = [
        [CatalogPartKind.FRAME, 'Test', frame],
        [CatalogPartKind.PRODUCT, 'P', product],
        [CatalogPartKind.PLAN, 'p-m', filling],
        [CatalogPartKind.SHAPE, 'p-m', shape],
      ][recordId % PARTS_OF_VERSION] as [CatalogPartKind, string, string];
      const shapeRecordId = kind === CatalogPartKind.PLAN ? recordId + 1 : null;
      return { recordId, kind, name, text, forExisting: null, shapeRecordId };
    };
    const catalogs = {
      revision: async () => tenant.revision,
      usesGlobalDefault: async () => false,
      versions: async (): Promise<readonly StoredCatalogVersion[]> => {
        reads += 1;
        return tenant.versions.map((number) => ({
          recordId: number,
          id: String(number) as Uuid,
          uploadId: String(number) as Uuid,
          effectiveDate: instant(number * DAY_MS),
          contentHash: String(number),
          revision: number,
          createdDate: instant(0),
        }));
      },
      contents: async (recordIds: readonly number[]): Promise<readonly StoredCatalogContent[]> =>
        recordIds.map((number) => ({
          recordId: number,
          content: { frame: first(number), products: [first(number) + 1], plans: [first(number) + 2] },
        })),
      parts: async (recordIds: readonly number[]) => recordIds.map(part),
    };
    const catalogEntries = {
      ofScope: async () => [],
      ofAccounts: async () => [],
      rowsOf: async () => [],
      existForAccounts: async () => false,
      ...entries,
    };
    const { recordId } = tenant;
    return { tenant: { recordId }, catalogs, catalogEntries } as never;
  }

  function tenantOf(recordId: number, more: Partial<TenantOnDisk> = {}): TenantOnDisk {
    return { recordId, revision: 1, versions: [1, 2], planText: plan, ...more };
  }

  /**
   * Returns how many of the catalogs read in this order are still cached, from the last one down to the first missing
   * one.
   */
  async function stillThere(recordIds: readonly number[], ask: (recordId: number) => Promise<unknown>) {
    let count = 0;
    for (const recordId of recordIds.toReversed()) {
      const before = reads;
      await ask(recordId);
      if (reads > before) return count;
      count += 1;
    }
    return count;
  }

  function numbered(count: number): readonly number[] {
    return Array.from({ length: count }, (_, index) => index + 1);
  }

  it('are kept for a limited number of tenants and released completely for the rest', async () => {
    const effective = new EffectiveCatalogs(null, new StoredCatalogs());
    const tenants = numbered(MAX_CACHED_CATALOGS * 3);
    const ask = (recordId: number): Promise<Catalog> => effective.ofTenant(sessionOf(tenantOf(recordId)));
    const seen: WeakRef<Catalog>[] = [];
    for (const recordId of tenants) seen.push(new WeakRef(await ask(recordId)));
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    expect(seen.filter((each) => each.deref() !== undefined)).to.have.length(MAX_CACHED_CATALOGS);
    expect(await stillThere(tenants, ask)).to.equal(MAX_CACHED_CATALOGS);
  });

  it('contain a limited number of characters in total, but always include the catalog in use, regardless of its size', async () => {
    const planText = 'x'.repeat(MAX_CACHED_CATALOG_CHARACTERS / 8);
    const effective = new EffectiveCatalogs(null, new StoredCatalogs());
    const tenants = numbered(40);
    const ask = (recordId: number): Promise<Catalog> =>
      effective.ofTenant(sessionOf(tenantOf(recordId, { planText, versions: [1] })));
    for (const recordId of tenants) await ask(recordId);
    expect(await stillThere(tenants, ask)).to.equal(7);

    const huge = tenantOf(41, { planText: planText.repeat(10), versions: [1] });
    const first = await effective.ofTenant(sessionOf(huge));
    expect(await effective.ofTenant(sessionOf(huge))).to.equal(first);
    expect(await stillThere(tenants, ask)).to.equal(0);
  });

  it('include only the current versions of a tenant after many replacements', async () => {
    const stored = new StoredCatalogs();
    const at = (revision: number, versions: readonly number[]): Promise<Catalog> =>
      stored.get(sessionOf(tenantOf(1, { revision, versions })));
    await at(1, [1, 2]);
    const characters = stored.charactersOf(1);
    for (let revision = 2; revision < 500; revision += 1) await at(revision, [1, revision + 1]);
    expect(stored.charactersOf(1)).to.equal(characters);
    const catalog = await at(500, [1, 500, 501]);
    expect(catalog.versions.map((each) => each.findPlan('p-m').name)).to.eql(['p-m', 'p-m', 'p-m']);
    await at(501, []);
    expect(stored.charactersOf(1)).to.equal(0);
    expect((await at(502, [1])).versions).to.have.length(1);
  });

  it('stay complete for each concurrent reader while other calls replace versions', async () => {
    const stored = new StoredCatalogs();
    await stored.get(sessionOf(tenantOf(1, { revision: 1, versions: [1, 2] })));
    const slow = sessionOf(tenantOf(1, { revision: 2, versions: [1, 2, 3] }));
    const { parts } = slow.catalogs;
    const reached = Promise.withResolvers<void>();
    const proceed = Promise.withResolvers<void>();
    const held = async (recordIds: readonly number[]) => {
      reached.resolve();
      await proceed.promise;
      return parts(recordIds);
    };
    // The new version shares product and plan with a version that the other call replaces at the same time.
    const contents = async (recordIds: readonly number[]) =>
      recordIds.map((recordId) => ({ recordId, content: { frame: 12, products: [9], plans: [10] } }));
    const reading = stored.get({ ...slow, catalogs: { ...slow.catalogs, contents, parts: held } });
    await reached.promise;
    const latest = await stored.get(sessionOf(tenantOf(1, { revision: 3, versions: [4] })));
    proceed.resolve();
    expect((await reading).versions.map((each) => each.findPlan('p-m').name)).to.have.length(3);
    expect(await stored.get(sessionOf(tenantOf(1, { revision: 3, versions: [4] })))).to.equal(latest);
  });

  it('are kept for a limited number of accounts per tenant', async () => {
    const product = catalogEntry({ kind: 'PRODUCT', name: 'Pot', parentId: null, plan: null });
    const pot = { ...product, recordId: 1 } as CatalogEntry;
    let readCount = 0;
    const session = sessionOf(tenantOf(1), {
      existForAccounts: async () => true,
      ofScope: async () => [pot],
      ofAccounts: async (accountIds) => {
        readCount += accountIds.length;
        return accountIds.map(
          (accountId, index) =>
            ({
              ...catalogEntry({ accountId, accountRecordId: index, name: accountId, parentId: pot.id }),
              recordId: index,
            }) as CatalogEntry,
        );
      },
      rowsOf: async (names) =>
        names.map(
          (planName, index) =>
            ({ ...planRow({ planName, retired: false }), recordId: index, sinceRevision: 1 }) as PlanRow,
        ),
    });
    const effective = new EffectiveCatalogs(null, new StoredCatalogs());
    const accounts = numbered(MAX_CACHED_ACCOUNT_CATALOGS * 2).map((number) => `account-${number}` as Uuid);
    const catalogs: WeakRef<Catalog>[] = [];
    for (const id of accounts) catalogs.push(new WeakRef((await effective.ofAccounts(session, [id]))(id)));
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    expect(catalogs.filter((each) => each.deref() !== undefined)).to.have.length(MAX_CACHED_ACCOUNT_CATALOGS);
    readCount = 0;
    for (const id of accounts.slice(-MAX_CACHED_ACCOUNT_CATALOGS)) await effective.ofAccounts(session, [id]);
    expect(readCount).to.equal(0);
    await effective.ofAccounts(session, accounts.slice(0, 1));
    expect(readCount).to.equal(1);
  });

  describe('plugin catalogs', () => {
    const plugin = memoryCatalogPlugin();
    const now = instant(0);

    function asking(): (recordId: number) => Promise<unknown> {
      const catalogs = pluginCatalogs([plugin], { systemClock: pushableSystemClock() });
      return async (recordId) => {
        const tenant = { recordId, id: `tenant-${recordId}` } as TenantRef;
        await catalogs.ask({ tenant, now, accountIds: [], properties: [] });
        reads = plugin.calls.catalog.length;
      };
    }

    it('are kept for a limited number of tenants', async () => {
      plugin.serve(harbour());
      const ask = asking();
      const tenants = numbered(MAX_CACHED_PLUGIN_CATALOGS * 2);
      for (const recordId of tenants) await ask(recordId);
      expect(await stillThere(tenants, ask)).to.equal(MAX_CACHED_PLUGIN_CATALOGS);
    });

    it('contain a limited number of characters in total', async () => {
      const prettyName = 'x'.repeat(4_000);
      const plans = numbered(2_500).map((number) => boatPlan(`b${number}`, '1', { prettyName }));
      plugin.serve(harbour(Object.assign({}, ...plans)));
      const ask = asking();
      const tenants = numbered(9);
      for (const recordId of tenants) await ask(recordId);
      expect(await stillThere(tenants, ask)).to.be.within(3, 6);
    });
  });
});
