import { routeTable } from '../../adapters/koa/routes/route-table.ts';
import { eachDatabase, expect, populateOnce } from '../support/http/index.ts';

const searches = routeTable({ testMode: false })
  .map(({ path }) => path)
  .filter((path) => path.endsWith('/search/{searchKey}'));

eachDatabase.describe('searches with an empty key over HTTP (http-api §1 rules 2 and 3)', (open) => {
  const world = populateOnce(open);

  for (const path of searches) {
    const search = path.replace('{searchKey}', '');
    const list = search.replace('customField/', 'customFields/').replace(/search\/$/, 'pagination');
    it(`return the whole list for GET ${search}`, async () => {
      const { call } = world.serving;
      const [found, all] = [await call('GET', `${search}?limit=2`), await call('GET', `${list}?limit=2`)];
      expect(found.status, found.text).to.equal(200);
      expect(found.json).to.be.an('array').that.is.not.empty;
      expect(found.json).to.eql(all.json);
      const counts = ['CurrentOffset', 'NextOffset', 'TotalNbRecords', 'MaxNbRecords'] as const;
      const shown = ({ headers }: typeof found) =>
        counts.map((name) => headers.get(`x-service-pagination-${name}`));
      expect(shown(found)).to.eql(shown(all));
    });
  }
});
