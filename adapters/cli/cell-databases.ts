import type { Storage } from '../../lib/ports/storage/index.ts';
import type { ServerDefinition } from '../server/index.ts';
import { isPostgresqlUrl, openStorage } from './database.ts';
import { UsageError } from './usage-error.ts';

/** URLs of the cells by name. */
export type CellUrls = Readonly<Record<string, string>>;

/** Returns the cells of the configuration file, or null. @throws UsageError unless all databases are on PostgreSQL. */
export function cellsOf({ cells }: ServerDefinition, directory: string): CellUrls | null {
  if (cells === undefined) return null;
  for (const [name, url] of Object.entries({ ...cells, directory }))
    if (!isPostgresqlUrl(url))
      throw new UsageError(`cells need PostgreSQL: the URL of ${name} must begin with postgresql://`);
  return cells;
}

/** Returns the names in `--work`, otherwise those in the configuration file. @throws UsageError for an unknown cell. */
export function workOf(
  option: string | undefined,
  { work, cells }: ServerDefinition,
): readonly string[] | undefined {
  const names = option === undefined ? work : option.split(',').map((name) => name.trim());
  if (names === undefined) return undefined;
  const known = Object.keys(cells ?? {});
  for (const name of names)
    if (!known.includes(name))
      throw new UsageError(
        known.length === 0
          ? '--work needs the cells of the configuration file'
          : `--work names the cell "${name}"; the cells of the configuration file are ${known.join(', ')}`,
      );
  return names;
}

/** Opens the directory and the cells. A cell on the database of the directory shares its storage. */
export async function openCellStorages(
  directory: string,
  cells: CellUrls,
  options: Parameters<typeof openStorage>[1],
): Promise<{ readonly directory: Storage<never>; readonly cells: Readonly<Record<string, Storage<never>>> }> {
  const storages = new Map<string, Storage<never>>();
  const opened = async (url: string): Promise<Storage<never>> => {
    const storage = storages.get(url) ?? (await openStorage(url, options));
    storages.set(url, storage);
    return storage;
  };
  const ofDirectory = await opened(directory);
  const ofCells: Record<string, Storage<never>> = {};
  for (const [name, url] of Object.entries(cells)) ofCells[name] = await opened(url);
  return { directory: ofDirectory, cells: ofCells };
}

/** Runs `work` on the directory and on each cell with a database of its own, with the name of the database. */
export async function onEachDatabase(
  directory: string,
  cells: CellUrls | null,
  work: (url: string, name: string | null) => Promise<void>,
): Promise<void> {
  await work(directory, cells === null ? null : 'the directory');
  for (const [name, url] of Object.entries(cells ?? {}))
    if (url !== directory) await work(url, `cell ${name}`);
}
