// Preloaded by nodes of the next version, which has another column, table and event type.
import { registerHooks } from 'node:module';

const migration = new URL('./next-version-migration.ts', import.meta.url).href;

/** Changes of the next version by file. */
const changes: Readonly<Record<string, (text: string) => string>> = {
  'adapters/mikro-orm/migrations/postgresql/index.ts': (text) =>
    `import { migration as next } from '${migration}';\n${text.replace('\n];', '\n  next,\n];')}`,
  'lib/invoicing/evaluation/run-entries.ts': (text) =>
    text.replace('RUN_TOPICS: readonly string[] = [', `$&'NEXT_VERSION_EVENT', `),
};

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const [, change] = Object.entries(changes).find(([file]) => url.endsWith(file)) ?? [];
    if (change === undefined) return loaded;
    const before = String(loaded.source);
    const source = change(before);
    if (source === before) throw new Error(`The next version cannot be made of ${url}`);
    return { ...loaded, source };
  },
});
