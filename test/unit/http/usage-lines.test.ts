import { Dialect } from '../../../adapters/koa/dialect.ts';
import { usageLinesBody } from '../../../adapters/koa/routes/usages/usage-lines.ts';
import { defaultRequestLimits } from '../../../adapters/koa/routing/body.ts';
import { type SubmittedLine, UnreadableLine } from '../../../lib/usage/index.ts';
import { BillingError, expect, fc, propertyRuns } from '../../support/property.ts';

const LIST = 'application/json';
const LINES = 'application/x-ndjson';
const utf8 = new TextEncoder();

/** Reads a body from these chunks, which are pulled one by one. */
function reading(mediaType: string, chunks: Iterable<Uint8Array>, limits: object = {}) {
  const given = (async function* () {
    yield* chunks;
  })();
  return usageLinesBody.read(undefined, {
    // Dialect D would reject members that records do not have.
    dialect: Dialect.K,
    limits: { ...defaultRequestLimits, ...limits },
    bodyStream: { chunks: given, mediaType, giveUp: () => undefined },
  });
}

async function linesOf(mediaType: string, text: string, limits: object = {}): Promise<readonly string[]> {
  const shown: string[] = [];
  for await (const line of reading(mediaType, [utf8.encode(text)], limits).lines) shown.push(shownLine(line));
  return shown;
}

function shownLine(line: SubmittedLine): string {
  return line instanceof UnreadableLine ? `unreadable: ${line.message}` : JSON.stringify(line);
}

async function refusalOf(text: string): Promise<string> {
  try {
    return `read as ${await linesOf(LIST, text)}`;
  } catch (error) {
    if (error instanceof BillingError) return error.message;
    throw error;
  }
}

/** Counts the native searches in its bytes. */
class CountedBytes extends Uint8Array {
  static searches = 0;

  override indexOf(...args: Parameters<Uint8Array['indexOf']>): number {
    CountedBytes.searches += 1;
    return super.indexOf(...args);
  }
}

describe('bulk usage body reader', () => {
  it('passes on list elements before the rest of the body arrives (usage §2.5)', async () => {
    let pieces = 0;
    const chunks = (function* () {
      for (const text of ['[{"trackingId":"1"},{"tra', 'ckingId":"2"}', ',{"trackingId":"3"}]']) {
        pieces += 1;
        yield utf8.encode(text);
      }
    })();
    const lines = reading(LIST, chunks).lines[Symbol.asyncIterator]();
    expect([(await lines.next()).value, pieces]).to.eql([{ trackingId: '1' }, 1]);
    expect([(await lines.next()).value, pieces]).to.eql([{ trackingId: '2' }, 3]);
  });

  it('produces the same list for any network chunking (usage §2.5)', async () => {
    const element = fc.oneof(
      fc.json({ maxDepth: 3 }),
      fc.string().map((text) => JSON.stringify({ text: `${text}[{"\\,]}` })),
    );
    const blanks = fc.constantFrom('', ' ', '\n\t ');
    const list = fc.record({ elements: fc.array(element), blank: blanks });
    await fc.assert(
      fc.asyncProperty(list, fc.integer({ min: 1, max: 9 }), async ({ elements, blank }, size) => {
        const bytes = utf8.encode(`${blank}[${blank}${elements.join(`${blank},${blank}`)}${blank}]${blank}`);
        const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        );
        const found: unknown[] = [];
        for await (const line of reading(LIST, pieces).lines) found.push(line);
        const plain = JSON.stringify(found, (_key, value) =>
          value instanceof Object && 'literal' in value ? Number(value.literal) : value,
        );
        expect(JSON.parse(plain)).to.eql(
          JSON.parse(JSON.stringify(elements.map((each) => JSON.parse(each)))),
        );
      }),
      { numRuns: propertyRuns },
    );
  });

  it('stops at the first list element with invalid JSON, and reports that element (usage §2.5)', async () => {
    const refusals = {
      '{}': 'The body is not a list',
      '[': 'The list is not terminated',
      '[{"a":1},{"b"': 'The list is not terminated; it was read up to element 0',
      '[1] 2': 'The list is followed by unexpected text',
      '[1,,2]': 'Element 1 of the list is empty',
      '[1,]': 'Element 1 of the list is empty',
      ' ': 'The body is not a list',
    };
    for (const [text, message] of Object.entries(refusals))
      expect(await refusalOf(text), text).to.equal(message);
    expect(await refusalOf('[1,{"a":1]]')).to.match(/^Element 1 of the list is not JSON: /);
    expect(await refusalOf('[1 2]')).to.match(/^Element 0 of the list is not JSON: /);
    expect(await linesOf(LIST, '\uFEFF [ ]\n')).to.eql([]);
  });

  for (const [form, mediaType, join] of [
    ['lines', LINES, (records: readonly string[]) => records.join('\n')],
    ['a list', LIST, (records: readonly string[]) => `[${records}]`],
  ] as const) {
    it(`rejects only the records of ${form} that exceed a limit (usage §2.5)`, async () => {
      const text = join(['{"a":1}', `{"long":"${'x'.repeat(60)}"}`, '[1,2,3,4]', '[[[2]]]', '{"b":"é"}']);
      const [first, long, wide, ...rest] = await linesOf(mediaType, text, { json: 50, list: 3 });
      expect([first, ...rest]).to.eql(['{"a":{"literal":"1"}}', '[[[{"literal":"2"}]]]', '{"b":"é"}']);
      expect(long).to.match(/^unreadable: .+ is longer than 50 bytes$/);
      expect(wide).to.match(/^unreadable: A list in the body has 4 elements; at most 3 are allowed$/);
    });

    it(`yields to other work while it reads ${form} with only blanks (usage §2.5)`, async () => {
      let turns = 0;
      const blank = utf8.encode(' \n'.repeat(32_768));
      const [opening, closing] = mediaType === LIST ? ['[', ']'] : ['', ''];
      const pieces = (function* () {
        yield utf8.encode(opening);
        for (let count = 0; count < 900; count += 1) yield blank;
        yield utf8.encode(closing);
      })();
      const count = setInterval(() => {
        turns += 1;
      }, 0);
      for await (const line of reading(mediaType, pieces, { bulkBytes: 2 ** 26 }).lines)
        expect.fail(shownLine(line));
      clearInterval(count);
      expect(turns).to.be.at.least(1);
    });
  }

  it('skips any number of blank lines in one step (usage §2.5)', async () => {
    CountedBytes.searches = 0;
    const blank = new CountedBytes(utf8.encode('\n'.repeat(50_000)));
    for await (const line of reading(LINES, [blank]).lines) expect.fail(shownLine(line));
    expect(CountedBytes.searches).to.be.at.most(2);
  });
});
