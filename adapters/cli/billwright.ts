#!/usr/bin/env node
/** How long what a configuration file has opened may keep a command alive that has done its work. */
const GRACE_MS = 1_000;

// Before anything else, which an older Node may not be able to load.
await import('../supported-node.ts').catch((error: Error) => {
  process.stderr.write(`billwright: ${error.message}\n`);
  process.exit(1);
});
// Halves the processor time of every start after the first; before the first module that is worth it. Not by an import of
// its name: Node 20 has none of that name, and could not say that it is too old.
process.getBuiltinModule('node:module').enableCompileCache();
const args = process.argv.slice(2);
const isServer = args[0] === 'serve';
if (isServer) (await import('./young-generation.ts')).keepYoungGenerationSmall();
const { runCommandLine } = await import('./commands/command-line.ts');
const status = await runCommandLine(args, {
  out: (text) => process.stdout.write(text),
  error: (text) => process.stderr.write(text),
});
if (status !== 0) process.exitCode = status;
if (status !== 0 || !isServer) setTimeout(() => process.exit(), GRACE_MS).unref();
