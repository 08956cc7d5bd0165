import type { Instant } from '../time/index.ts';
import type { CatalogVersion } from './catalog-version.ts';
import type { Plan } from './model.ts';
import type { Part } from './part.ts';

/** Consecutive versions, by their index in the catalog, that hold one and the same plan. */
interface Run {
  readonly part: Part<Plan>;
  readonly first: number;
  last: number;
}

/** Where in a catalog each plan occurs: what a search through its versions needs, without decoding a single plan. */
export class PlanRuns {
  readonly #runs = new Map<string, Run[]>();
  /** Those runs whose plan sets a date for existing subscriptions. */
  readonly #dated = new Map<string, Run[]>();

  constructor(versions: readonly CatalogVersion[]) {
    versions.forEach((version, index) => {
      for (const part of version.planParts.parts) this.#add(part, index);
    });
  }

  /**
   * Index of the version that supplies a plan by catalog.md §6.2, undefined if none does.
   * @param at index of the version in force at the instant asked about.
   * @param anchor index of the version in force at the last plan change; the first one if that was before it.
   */
  indexFor(planName: string, time: { at: number; anchor: number; instant: Instant }): number | undefined {
    return (
      this.#changedForExisting(planName, time) ??
      this.#kept(planName, Math.min(time.at, time.anchor)) ??
      this.#fallback(planName, time.at)
    );
  }

  /**
   * Indexes of the versions after `index` that change a plan for existing subscriptions, ascending, up to the first
   * version without the plan (catalog.md §6.4 rule 2). Those that repeat the plan of the version before are not among them.
   */
  changedAfter(planName: string, index: number): readonly number[] {
    if (!this.#dated.has(planName)) return [];
    const runs = this.#runs.get(planName) ?? [];
    const changed: number[] = [];
    let position = latestBy(runs, index);
    let end = Math.max(index, runs[position]?.last ?? index);
    for (position += 1; runs[position]?.first === end + 1; position += 1) {
      const run = runs[position];
      if (run === undefined) break;
      if (run.part.forExisting !== null) changed.push(run.first);
      end = run.last;
    }
    return changed;
  }

  #add(part: Part<Plan>, index: number): void {
    const runs = listIn(this.#runs, part.name);
    const latest = runs.at(-1);
    if (latest?.part === part && latest.last >= index - 1) {
      latest.last = index;
      return;
    }
    const run = { part, first: index, last: index };
    runs.push(run);
    if (part.forExisting !== null) listIn(this.#dated, part.name).push(run);
  }

  /** Rule 4: the latest version after the anchor whose date for existing subscriptions is reached. */
  #changedForExisting(
    planName: string,
    { at, anchor, instant }: { at: number; anchor: number; instant: Instant },
  ): number | undefined {
    const runs = this.#dated.get(planName) ?? [];
    for (let position = latestBy(runs, at); position >= 0; position -= 1) {
      const run = runs[position];
      if (run === undefined || Math.min(run.last, at) <= anchor) return undefined;
      if (run.part.forExisting !== null && run.part.forExisting <= instant) return Math.min(run.last, at);
    }
    return undefined;
  }

  /** Rule 3: the latest version up to the anchor that has the plan. */
  #kept(planName: string, anchor: number): number | undefined {
    const runs = this.#runs.get(planName) ?? [];
    const run = runs[latestBy(runs, anchor)];
    return run && Math.min(run.last, anchor);
  }

  /** Rule 5: the latest version that has the plan and sets no date for existing subscriptions. */
  #fallback(planName: string, at: number): number | undefined {
    const runs = this.#runs.get(planName) ?? [];
    for (let position = latestBy(runs, at); position >= 0; position -= 1) {
      const run = runs[position];
      if (run?.part.forExisting === null) return Math.min(run.last, at);
    }
    return undefined;
  }
}

function listIn(map: Map<string, Run[]>, name: string): Run[] {
  const known = map.get(name);
  if (known !== undefined) return known;
  const list: Run[] = [];
  map.set(name, list);
  return list;
}

/** Position of the last run that begins at or before a version; −1 if there is none. */
function latestBy(runs: readonly Run[], index: number): number {
  let low = -1;
  let high = runs.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((runs[middle]?.first ?? 0) <= index) low = middle;
    else high = middle - 1;
  }
  return low;
}
