import type { MoveParts } from '../../../lib/cells/index.ts';

/** Called before and after each storage call of a move, such as `before west.stop`. May throw instead of the call. */
export type Watch = (moment: string) => Promise<void> | void;

/** The parts of a move with a watch on each call of the directory and of the cells. */
export function watchedParts(parts: MoveParts, watch: Watch): MoveParts {
  const cells = [...parts.cells].map(([name, { moves }]) => {
    const of: typeof moves.of = (move) => watched(name, moves.of(move), watch);
    return [name, { moves: { ...moves, of } }] as const;
  });
  const directory = { cells: watched('directory', parts.directory.cells, watch) };
  return { ...parts, cells: new Map(cells), directory };
}

function watched<T extends object>(place: string, target: T, watch: Watch): T {
  return new Proxy(target, {
    get(object, property) {
      const value: unknown = Reflect.get(object, property, object);
      // Signs of life come at any time.
      if (typeof value !== 'function' || property === 'renewMove') return value;
      return async (...args: readonly unknown[]) => {
        await watch(`before ${place}.${String(property)}`);
        const result: unknown = await Reflect.apply(value, object, args);
        await watch(`after ${place}.${String(property)}`);
        return result;
      };
    },
  });
}
