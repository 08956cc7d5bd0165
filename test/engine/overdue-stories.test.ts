import { eachDatabaseByTurns, expect, openEngine } from '../support/index.ts';
import { BEGINS } from '../support/overdue/debtor.ts';
import { dunningStories, type Teller } from '../support/overdue/dunning-stories.ts';
import { libraryTeller } from '../support/overdue/library-teller.ts';

eachDatabaseByTurns('dunning, from the first failed card to the payment of all', (open) => {
  let teller: Teller;
  beforeEach(async () => {
    teller = libraryTeller(await openEngine(open, { now: BEGINS }));
  });

  for (const { title, play, expected } of dunningStories) {
    it(`dunning ${title}`, async () => {
      expect(await play(teller)).to.eql(expected);
    });
  }
});
