import { expect } from 'chai';
import { RevisionSpans } from '../../../lib/invoicing/operations/catalog-change-handler.ts';

const span = (first: number, last: number) => ({ first, last });

describe('revision spans', () => {
  it('contain the added revisions, and the range between adjacent revisions', () => {
    const spans = new RevisionSpans(2);
    expect(spans.has(1, span(3, 3))).to.equal(false);
    spans.add(1, span(3, 5));
    expect([spans.has(1, span(3, 5)), spans.has(1, span(4, 4))]).to.eql([true, true]);
    expect([spans.has(1, span(2, 3)), spans.has(1, span(5, 6)), spans.has(2, span(3, 5))]).to.eql([
      false,
      false,
      false,
    ]);
    spans.add(1, span(6, 6));
    spans.add(1, span(1, 2));
    expect(spans.has(1, span(1, 6))).to.equal(true);
  });

  it('exclude the span before a gap, and all spans of the least recently extended tenant when there are too many tenants', () => {
    const spans = new RevisionSpans(2);
    spans.add(1, span(1, 2));
    spans.add(1, span(4, 5));
    expect([spans.has(1, span(1, 2)), spans.has(1, span(3, 3)), spans.has(1, span(4, 5))]).to.eql([
      false,
      false,
      true,
    ]);
    spans.add(2, span(1, 1));
    spans.add(1, span(6, 6));
    spans.add(3, span(1, 1));
    expect([1, 2, 3].map((tenant) => spans.has(tenant, span(1, 1)))).to.eql([false, false, true]);
    expect(spans.has(1, span(4, 6))).to.equal(true);
  });
});
