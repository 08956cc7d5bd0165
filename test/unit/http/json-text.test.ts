import { lazyList } from '../../../adapters/koa/wire/json-pieces.ts';
import { derivedField, field, maybe, model } from '../../../adapters/koa/wire/model.ts';
import { bool, date, decimalNumber, int, text } from '../../../adapters/koa/wire/scalars.ts';
import { anyValue, listOf, renderingWithoutAudit } from '../../../adapters/koa/wire/wire-type.ts';
import { decimal, stringifyExactJson } from '../../../lib/values/money/index.ts';
import { localDate } from '../../../lib/values/time/index.ts';
import { expect } from '../../support/index.ts';

const Line = model('TestLine', { amount: decimalNumber, note: maybe(text()) });

const Sheet = model('TestSheet', {
  title: text(),
  count: int(),
  isOpen: field(bool, 'R', { onlyD: true }),
  day: date,
  facts: maybe(anyValue),
  lines: listOf(Line),
  tags: derivedField(listOf(text()), ({ tags }: { readonly tags: unknown }) => tags),
  number: field(text(), 'R', { absentable: true }),
});

const sheet = {
  title: 'Ünïcode "quoted" \\ \u0001 \ud800 \u{1f600}',
  count: 9_007_199_254_740_991,
  isOpen: false,
  day: localDate(2024, 2, 29),
  facts: { ratio: 0.1, exact: decimal('0.0000000000000000001'), none: null },
  lines: [
    { amount: decimal('-10.50'), note: null },
    { amount: decimal('1e20'), note: '' },
  ],
  tags: [] as unknown,
};

describe('model JSON text', () => {
  for (const dialect of ['D', 'K'] as const) {
    it(`equals the JSON of the object that the model writes, in dialect ${dialect}`, () => {
      const views = [sheet, { ...sheet, number: 'N-1', facts: null, lines: [], tags: ['a', 'b'] }];
      const sheets = listOf(Sheet);
      const rendering = renderingWithoutAudit(dialect);
      expect(sheets.text?.(views, rendering)).to.equal(stringifyExactJson(sheets.write?.(views, rendering)));
    });
  }

  it('is null for a view with a long or lazy list, because such a view is written in pieces', () => {
    const long = Array.from({ length: 101 }, () => ({ amount: decimal('1'), note: null }));
    expect(Sheet.text({ ...sheet, lines: long }, renderingWithoutAudit('D'))).to.equal(null);
    const lazy = lazyList(['a'], (tag) => tag);
    expect(Sheet.text({ ...sheet, tags: lazy }, renderingWithoutAudit('D'))).to.equal(null);
  });

  it('cannot be created from a view without a required member', () => {
    const { title: _title, ...untitled } = sheet;
    expect(() => Sheet.text(untitled, renderingWithoutAudit('D'))).to.throw('TestSheet has no title');
  });
});
