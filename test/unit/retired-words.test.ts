import { expect } from 'chai';
import { findRetiredWords } from '../words/retired-words.ts';

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
});
