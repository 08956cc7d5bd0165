import { readFile } from 'node:fs/promises';
import { expectStatus, serve, xmlType } from '../support/http/index.ts';
import { anyDatabase, expect, migrated, sampled, specCatalog } from '../support/index.ts';
import { BEGINS } from '../support/overdue/debtor.ts';
import { dunningStories, type StoryPlayer } from '../support/overdue/dunning-stories.ts';
import { httpPlayer } from '../support/overdue/http-player.ts';

anyDatabase.describe('dunning over HTTP', (open) => {
  let player: StoryPlayer;
  beforeEach(async () => {
    const database = await open(migrated);
    const serving = await serve(database);
    player = httpPlayer(serving, database);
    await player.runTo(BEGINS);
    const body = await readFile(specCatalog);
    expectStatus(await serving.post('/catalog', body, xmlType), 201);
  });
  afterEach(() => player.close());

  // The engine tests play all of the stories.
  for (const { title, play, expected } of sampled(dunningStories, 2))
    it(`matches the story "${title}"`, async () => expect(await play(player)).to.eql(expected));
});
