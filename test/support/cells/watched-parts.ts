import type { MoveParts } from '../../../lib/cells/index.ts';
import type { Storage } from '../../../lib/ports/storage/index.ts';

/** Called before and after each storage call of a move, such as `before west.stop`. May throw instead of the call. */
export type Watch = (moment: string) => Promise<void> | void;

/** The parts of a move with a watch on each call of the directory and of the two cells. */
export function watchedParts(parts: MoveParts, watch: Watch): MoveParts {
  const cells = [...parts.cells].map(([name, storage]): [string, Storage<never>] => {
    const { moves } = storage;
    const watchedMoves = {
      tables: moves.tables,
      of: (move: Parameters<typeof moves.of>[0]) => watched(name, moves.of(move), watch),
    };
    return [name, withMembers(storage, { moves: watchedMoves })];
  });
  const { directory } = parts;
  return {
    ...parts,
    cells: new Map(cells),
    directory: withMembers(directory, { cells: watched('directory', directory.cells, watch) }),
  };
}

function withMembers(storage: Storage<never>, members: Partial<Storage<never>>): Storage<never> {
  return Object.assign(Object.create(storage) as Storage<never>, members);
}

function watched<T extends object>(place: string, target: T, watch: Watch): T {
  return new Proxy(target, {
    get(object, property) {
      const value: unknown = Reflect.get(object, property, object);
      if (typeof value !== 'function') return value;
      return async (...args: readonly unknown[]) => {
        await watch(`before ${place}.${String(property)}`);
        const result: unknown = await Reflect.apply(value, object, args);
        await watch(`after ${place}.${String(property)}`);
        return result;
      };
    },
  });
}
