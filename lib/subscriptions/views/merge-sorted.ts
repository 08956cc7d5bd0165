/** The next element of one of the lists that are merged. */
interface Head<T> {
  readonly rest: Iterator<T>;
  /** Position of the list among the others. */
  readonly place: number;
  value: T;
}

/**
 * The elements of sorted lists in one order, taken from each list only when it is their turn. Where elements compare
 * equal, the one of the earlier list comes first.
 */
export function* mergeSorted<T>(
  lists: readonly Iterable<T>[],
  compare: (one: T, other: T) => number,
): Generator<T> {
  const [only] = lists;
  if (only !== undefined && lists.length === 1) {
    yield* only;
    return;
  }
  const isBefore = (one: Head<T>, other: Head<T>): boolean =>
    (compare(one.value, other.value) || one.place - other.place) < 0;
  const heap = lists.flatMap((list, place): Head<T>[] => {
    const rest = list[Symbol.iterator]();
    const next = rest.next();
    return next.done ? [] : [{ rest, place, value: next.value }];
  });
  for (let index = (heap.length >> 1) - 1; index >= 0; index -= 1) sink(heap, index, isBefore);
  for (let first = heap[0]; first !== undefined; first = heap[0]) {
    yield first.value;
    const next = first.rest.next();
    if (next.done) {
      const last = heap.pop();
      if (last !== undefined && heap.length > 0) heap[0] = last;
    } else first.value = next.value;
    sink(heap, 0, isBefore);
  }
}

/** Moves the element down until no element below it has to come first. */
function sink<T>(heap: T[], from: number, isBefore: (one: T, other: T) => boolean): void {
  const moved = heap[from];
  if (moved === undefined) return;
  let at = from;
  for (;;) {
    const [left, right] = [heap[2 * at + 1], heap[2 * at + 2]];
    if (left === undefined) break;
    const isRight = right !== undefined && isBefore(right, left);
    const least = isRight ? right : left;
    if (!isBefore(least, moved)) break;
    heap[at] = least;
    at = 2 * at + (isRight ? 2 : 1);
  }
  heap[at] = moved;
}
