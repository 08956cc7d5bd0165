import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresql } from '../../adapters/mikro-orm/postgresql.ts';
import { Billing } from '../../adapters/node/billwright.ts';
import { expect, freshDatabase, migrated, recordingLogger } from '../support/index.ts';
import { killNode, startNodes } from './nodes.ts';

describe('node name on PostgreSQL (platform §15 rule 1)', () => {
  it('cannot be used by another node until the process of the first node is killed', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'billwright-names-'));
    const database = await freshDatabase('postgresql', migrated);
    if (database.kind !== 'postgresql') throw new Error('this test needs PostgreSQL');
    const ledger = join(directory, 'ledger');
    const [first] = await startNodes([{ database: database.url, ledger, name: 'north' }]);
    if (first === undefined) throw new Error('no node was started');
    const open = async (): Promise<void> => {
      const storage = postgresql(database.url);
      try {
        const billing = await Billing.open({ storage, nodeName: 'north', logger: recordingLogger() });
        await billing.close();
      } finally {
        await storage.close();
      }
    };
    expect(String(await open().catch((error: unknown) => error))).to.include(
      'The node name "north" is in use',
    );
    await killNode(first);
    // The database still lists the killed node, whose work is resumed at once.
    await open();
    rmSync(directory, { recursive: true, force: true });
  });
});
