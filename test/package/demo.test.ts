import { readFile } from 'node:fs/promises';
import { Billing } from '../../adapters/node/billwright.ts';
import { fakeClock, sandboxGateway } from '../../adapters/testing/index.ts';
import { report } from '../../examples/demo-report.ts';
import { playStory, STORY_BEGINS } from '../../examples/demo-story.ts';
import { eachDatabase, expect, fixture, migrated, storageOf } from '../support/index.ts';

const golden = fixture('demo.txt');

eachDatabase.describe('demo', (open) => {
  it('reproduces the golden file to the cent', async () => {
    const storage = storageOf(await open(migrated));
    const clock = fakeClock(STORY_BEGINS);
    const billing = await Billing.open({ storage, clock, gateways: [sandboxGateway()] });
    try {
      expect(await report(await playStory(billing, clock))).to.equal(await readFile(golden, 'utf8'));
    } finally {
      await billing.close();
    }
  });
});
