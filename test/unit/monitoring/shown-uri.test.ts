import { expect } from 'chai';
import { shownUri } from '../../../lib/monitoring/shown-uri.ts';

const cases = [
  ['', '/a'],
  ['audit=NONE', '/a?audit=NONE'],
  ['apiKey=bob&x=1', '/a?apiKey=*****&x=1'],
  ['x=1&PASSWORD=abc', '/a?x=1&PASSWORD=*****'],
  ['my%53ecret=abc', '/a?my%53ecret=*****'],
  ['accessToken=a=b', '/a?accessToken=*****'],
  ['credential=', '/a?credential=*****'],
  ['%zz=1&flag', '/a?%zz=1&flag'],
  ['name=key', '/a?name=key'],
] as const;

describe('the URI of the access log (platform §12.1 rule 5)', () => {
  for (const [query, shown] of cases)
    it(`shows "${query}" as ${shown}`, () => {
      expect(shownUri('/a', query)).to.equal(shown);
    });
});
