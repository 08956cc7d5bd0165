import { expect } from 'chai';
import pg from 'pg';
import sinon from 'sinon';
import { postgresql } from '../../adapters/mikro-orm/postgresql.ts';
import { eachDatabase } from '../support/databases.ts';
import { migrated } from '../support/storage.ts';

eachDatabase((kind, open) => {
  if (kind !== 'postgresql') return;
  describe('storage: kept plans', () => {
    afterEach(() => sinon.restore());

    for (const keepsPlans of [undefined, false]) {
      it(`names its statements to the server ${keepsPlans === false ? 'not where that is switched off' : 'by default'}`, async () => {
        const database = await open(migrated);
        if (database.kind !== 'postgresql') throw new Error(`${database.kind} in place of PostgreSQL`);
        const query = sinon.spy(pg.Client.prototype, 'query');
        const storage = postgresql({
          url: database.url,
          ...(keepsPlans === undefined ? {} : { keepsPlans }),
        });
        await storage.system.findTenantByApiKey('nobody');
        await storage.close();
        const asked = query.args.map(([first]: readonly unknown[]) => first);
        const named = asked.filter((each) => typeof each === 'object' && each !== null && 'name' in each);
        expect(asked).to.have.length.greaterThan(0);
        expect(named.length > 0).to.equal(keepsPlans !== false);
      });
    }
  });
});
