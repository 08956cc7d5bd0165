import { expect } from 'chai';
import { MAX_INVOICE_RETRIES, PluginRetries } from '../../../lib/invoicing/operations/run-handler.ts';
import type { ClaimedEntry } from '../../../lib/ports/storage/index.ts';

const entry = (recordId: number) => ({ recordId }) as ClaimedEntry;

describe('retries that invoice plugins request for a queued run (invoicing §8.6)', () => {
  it('have a limit per entry, and start over after a successful run', () => {
    const retries = new PluginRetries();
    for (let times = 1; times < MAX_INVOICE_RETRIES; times += 1) retries.add(entry(1));
    expect(retries.isExhausted(entry(1))).to.equal(false);
    retries.add(entry(1));
    expect([retries.isExhausted(entry(1)), retries.isExhausted(entry(2))]).to.eql([true, false]);
    retries.forget(entry(1));
    expect(retries.isExhausted(entry(1))).to.equal(false);
  });
});
