import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { accountFields } from '../../../lib/records/index.ts';

const root = join(import.meta.dirname, '../../..');
const readText = (path: string) => readFileSync(join(root, path), 'utf8');
const wordsOf = (text: string) => new Set(text.match(/\w+/g));

/** The words of the table of account fields on the accounts page. */
const accountWords = (() => {
  const [, table = ''] = readText('lib/accounts/RULES.md').split(/^### 1\.1 Account$/m);
  return wordsOf(table.slice(0, table.indexOf('\nRules\n')));
})();

describe('account table of the accounts page', () => {
  it('has a row for every field of the account record', () => {
    expect(Object.keys(accountFields).filter((field) => field !== 'id' && !accountWords.has(field))).to.eql(
      [],
    );
  });
});
