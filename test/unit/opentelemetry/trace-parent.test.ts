import { expect } from 'chai';
import { formatTraceParent, parseTraceParent } from '../../../adapters/opentelemetry/index.ts';

const text = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('a trace parent (W3C Trace Context)', () => {
  it('is unchanged after parsing and formatting', () => {
    const found = parseTraceParent(text);
    expect(found).to.eql({
      traceId: '0af7651916cd43dd8448eb211c80319c',
      spanId: 'b7ad6b7169203331',
      traceFlags: 1,
      isRemote: true,
    });
    expect(found && formatTraceParent(found)).to.equal(text);
  });

  for (const bad of [
    '',
    'nonsense',
    `${text}-`,
    text.toUpperCase(),
    text.replace('00-', 'ff-'),
    text.replace('0af7651916cd43dd8448eb211c80319c', '0'.repeat(32)),
    text.replace('b7ad6b7169203331', '0'.repeat(16)),
    ` ${text}`,
  ])
    it(`is invalid as "${bad}"`, () => expect(parseTraceParent(bad)).to.equal(null));
});
