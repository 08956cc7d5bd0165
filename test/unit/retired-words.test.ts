import { expect } from 'chai';
import { findParticipleNames, findRetiredWords } from '../words/retired-words.ts';

describe('check for retired words', () => {
  it('finds retired words in pages outside code, with the line and a replacement', () => {
    const page =
      'It is billed anew.\n`anew`\n```\nanew\n```\nThere is no limit.\nIt is no limit. <!-- words: ok -->';
    expect(findRetiredWords('page.md', page)).to.eql(['page.md:1 "anew": write again']);
  });

  it('finds retired words in comments, messages and titles, but not in code', () => {
    const code = '/** Tells the date. */\nconst told = tells;\nconst message = "Plan A is no plan";'; // words: ok
    expect(findRetiredWords('file.ts', code)).to.eql([
      'file.ts:1 "Tells": write reports, describes, specifies, contains', // words: ok
      'file.ts:3 "is no plan": write is not a valid X, is invalid', // words: ok
    ]);
  });

  it('accepts "there is none" and "one of which", and lines marked as correct', () => {
    const code = '// null if there is none\n// two keys, one of which is old\n// It is no limit. words: ok';
    expect(findRetiredWords('file.ts', code)).to.eql([]);
  });

  it('finds functions and private methods that are named by a participle alone', () => {
    const code =
      'export async function checked<T>() {}\n  #heldOf() {\n  async #shown() {\nfunction checkedUnits() {}\nfunction need() {}\n  this.#held();';
    const replacement = 'write a verb, such as checkUnits for checked';
    expect(findParticipleNames('file.ts', code)).to.eql([
      `file.ts:1 "checked": ${replacement}`,
      `file.ts:2 "#heldOf": ${replacement}`,
      `file.ts:3 "#shown": ${replacement}`,
    ]);
  });
});
