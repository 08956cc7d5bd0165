// `npm run lint:words`: prints each retired word in the files that match the patterns, and fails if there is one.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { findRetiredWords } from './retired-words.ts';

const listed = execFileSync('git', ['ls-files', ...process.argv.slice(2)], { encoding: 'utf8' });
const files = listed.split('\n').filter((path) => /\.(md|ts)$/.test(path) && !path.startsWith('test/words/'));
const found = files.flatMap((path) => findRetiredWords(path, readFileSync(path, 'utf8')));
for (const line of found) process.stdout.write(`${line}\n`);
if (found.length > 0) process.exitCode = 1;
