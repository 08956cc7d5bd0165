// Prints the packages that the server needs beside `billwright`, of the versions that it is tested with.
import { readFileSync } from 'node:fs';

const { peerDependencies, devDependencies } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);
console.log(
  Object.keys(peerDependencies)
    .map((name) => `${name}@${devDependencies[name]}`)
    .join(' '),
);
