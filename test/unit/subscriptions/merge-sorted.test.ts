import { mergeSorted } from '../../../lib/subscriptions/views/subscription-event-list.ts';
import { expect, fc } from '../../support/property.ts';

describe('merged sorted lists', () => {
  const byKey = (one: readonly [number, number], other: readonly [number, number]) => one[0] - other[0];

  it('match the order of a stable sort', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.nat(9), { maxLength: 8 }), { maxLength: 9 }), (keys) => {
        const lists = keys.map((list, place) =>
          list.toSorted((one, other) => one - other).map((key) => [key, place] as const),
        );
        expect([...mergeSorted(lists, byKey)]).to.eql(lists.flat().toSorted(byKey));
      }),
    );
  });

  it('are read only as far as needed', () => {
    const taken: number[] = [];
    function* from(first: number) {
      for (let key = first; ; key += 2) {
        taken.push(key);
        yield [key, first] as const;
      }
    }
    const merged = mergeSorted([from(0), from(1)], byKey);
    expect([merged.next().value, merged.next().value]).to.eql([
      [0, 0],
      [1, 1],
    ]);
    expect(taken.length).to.be.lessThan(5);
  });
});
