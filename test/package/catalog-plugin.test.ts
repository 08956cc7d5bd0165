import { expect } from 'chai';
import { sellFromTable } from '../../examples/catalog-plugin.ts';

describe('catalog plugin example', () => {
  it("bills by the host's price table, and keeps the price for existing customers after an increase", async () =>
    expect(await sellFromTable()).to.eql([
      'Ada: Workspace, 5 seats from 2024-01-10: EUR 25',
      'Ada: Workspace, 5 seats from 2024-02-10: EUR 25',
      'Bruno: Workspace, 5 seats from 2024-02-10: EUR 30',
      'Bruno: Workspace, 5 seats from 2024-03-10: EUR 30',
    ]));
});
