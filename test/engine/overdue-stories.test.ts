import { expect } from 'chai';
import { anyDatabase, onEachDatabase } from '../support/databases.ts';
import { openEngine } from '../support/engine.ts';
import { BEGINS } from '../support/overdue/debtor.ts';
import { dunningStories } from '../support/overdue/dunning-stories.ts';
import { libraryTeller } from '../support/overdue/library-teller.ts';
import type { Teller } from '../support/overdue/teller.ts';

anyDatabase((_kind, open) => {
  describe('dunning, from the first failed card to the payment of all', () => {
    let teller: Teller;
    beforeEach(async () => {
      teller = libraryTeller(await openEngine(open, { now: BEGINS }));
    });
    afterEach(() => teller.close());

    for (const [index, { title, play, expected }] of dunningStories.entries()) {
      const test = async () => {
        expect(await play(teller)).to.deep.equal(expected);
      };
      it(`dunning ${title}`, index === 0 ? onEachDatabase(test) : test);
    }
  });
});
