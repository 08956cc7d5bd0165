import { keepYoungGenerationSmall } from '../../adapters/cli/young-generation.ts';
import { createKoaApp, listen } from '../../adapters/koa/index.ts';
import { Billing } from '../../adapters/node/billwright.ts';
import { consoleLogger } from '../../adapters/node/this-process.ts';
import { pdfRenderer } from '../../adapters/pdf/index.ts';
import { sandboxGateway } from '../../adapters/testing/index.ts';
import type { BenchDatabase } from './bench-database.ts';
import { answerParent } from './child.ts';
import { storageAt } from './databases.ts';

/** A host application with the HTTP interface, in real time. It serves until the parent disconnects. */
export interface ServerInput {
  readonly database: BenchDatabase;
  readonly user: string;
  readonly password: string;
  /** Whether the server also does due work. A history that was never billed would take all of its time. */
  readonly doesDueWork: boolean;
}

export interface ServerOutput {
  readonly url: string;
}

async function serve({ database, user, password, doesDueWork }: ServerInput): Promise<ServerOutput> {
  keepYoungGenerationSmall();
  const logger = consoleLogger();
  const billing = await Billing.open({
    storage: storageAt(database),
    logger,
    gateways: [sandboxGateway()],
    documentRenderer: pdfRenderer(),
  });
  await billing.security.ensureAdministrator(user, password);
  if (doesDueWork) billing.start();
  const listening = await listen(createKoaApp({ billing, logger }), { port: 0 });
  process.once('disconnect', () => {
    void listening
      .close()
      .then(() => billing.close())
      .then(() => process.exit(0));
  });
  return { url: `http://127.0.0.1:${listening.port}` };
}

answerParent(serve);
