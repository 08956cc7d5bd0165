// `npm run lint:words`: prints each retired word in the files that match the patterns, and each function of the product
// that is named by a participle alone. Fails if there is one.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { findParticipleNames, findRetiredWords } from './retired-words.ts';

const listed = execFileSync('git', ['ls-files', ...process.argv.slice(2)], { encoding: 'utf8' });
const files = listed
  .split('\n')
  .filter((path) => /\.(md|tsx?)$/.test(path) && !path.startsWith('test/words/'));
const found = files.flatMap((path) => {
  const text = readFileSync(path, 'utf8');
  const names = /^(?:lib|adapters)\/.*\.tsx?$/.test(path) ? findParticipleNames(path, text) : [];
  return [...findRetiredWords(path, text), ...names];
});
for (const line of found) process.stdout.write(`${line}\n`);
if (found.length > 0) process.exitCode = 1;
