import { Command } from 'commander';
import type { Say } from './options.ts';

export function initCommand(say: Say): Command {
  const command = new Command('init')
    .summary('write a configuration file to begin with')
    .description(
      'Write billwright.config.ts to the working directory: a server with a database, properties and plugins of your own, with ' +
        'comments. "billwright serve" takes it from there. A file that is there is not overwritten.',
    )
    .option('--javascript', 'write billwright.config.mjs')
    .action(async () => {
      const { writeDefinition } = await import('../init.ts');
      const isTypeScript = command.getOptionValue('javascript') !== true;
      say(await writeDefinition({ directory: process.cwd(), isTypeScript }));
    });
  return command;
}

export function openapiCommand(say: Say): Command {
  return new Command('openapi')
    .summary('print the OpenAPI document of the HTTP interface')
    .description('Print the OpenAPI document of the HTTP interface.')
    .action(async () => {
      const { openApi } = await import('../../koa/index.ts');
      say(JSON.stringify(await openApi(), null, 2));
    });
}
