import { expect } from 'chai';
import { Granularity, SeriesOfSamples } from '../../../lib/monitoring/sample-service.ts';

const hourMs = 3_600_000;
const all = () => true;

function series(granularity: Granularity, kinds: readonly Readonly<Record<string, number>>[]) {
  const gathered = new SeriesOfSamples(granularity, all);
  kinds.forEach((each, index) => {
    const atMs = 10 * hourMs + index * 60_000;
    gathered.add({ atMs, nodeName: 'n1', eventGroup: 'timer', eventCategory: 'http.requests', kinds: each });
  });
  return Object.fromEntries(gathered.list().map(({ sampleKind, samples }) => [sampleKind, samples]));
}

describe('sample series (platform §12.3 rule 3)', () => {
  it('contain samples as they were stored', () =>
    expect(series(Granularity.SECOND, [{ value: 1 }, { value: 2 }])).to.eql({
      value: [
        { atMs: 10 * hourMs, value: 1 },
        { atMs: 10 * hourMs + 60_000, value: 2 },
      ],
    }));

  it('reduce each bucket to the last value and count, the means of rates and percentiles, and the minimum and maximum', () => {
    const stored = [
      { value: 5, count: 10, mean_rate: 1, tp99: 30, min: 4, max: 8 },
      { value: 1, count: 12, mean_rate: 2, tp99: 60, min: 2, max: 6 },
      { value: 3, count: 15, mean_rate: 6, tp99: 90, min: 3, max: 9 },
    ];
    const of = Object.entries(series(Granularity.HOUR, stored)).map(([kind, [bucket, ...more]]) => [
      kind,
      bucket?.atMs,
      bucket?.value,
      more.length,
    ]);
    expect(of).to.have.deep.members([
      ['value', 10 * hourMs, 3, 0],
      ['count', 10 * hourMs, 15, 0],
      ['mean_rate', 10 * hourMs, 3, 0],
      ['tp99', 10 * hourMs, 60, 0],
      ['min', 10 * hourMs, 2, 0],
      ['max', 10 * hourMs, 9, 0],
    ]);
  });

  it('separate nodes and categories, and exclude unrequested nodes and categories', () => {
    const gathered = new SeriesOfSamples(
      Granularity.DAY,
      (category, kind) => `${category},${kind}` === 'a,value',
    );
    for (const [nodeName, eventCategory] of [
      ['n2', 'a'],
      ['n1', 'a'],
      ['n1', 'b'],
    ] as const)
      gathered.add({ atMs: 0, nodeName, eventGroup: 'gauge', eventCategory, kinds: { value: 1, other: 2 } });
    expect(gathered.list().map(({ nodeName }) => nodeName)).to.eql(['n1', 'n2']);
    expect(gathered.size).to.equal(2);
  });
});
