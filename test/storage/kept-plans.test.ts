import pg from 'pg';
import sinon from 'sinon';
import { postgresql } from '../../adapters/mikro-orm/postgresql.ts';
import { eachDatabase, expect, migrated } from '../support/index.ts';

eachDatabase((kind, open) => {
  if (kind !== 'postgresql') return;
  describe('cached PostgreSQL plans', () => {
    afterEach(() => sinon.restore());

    for (const keepsPlans of [undefined, false])
      it(`use named statements ${keepsPlans === false ? 'unless disabled' : 'by default'}`, async () => {
        const database = await open(migrated);
        if (database.kind !== 'postgresql') throw new Error(`${database.kind} in place of PostgreSQL`);
        const names: unknown[] = [];
        const query = pg.Client.prototype.query as (...input: unknown[]) => unknown;
        sinon.stub(pg.Client.prototype, 'query').callsFake(function (this: unknown, ...input: unknown[]) {
          const [first] = input;
          // Recorded here because the client later changes a batch's first query to the last one.
          names.push(typeof first === 'object' && first !== null && 'name' in first ? first.name : undefined);
          return query.apply(this, input) as never;
        });
        const storage = postgresql({
          url: database.url,
          ...(keepsPlans === undefined ? {} : { keepsPlans }),
        });
        await storage.system.findTenantByApiKey('nobody');
        await storage.close();
        expect(names).to.have.length.greaterThan(0);
        expect(names.some((name) => name !== undefined)).to.equal(keepsPlans !== false);
      });
  });
});
