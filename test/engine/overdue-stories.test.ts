import { expect } from 'chai';
import { eachDatabase } from '../support/databases.ts';
import { openEngine } from '../support/engine.ts';
import { BEGINS } from '../support/overdue/debtor.ts';
import { dunningStories } from '../support/overdue/dunning-stories.ts';
import { libraryTeller } from '../support/overdue/library-teller.ts';
import type { Teller } from '../support/overdue/teller.ts';

eachDatabase((_kind, open) => {
  describe('dunning, from the first failed card to the payment of all', function () {
    this.timeout(60_000);
    let teller: Teller;
    beforeEach(async () => {
      teller = libraryTeller(await openEngine(open, { now: BEGINS }));
    });
    afterEach(() => teller.close());

    for (const { title, play, expected } of dunningStories) {
      it(`dunning ${title}`, async () => {
        expect(await play(teller)).to.deep.equal(expected);
      });
    }
  });
});
