import { uuidGenerator } from '../../../adapters/node/index.ts';
import { expect, isUuid } from '../../support/unit.ts';

describe('node id generator', () => {
  it('returns ascending version 7 UUIDs', () => {
    const generator = uuidGenerator();
    const ids = Array.from({ length: 1_000 }, () => generator.next());
    expect(ids.every((id) => isUuid(id) && id[14] === '7')).to.equal(true);
    expect(ids.toSorted()).to.eql(ids);
  });
});
