// Runs the engine on Citus: one engine, several cells, moves, and the loss of a worker. Prints figures. The URL
// is that of an empty database on the coordinator of two workers. Its role owns the created schemas.
//   npm run cluster -- <url> --administrator <url of a superuser> [--lose <command> --restore <command>]
// The shell commands stop and start the worker on port {port}. Without them, this part is skipped.
import { parseArgs } from 'node:util';
import { Cluster } from './cluster.ts';
import { part } from './figures.ts';
import { runOneEngine } from './one-engine.ts';
import { SeveralCells } from './several-cells.ts';

const MONTHS = 3;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { administrator: { type: 'string' }, lose: { type: 'string' }, restore: { type: 'string' } },
});
const [url] = positionals;
const { administrator, lose, restore } = values;
if (url === undefined || administrator === undefined) throw new Error('Pass two URLs of the coordinator');
const cluster = new Cluster(url, administrator);
await cluster.leaveMovesToSuperusers();
await part('One engine in a schema', () => runOneEngine(cluster));
const cells = new SeveralCells(cluster);
try {
  await part('Two cells and four tenants', () => cells.open());
  await part('Billing by two nodes', () => cells.bill(MONTHS));
  await part('Moving a tenant that works', () => cells.moveTenant());
  await part('Moving a cell that works', () => cells.moveSchema());
  if (lose !== undefined && restore !== undefined)
    await part('Losing the worker of a cell', () => cells.loseWorker({ lose, restore }));
} finally {
  await cells.close();
}
