#!/usr/bin/env node
import { keepYoungGenerationSmall } from './young-generation.ts';

/** Time limit in milliseconds for closing the configuration file's resources after a command. */
const GRACE_MS = 1_000;

// Check the version before the other modules load, because an older Node may be unable to load them.
await import('../supported-node.ts').catch((error: Error) => {
  process.stderr.write(`billwright: ${error.message}\n`);
  process.exit(1);
});
// The compile cache halves the startup time of later runs. On Node 20, a named import would fail before this program
// could report the unsupported version.
process.getBuiltinModule('node:module').enableCompileCache();
// A reader such as `head` may close the pipe early. The command still completes its work.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
const args = process.argv.slice(2);
const isServer = args[0] === 'serve';
if (isServer) keepYoungGenerationSmall();
const { runCommandLine } = await import('./commands/command-line.ts');
const status = await runCommandLine(args, {
  out: (text) => process.stdout.write(text),
  error: (text) => process.stderr.write(text),
});
if (status !== 0) process.exitCode = status;
if (status !== 0 || !isServer) setTimeout(() => process.exit(), GRACE_MS).unref();
