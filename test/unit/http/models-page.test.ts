import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { openApi } from '../../../adapters/koa/index.ts';
import { accountFields } from '../../../lib/records/index.ts';

const root = join(import.meta.dirname, '../../..');
const readText = (path: string) => readFileSync(join(root, path), 'utf8');
const wordsOf = (text: string) => new Set(text.match(/\w+/g));

/** The words of the table of account fields on the accounts page. */
const accountWords = (() => {
  const [, table = ''] = readText('lib/accounts/RULES.md').split(/^### 1\.1 Account$/m);
  return wordsOf(table.slice(0, table.indexOf('\nRules\n')));
})();

describe('documentation of the models', () => {
  const chapters = readText('adapters/koa/JSON-MODELS.md').split(/^## /m);
  const dialectD = wordsOf(chapters.find((chapter) => chapter.startsWith('15.')) ?? '');

  /** The words about each model: from its name in bold to the next one, and those at the head of its chapter. */
  const sections = new Map(
    chapters.flatMap((chapter) => {
      const [head = '', ...parts] = chapter.split(/(?:^|(?<=\. ))\*\*(?=\w+\*\*)/m);
      return parts.map((part) => [part.slice(0, part.indexOf('**')), wordsOf(head + part)] as const);
    }),
  ).set('Account', accountWords);

  /** A section that names another model takes its properties over ("InvoicePayment = Payment + …"). */
  function describes(model: string, property: string): boolean {
    const words = sections.get(model) ?? new Set();
    return words.has(property) || [...words].some((word) => sections.get(word)?.has(property));
  }

  it('describes every property of the models that have a section', async () => {
    const { schemas } = (await openApi()).components as {
      readonly schemas: Readonly<Record<string, { readonly properties?: object }>>;
    };
    const described = Object.entries(schemas).filter(([model]) => sections.has(model));
    expect(described).to.have.lengthOf.above(50);
    const missing = described.flatMap(([model, { properties = {} }]) =>
      Object.keys(properties)
        .filter((property) => !describes(model, property) && !dialectD.has(property))
        .map((property) => `${model}.${property}`),
    );
    expect(missing).to.eql([]);
  });
});

describe('account table of the accounts page', () => {
  it('has a row for every field of the account record', () => {
    expect(Object.keys(accountFields).filter((field) => field !== 'id' && !accountWords.has(field))).to.eql(
      [],
    );
  });
});
