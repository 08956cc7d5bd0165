import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { missingTool, verdictsOn } from '../support/e-invoices/validator.ts';
import { type WrittenDocument, writeStories } from '../support/e-invoices/written-stories.ts';
import { anyDatabase, expect, isLongRun } from '../support/index.ts';

const LEAST_DOCUMENTS = 40;

anyDatabase.describe('e-invoices of random histories', (open) => {
  let directory: string | undefined;
  let documents: readonly WrittenDocument[];

  before(async function () {
    const reason = isLongRun ? missingTool() : 'e-invoices are validated in the long run only';
    if (reason !== null) {
      process.stdout.write(`    skipped: ${reason}\n`);
      this.skip();
    }
    directory = await mkdtemp(join(tmpdir(), 'billwright-e-invoices-'));
    documents = await writeStories(open, directory);
  });
  after(async () => {
    if (directory !== undefined) await rm(directory, { recursive: true, force: true });
  });

  it('state the amount that the engine charges', async () => {
    for (const { name, story, due, xmls } of documents)
      for (const file of xmls) {
        const text = await readFile(join(directory ?? '', file), 'utf8');
        const [, amount] = /<(?:cbc:PayableAmount|ram:DuePayableAmount)[^>]*>(.*?)</.exec(text) ?? [];
        expect(Number(amount), `${story}: ${name} in ${file}`).to.equal(Number(due));
      }
  });

  for (const kind of ['xml', 'pdf'] as const)
    it(`follow all rules of the ${kind === 'xml' ? 'XML' : 'PDF'} format`, async () => {
      const files = documents.flatMap((document) => document[`${kind}s`]);
      const verdicts = await verdictsOn(kind, directory ?? '', files);
      expect(documents).to.have.length.at.least(LEAST_DOCUMENTS);
      expect(new Set(verdicts.map(({ file }) => file))).to.have.property('size', files.length);
      expect(verdicts.filter(({ errors }) => errors > 0)).to.eql([]);
    });
});
