import type { Instant } from '../../values/time/index.ts';
import type { Plan } from '../model/catalog-model.ts';
import type { Part } from '../model/part.ts';
import type { CatalogVersion } from './catalog-version.ts';

/** Consecutive versions, by their index in the catalog, that hold the same plan. */
interface Run {
  readonly part: Part<Plan>;
  readonly first: number;
  last: number;
}

/**
 * Runs of one plan, ascending. Their beginnings are stored side by side, so that a search among a thousand stays in the
 * processor's cache.
 */
interface PlanRunList {
  readonly runs: Run[];
  readonly firsts: number[];
}

const none: PlanRunList = Object.freeze({ runs: [], firsts: [] });

/** Where in a catalog each plan occurs. This is all that a search through its versions needs, without decoding any plan. */
export class PlanRuns {
  readonly #runs = new Map<string, PlanRunList>();
  /** The runs whose plan sets a date for existing subscriptions. */
  readonly #dated = new Map<string, PlanRunList>();

  constructor(versions: readonly CatalogVersion[]) {
    versions.forEach((version, index) => {
      for (const part of version.planParts.parts) this.#add(part, index);
    });
  }

  has(planName: string): boolean {
    return this.#runs.has(planName);
  }

  /**
   * Index of the version that supplies a plan by §6.2, undefined if none does.
   * @param at index of the version in force at the instant asked about.
   * @param anchor index of the version in force at the last plan change; the first one if the change was before that.
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
   * version without the plan (§6.4 rule 2). Versions that repeat the plan of the previous version are left out.
   */
  changedAfter(planName: string, index: number): readonly number[] {
    if (!this.#dated.has(planName)) return [];
    const { runs, firsts } = this.#runs.get(planName) ?? none;
    const changed: number[] = [];
    let position = latestBy(firsts, index);
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
    const list = listIn(this.#runs, part.name);
    const latest = list.runs.at(-1);
    if (latest?.part === part && latest.last >= index - 1) {
      latest.last = index;
      return;
    }
    const run = { part, first: index, last: index };
    add(list, run);
    if (part.forExisting !== null) add(listIn(this.#dated, part.name), run);
  }

  /** Rule 4: the latest version after the anchor whose date for existing subscriptions is reached. */
  #changedForExisting(
    planName: string,
    { at, anchor, instant }: { at: number; anchor: number; instant: Instant },
  ): number | undefined {
    const { runs, firsts } = this.#dated.get(planName) ?? none;
    for (let position = latestBy(firsts, at); position >= 0; position -= 1) {
      const run = runs[position];
      if (run === undefined || Math.min(run.last, at) <= anchor) return undefined;
      if (run.part.forExisting !== null && run.part.forExisting <= instant) return Math.min(run.last, at);
    }
    return undefined;
  }

  /** Rule 3: the latest version up to the anchor that has the plan. */
  #kept(planName: string, anchor: number): number | undefined {
    const { runs, firsts } = this.#runs.get(planName) ?? none;
    const run = runs[latestBy(firsts, anchor)];
    return run && Math.min(run.last, anchor);
  }

  /** Rule 5: the latest version that has the plan and sets no date for existing subscriptions. */
  #fallback(planName: string, at: number): number | undefined {
    const { runs, firsts } = this.#runs.get(planName) ?? none;
    for (let position = latestBy(firsts, at); position >= 0; position -= 1) {
      const run = runs[position];
      if (run?.part.forExisting === null) return Math.min(run.last, at);
    }
    return undefined;
  }
}

function listIn(map: Map<string, PlanRunList>, name: string): PlanRunList {
  const known = map.get(name);
  if (known !== undefined) return known;
  const list = { runs: [], firsts: [] };
  map.set(name, list);
  return list;
}

function add({ runs, firsts }: PlanRunList, run: Run): void {
  runs.push(run);
  firsts.push(run.first);
}

/** Position of the last run that begins at or before a version; −1 if there is none. */
function latestBy(firsts: readonly number[], index: number): number {
  let low = -1;
  let high = firsts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((firsts[middle] ?? 0) <= index) low = middle;
    else high = middle - 1;
  }
  return low;
}
